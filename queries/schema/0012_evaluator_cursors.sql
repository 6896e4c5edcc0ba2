-- table:   evaluator_cursors
-- purpose: internal. How far each evaluator has come: agent_traces up to assembled_seq = seq are judged, of scope tool
--          offered_tools up to seq
-- grain:   evaluator, evaluator_version, config_hash
create table evaluator_cursors (
    evaluator varchar not null,
    evaluator_version bigint not null,
    config_hash varchar not null,
    scope varchar not null,
    first_seq bigint not null, -- what is beyond it was new when the evaluator came
    seq bigint not null,
    enrolled_at timestamp not null,
    selection varchar not null, -- hash of when, sample and the like, which say what of it all the evaluator wants
    selected_seq bigint not null, -- what is up to it was looked at under another selection, or never
    selected_at timestamp not null
);
