-- table:   linked_runs
-- purpose: internal. Runs without an agent span that belong together, and the session that each got for it
-- grain:   agent_trace_id
create table linked_runs (
    agent_trace_id varchar not null,
    started_at timestamp not null,
    group_id varchar not null, -- agent_trace_id of the earliest run that it is linked with
    session_id varchar, -- null: the run recorded its session, or it is not known which of several it belongs to
    recorded_session_id varchar
);
