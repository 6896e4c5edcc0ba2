-- report:  scores_twice
-- purpose: what stands in scores more often than it may: several active scores where one has to be (double), and
--          several rows of one score_id (repeated), with the first targets of each
-- grain:   evaluator, fault
-- reads:   scores
-- note:    telling seven million rows apart takes five times as long as finding the targets first that have more rows
--          than there are authors, each author a bit; with more than 62 authors that are some more. The limit, which is
--          also what lets DuckDB read scores once, leaves out what is beyond a million of them.
--          What people and others say is told apart by its span, too.
with authors as (
    select
        *,
        1::ubigint << (row_number() over () % 62)::integer as bit
    from (
        select distinct
            evaluator,
            evaluator_kind,
            author
        from scores
    ) as known
),

suspects as materialized (
    select hash(scores.target_id) as target
    from scores
    inner join authors using (evaluator, evaluator_kind, author)
    group by target
    having count(*) > bit_count(bit_or(authors.bit))
    order by target
    limit 1000000
),

rows_of_suspects as materialized (
    select
        score_id,
        target_id,
        evaluator,
        evaluator_kind,
        author,
        superseded_at,
        case when evaluator_kind in ('human', 'external') then span_id end as span_id
    from scores
    where hash(target_id) in (select target from suspects)
),

faulty as (
    select
        'double' as fault,
        evaluator,
        target_id
    from rows_of_suspects
    where superseded_at is null
    group by target_id, evaluator, evaluator_kind, author, span_id
    having count(*) > 1
    union all
    select
        'repeated' as fault,
        any_value(evaluator) as evaluator,
        any_value(target_id) as target_id
    from rows_of_suspects
    group by score_id
    having count(*) > 1
)

select
    evaluator,
    fault,
    count(*) as targets,
    min(target_id, 5) as target_ids
from faulty
group by all
order by all;
