-- table:   link_keys
-- purpose: internal. The ids by which runs without an agent span can be linked: those that a run asks with, and those
--          that it answers
-- grain:   agent_trace_id, side, call_position, message_position, part_position, key
-- note:    rows are ignored, not deleted, by runs that began more than a week before or after.
create table link_keys (
    agent_trace_id varchar not null,
    started_at timestamp not null, -- of the run
    session_id varchar, -- as the run recorded it
    side varchar not null, -- ask: a response, or a tool call of the run; answer: what continues one
    key ubigint not null, -- hash of the service and the id; of an id that others have, too, of all around it as well
    tool_name varchar, -- null: a response, or not recorded
    args_hash ubigint, -- null: not recorded
    call_position bigint, -- of the tool call in its run
    is_open boolean not null, -- a tool call whose outcome is not recorded in its run
    message_position bigint, -- of the answer to a tool call in its run
    part_position bigint, -- within that message
    is_error boolean not null -- the answer says that the tool failed
);
