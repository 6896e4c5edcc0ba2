-- statement: schema_history
-- purpose:   the schema files that were applied to this database
-- grain:     file
-- reads:     schema_history
select
    file,
    sha256,
    tracegrade_version
from schema_history
order by file;
