-- statement: create_schema_history
-- purpose:   creates the table of applied schema files; it is not a schema file, since it is read before the first one
--            is applied
-- grain:     file
create table if not exists schema_history (
    file varchar not null,
    sha256 varchar not null,
    applied_at timestamp not null,
    tracegrade_version varchar not null
);
