-- macro:   outcome_of
-- purpose: the outcome of an outermost run: the first that holds of error, failing, waiting, unfinished, not_scored,
--          passed
-- note:    waiting: it stopped for a person. unfinished: the agent's own span has not come or has no end. A lone model
--          call without an agent (is_lone) is not scored, whatever its scores say.
create or replace macro outcome_of(error, failing_score_count, score_count, interrupt, completeness, is_lone) as
case
    when error is not null then 'error'
    when failing_score_count > 0 then 'failing'
    when interrupt is not null then 'waiting'
    when completeness = 'partial' then 'unfinished'
    when is_lone or coalesce(score_count, 0) = 0 then 'not_scored'
    else 'passed'
end;
