-- statement: schema_objects
-- purpose:   the macros and views that are installed in this database, by the hash of the file that defines each
-- grain:     kind, name
-- reads:     schema_objects
select
    kind,
    name,
    sha256
from schema_objects
order by kind, name;
