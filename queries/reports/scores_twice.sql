-- report:  scores_twice
-- purpose: surplus rows in scores: several active scores where there may be one (double), and several rows of one
--          score_id (repeated), with the first targets of each
-- grain:   evaluator, fault
-- reads:   scores
-- note:    comparing seven million rows takes five times as long as first finding the targets that have more rows than
--          authors, each author a bit; with more than 62 authors a few more are found. The limit, which also lets
--          DuckDB read scores once, leaves out targets beyond a million. Scores of people and external scores are
--          compared by their span, too.
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
        where experiment_id is null
    ) as known
),

suspects as materialized (
    select hash(scores.target_id) as target
    from scores
    inner join authors using (evaluator, evaluator_kind, author)
    where scores.experiment_id is null
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
    where experiment_id is null and hash(target_id) in (select target from suspects)
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
