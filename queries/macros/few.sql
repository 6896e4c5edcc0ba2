-- macro:   few
-- purpose: the remark on a rate over so few that it says little, null where there are ten or more
create or replace macro few(n) as case when n < 10 then 'only ' || n end;
