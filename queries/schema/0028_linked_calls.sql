-- table:   linked_calls
-- purpose: internal. Tool calls whose outcome a later run brought
-- grain:   agent_trace_id, position
create table linked_calls (
    agent_trace_id varchar not null,
    position bigint not null,
    answered_by varchar not null, -- agent_trace_id of the later run
    answered_at timestamp not null, -- when that run began
    message_position bigint not null,
    part_position bigint not null,
    is_error boolean not null
);
