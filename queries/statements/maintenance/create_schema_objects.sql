-- statement: create_schema_objects
-- purpose:   creates the table of installed macros and views, by which opening a current database needs no write
-- grain:     kind, name
create table if not exists schema_objects (
    kind varchar not null,
    name varchar not null,
    sha256 varchar not null
);
