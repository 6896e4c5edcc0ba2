-- table:   span_versions
-- purpose: internal. Other versions of spans that were sent again with other content by the same service and scope;
--          spans has the one that counts
-- grain:   trace_id, span_id, content
-- note:    at most three of a span, with the columns of spans.
create table span_versions as
select *
from spans
where false;
