-- migration: id_starts
-- purpose:   the first eight hex digits of the ids of runs as numbers, among which DuckDB finds one faster
alter table agent_traces add column id_start uinteger;
alter table tool_definitions add column id_start uinteger;

update agent_traces set id_start = try_cast('0x' || rpad(left(agent_trace_id, 8), 8, '0') as uinteger);
update tool_definitions set id_start = try_cast('0x' || rpad(left(agent_trace_id, 8), 8, '0') as uinteger);
