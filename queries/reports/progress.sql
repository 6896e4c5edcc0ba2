-- report:  progress
-- purpose: the progress of assembly and of evaluators, each evaluator in one form, for /metrics
-- grain:   evaluator
-- reads:   evaluator_cursors, paused_evaluators, assembly_progress
-- note:    settled_seq is the same in every row: arrivals up to that commit are assembled. An evaluator that was never
--          enrolled has no scope and no seq.
with asked as (
    select
        unnest($evaluators::varchar[]) as evaluator,
        unnest($evaluator_versions::bigint[]) as evaluator_version,
        unnest($config_hashes::varchar[]) as config_hash
    union all
    select -- for settled_seq, should there be no evaluator
        null as evaluator,
        null as evaluator_version,
        null as config_hash
)

select
    asked.evaluator,
    cursors.scope,
    cursors.seq,
    paused.paused_at is not null as is_paused,
    progress.batch_seq as settled_seq
from asked
cross join assembly_progress as progress
left join evaluator_cursors as cursors using (evaluator, evaluator_version, config_hash)
left join paused_evaluators as paused using (evaluator);
