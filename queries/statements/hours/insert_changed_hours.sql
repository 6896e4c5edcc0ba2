-- statement: insert_changed_hours
-- purpose:   marks hours whose counts may be out of date
-- reads:     changed_hours
insert into changed_hours
select
    unnest(string_split($hours, chr(31)))::timestamp as hour,
    (select coalesce(max(changed_hours.change), 0) + 1 from changed_hours) as change;
