-- statement: differing_spans
-- purpose:   the stored spans of which others arrived again with other content
-- reads:     spans
-- note:      arriving_spans is registered by the writer: the spans that arrived again. They were stored between the
--            commits $first_seq and $last_seq, and only content of that range is read.
select * exclude (start_time, end_time, ingested_at, batch_seq)
from spans as stored
where
    batch_seq between $first_seq and $last_seq
    and exists (
        select 1
        from arriving_spans as arriving
        where
            stored.trace_id = arriving.trace_id
            and stored.span_id = arriving.span_id
            and (
                stored.name <> arriving.name
                or stored.parent_span_id is distinct from arriving.parent_span_id
                or stored.start_ns <> arriving.start_ns
                or stored.end_ns <> arriving.end_ns
                or stored.status_code <> arriving.status_code
                or stored.attributes::varchar <> arriving.attributes
                or stored.events::varchar <> arriving.events
            )
    );
