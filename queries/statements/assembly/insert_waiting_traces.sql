-- statement: insert_waiting_traces
-- purpose:   records which traces wait for more
-- reads:     waiting_traces
insert into waiting_traces by name
select unnest(string_split($trace_ids, chr(31))) as trace_id;
