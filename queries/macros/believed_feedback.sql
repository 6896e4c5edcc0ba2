-- macro:   believed_feedback
-- purpose: who is taken to have given a row of feedback, and under which name: evaluator, evaluator_kind, author
-- reads:   evaluator_cursors
-- note:    what comes over OTLP is a person's only where its service is one of the annotators, whose word on who gave
--          it is taken; anything else is external, and its service stands as the author. The name of an evaluator that
--          there is or was is its own: what is external has a prefix before it.
create or replace macro believed_feedback(told, annotators) as
case
    when
        told.evaluator_kind = 'human'
        and (told.evaluator_type = 'annotation' or list_contains(annotators, told.details ->> 'service_name'))
        then struct_pack(evaluator := told.evaluator, evaluator_kind := 'human', author := told.author)
    else struct_pack(
        evaluator := case
            when told.evaluator in (select ours.evaluator from evaluator_cursors as ours)
                then 'external/' || told.evaluator
            else told.evaluator
        end,
        evaluator_kind := 'external',
        author := case
            when told.evaluator_type = 'annotation' or list_contains(annotators, told.details ->> 'service_name')
                then told.author
            else coalesce(told.details ->> 'service_name', told.details ->> 'scope_name', 'unknown')
        end
    )
end;
