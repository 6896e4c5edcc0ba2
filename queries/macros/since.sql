-- macro:   since
-- purpose: the time (UTC) that lies so long before now: started_at >= since('7d'). Also 90m, 24h, 2w, '1 month'
-- note:    DuckDB reads the units itself: s, m (minutes), h, d, w, mon, y and their names.
create or replace macro since(span) as (now() at time zone 'UTC') - span::interval;
