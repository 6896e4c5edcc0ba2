-- macro:   labelling_queue
-- purpose: the runs and sessions that are most worth a label by a person, best first: those on which evaluators and
--          people disagree, then those of which an evaluator is unsure; each with one evaluator and the reason in words
-- grain:   target_id
-- reads:   latest_scores, annotations, agent_traces, is_sampled, score_hours_between
-- note:    null selects all. The period is that of the start of the target. Only targets that no person has labelled
--          under the name of the evaluator; a comment alone is not a label. A check in code that passes says nothing
--          about other qualities, so it disagrees with a person only where it fails. A run appears once, for the best
--          of its reasons. At the end there are judged targets at random, one in ten: they show what judges are
--          wrongly sure of. Each agent first gets an equal share of the limit_ rows, so that one agent does not fill
--          them. Of a long period, the newest hours with 250,000 scores of what is selected are looked at (100,000
--          of one evaluator), and older targets only if a person has labelled them: more would take seconds.
create or replace macro labelling_queue(
    since_, until_, agent_, version_, environment_, service_, evaluator_, limit_
) as table
    with newest as (
        select max(hour) as since
        from (
            select
                hour,
                sum(sum(scored)) over (order by hour desc) as scores
            from score_hours_between(since_, until_)
            where
                evaluator_kind in ('code', 'llm', 'sql')
                and (agent_ is null or coalesce(nullif(agent_name, ''), service_name) = agent_)
                and (version_ is null or agent_version = version_)
                and (environment_ is null or environment = environment_)
                and (service_ is null or service_name = service_)
                and (evaluator_ is null or evaluator = evaluator_)
            group by hour
        ) as hours
        where scores >= if(evaluator_ is null, 250000, 100000)
    ),

    labels as materialized (
        select
            target_id,
            target_time,
            evaluator,
            author,
            scored_at,
            coalesce(
                passed,
                value >= 0.5,
                case
                    when lower(trim(label)) in ('pass', 'passed') then true
                    when lower(trim(label)) in ('fail', 'failed') then false
                end
            ) as passed
        from annotations
        where
            status = 'scored'
            and (value is not null or label is not null or passed is not null)
            and (since_ is null or target_time >= since_)
            and (until_ is null or target_time < until_)
    ),

    labelled_before as (
        select
            labels.target_id,
            max(newest.since) as newest_since
        from labels
        inner join newest on labels.target_time < newest.since
        group by labels.target_id
        order by max(labels.scored_at) desc, labels.target_id
        limit 10000
    ),

    scored as materialized (
        select
            target_id,
            scope,
            agent_trace_id,
            session_id,
            agent_name,
            target_time,
            evaluator,
            evaluator_kind,
            value,
            passed,
            if(evaluator_kind = 'llm', coalesce(threshold, 0.5), threshold) as least_passing,
            explanation
        from (
            select *
            from latest_scores
            where target_time >= (select coalesce(newest.since, timestamp '0001-01-01') from newest)
            union all by name
            select scores.*
            from latest_scores as scores
            inner join labelled_before as labelled on scores.target_id = labelled.target_id
            where scores.target_time < labelled.newest_since
        ) as candidates
        where
            status = 'scored'
            and evaluator_kind in ('code', 'llm', 'sql')
            and scope in ('trace', 'tool_call', 'session')
            and (since_ is null or target_time >= since_)
            and (until_ is null or target_time < until_)
            and (agent_ is null or coalesce(agent_name, agent_) = agent_)
    ),

    evaluated as (
        select
            target_id,
            count(*) filter (where passed) as passing,
            count(*) filter (where not passed) as failing,
            min(evaluator) filter (where passed and evaluator_kind = 'llm') as passing_judge,
            min(evaluator) filter (where not passed and evaluator_kind = 'llm') as failing_judge
        from scored
        group by target_id
    ),

    labelled as (
        select
            target_id,
            bool_or(passed) as is_passed,
            bool_or(not passed) as is_failed,
            arg_max(author, scored_at) filter (where passed) as passing_author,
            arg_max(author, scored_at) filter (where not passed) as failing_author,
            arg_max(evaluator, scored_at) filter (where passed) as passing_name,
            arg_max(evaluator, scored_at) filter (where not passed) as failing_name
        from labels
        group by target_id
    ),

    ranked as (
        select
            scored.*,
            evaluated.passing,
            evaluated.passing_judge,
            evaluated.failing_judge,
            abs(scored.value - scored.least_passing) as distance,
            case
                when scored.passed then struct_pack(author := labelled.failing_author, name := labelled.failing_name)
                else struct_pack(author := labelled.passing_author, name := labelled.passing_name)
            end as person,
            case
                when scored.passed and labelled.is_failed and scored.evaluator_kind = 'llm' then 1
                when not scored.passed and labelled.is_passed then 1
                when
                    scored.evaluator_kind = 'llm'
                    and scored.passed is not null
                    and evaluated.passing_judge is not null
                    and evaluated.failing_judge is not null
                    then 2
                when distance < 0.15 and scored.value > 0 and scored.value < 1 then 3
                when not scored.passed and evaluated.failing = 1 and evaluated.passing > 0 then 4
                when scored.evaluator_kind = 'llm' and is_sampled('labelling', scored.target_id, 0.1) then 5
            end as rank
        from scored
        inner join evaluated on scored.target_id = evaluated.target_id
        left join labelled on scored.target_id = labelled.target_id
        anti join labels on scored.target_id = labels.target_id and scored.evaluator = labels.evaluator
        where (evaluator_ is null or scored.evaluator = evaluator_) and rank is not null
    ),

    candidates as (
        select
            ranked.*,
            coalesce(ranked.agent_name, runs.agent_name, runs.service_name, '') as agent
        from ranked
        left join agent_traces as runs
            on ranked.agent_trace_id = runs.agent_trace_id and runs.experiment_id is null
        where
            (agent_ is null or coalesce(ranked.agent_name, runs.agent_name, runs.service_name) = agent_)
            and (version_ is null or runs.agent_version = version_)
            and (environment_ is null or runs.environment = environment_)
            and (service_ is null or runs.service_name = service_)
        qualify row_number() over (
            partition by coalesce(runs.root_agent_trace_id, ranked.target_id)
            order by
                ranked.rank,
                ranked.evaluator_kind <> 'llm',
                coalesce(ranked.passed, false),
                ranked.distance,
                ranked.evaluator,
                ranked.target_id
        ) = 1
    ),

    turns as (
        select
            *,
            row_number() over (
                partition by agent order by rank, evaluator_kind <> 'llm', distance, target_time desc, target_id
            ) as turn
        from candidates
    ),

    places as (
        select
            *,
            row_number() over (
                order by
                    turn > ceil(limit_ / (select count(distinct agent) from candidates)),
                    rank,
                    turn,
                    target_time desc,
                    target_id
            ) as place
        from turns
        where turn <= limit_
        qualify place <= limit_
    )

    select
        place,
        target_id,
        scope,
        agent_trace_id,
        session_id,
        nullif(agent, '') as agent_name,
        target_time as started_at,
        evaluator,
        evaluator_kind,
        value,
        passed,
        explanation,
        case rank
            when 1
                then
                    format(
                        '{} says {} under {}, and {} says {}',
                        (person)['author'],
                        if(passed, 'bad', 'good'),
                        (person)['name'],
                        evaluator,
                        if(passed, 'good', 'bad')
                    )
            when 2 then format('judges disagree: {} failed, {} passed', failing_judge, passing_judge)
            when 3
                then
                    format(
                        '{} is unsure: {}, and {} passes', evaluator, round(value, 2), round(least_passing, 2)
                    )
            when 4 then format('only {} failed, {} passed', evaluator, passing)
            when 5 then format('one in ten of {} at random', evaluator)
        end as reason
    from places;
