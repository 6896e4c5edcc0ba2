-- report:  scores_of_definitions
-- purpose: the scores on the newest definitions of some tools that have any, the newest definition of each tool first
-- grain:   definition_hash, evaluator, evaluator_kind, author
-- reads:   offered_tools, latest_scores
select
    offered.name as tool,
    offered.definition_hash,
    dense_rank() over (partition by offered.name order by offered.seq desc) as place,
    scores.evaluator,
    scores.value,
    scores.passed,
    scores.explanation,
    scores.details::varchar as details
from offered_tools as offered
inner join latest_scores as scores on scores.target_id = 'tool:' || offered.definition_hash
where scores.scope = 'tool' and scores.status = 'scored' and list_contains($tools::varchar[], offered.name)
qualify place <= $newest
order by offered.name, place, scores.evaluator;
