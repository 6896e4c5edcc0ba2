-- statement: insert_schema_history
-- purpose:   records that a schema file has been applied, in the transaction that applies it
-- note:      parameters: file, sha256, tracegrade_version
insert into schema_history (file, sha256, applied_at, tracegrade_version)
values ($1, $2, now() at time zone 'UTC', $3);
