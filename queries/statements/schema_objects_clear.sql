-- statement: schema_objects_clear
-- purpose:   forgets what was installed, before everything is installed again
delete from schema_objects;
