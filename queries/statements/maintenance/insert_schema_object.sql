-- statement: insert_schema_object
-- purpose:   records an installed macro or view, in the transaction that installs it
-- note:      parameters: kind, name, sha256
insert into schema_objects (kind, name, sha256)
values ($1, $2, $3);
