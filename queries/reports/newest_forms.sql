-- report:  newest_forms
-- purpose: the form (version and hash of the configuration) in which each of some evaluators was last enrolled
-- grain:   evaluator
-- reads:   evaluator_cursors
select
    evaluator,
    arg_max(evaluator_version, enrolled_at) as evaluator_version,
    arg_max(config_hash, enrolled_at) as config_hash,
    arg_max(scope, enrolled_at) as scope
from evaluator_cursors
where evaluator in (select unnest($evaluators::varchar[]))
group by evaluator;
