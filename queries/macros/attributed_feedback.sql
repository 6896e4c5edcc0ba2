-- macro:   attributed_feedback
-- purpose: the evaluator, evaluator_kind and author that a row of feedback counts as
-- reads:   evaluator_cursors
-- note:    a score that came over OTLP counts as a person's only if its service is one of the annotators, which are
--          trusted to name the author; any other is external, with its service as the author. External scores under
--          the name of a present or former evaluator get a prefix.
create or replace macro attributed_feedback(item, annotators) as
case
    when
        item.evaluator_kind = 'human'
        and (item.evaluator_type = 'annotation' or list_contains(annotators, item.details ->> 'service_name'))
        then struct_pack(evaluator := item.evaluator, evaluator_kind := 'human', author := item.author)
    else struct_pack(
        evaluator := case
            when item.evaluator in (select cursors.evaluator from evaluator_cursors as cursors)
                then 'external/' || item.evaluator
            else item.evaluator
        end,
        evaluator_kind := 'external',
        author := case
            when item.evaluator_type = 'annotation' or list_contains(annotators, item.details ->> 'service_name')
                then item.author
            else coalesce(item.details ->> 'service_name', item.details ->> 'scope_name', 'unknown')
        end
    )
end;
