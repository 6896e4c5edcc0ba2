-- statement: newest_experiment
-- purpose:   the newest experiment of a name; no row if there is none
-- reads:     experiments
select * from experiments
where name = $name
order by started_at desc
limit 1;
