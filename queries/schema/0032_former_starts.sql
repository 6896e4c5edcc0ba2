-- table:   former_starts
-- purpose: internal. When runs began by what was known of them before: their older verdicts are found at these times
-- grain:   agent_trace_id, started_at
create table former_starts (
    agent_trace_id varchar not null,
    started_at timestamp not null
);
