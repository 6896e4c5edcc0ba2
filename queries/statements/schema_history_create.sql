-- statement: schema_history_create
-- purpose:   the record of applied schema files; it cannot be one of them, since it is asked before the first
-- grain:     file
create table if not exists schema_history (
    file varchar not null,
    sha256 varchar not null,
    applied_at timestamp not null,
    tracegrade_version varchar not null
);
