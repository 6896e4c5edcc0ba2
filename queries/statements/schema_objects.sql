-- statement: schema_objects
-- purpose:   the macros and views that this database has, by the hash of the file that defined each
-- grain:     kind, name
-- reads:     schema_objects
select
    kind,
    name,
    sha256
from schema_objects
order by kind, name;
