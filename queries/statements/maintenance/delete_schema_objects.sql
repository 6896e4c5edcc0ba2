-- statement: delete_schema_objects
-- purpose:   removes the record of installed macros and views, before all are installed again
delete from schema_objects;
