-- statement: revive_scores_of_tools
-- purpose:   puts the last verdicts on tool definitions in force again that nobody offered for a while: judged once
--            more they would be the same verdicts, and none is kept twice
-- reads:     scores
update scores
set superseded_at = null
where
    scope = 'tool'
    and score_id in (
        select arg_max(score_id, scored_at)
        from scores
        where
            scope = 'tool'
            and target_id in (select 'tool:' || unnest(string_split($definition_hashes, chr(31))))
        group by target_id, evaluator, evaluator_kind, author
    );
