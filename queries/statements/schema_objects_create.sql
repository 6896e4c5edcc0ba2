-- statement: schema_objects_create
-- purpose:   what is installed, so that opening a current database has nothing to write
-- grain:     kind, name
create table if not exists schema_objects (
    kind varchar not null,
    name varchar not null,
    sha256 varchar not null
);
