-- macro:   since
-- purpose: the time (UTC) that lies so long before now: started_at >= since('7d'). Also 90m, 24h, 2w, '1 month'
-- note:    DuckDB reads the units itself: s, m (minutes), h, d, w, mon, y and their names. now() is UTC by the time zone
--          of the connection, which is set for everything that Tracegrade opens; the cast drops the zone.
create or replace macro since(span) as (now() at time zone 'UTC') - span::interval;
