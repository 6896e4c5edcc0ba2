-- statement: withdraw_scores_of_tools
-- purpose:   takes the verdicts on tool definitions out of force that nobody offers any more
-- reads:     scores
update scores
set superseded_at = $now
where
    superseded_at is null
    and scope = 'tool'
    and target_id in (select 'tool:' || unnest(string_split($definition_hashes, chr(31))));
