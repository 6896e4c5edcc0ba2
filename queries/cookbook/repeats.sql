-- report:  repeats
-- purpose: In which conversations does the user repeat or correct?
-- grain:   agent_trace_id
-- reads:   selected_runs
-- note:    a turn repeats if its words, two or more, are nearly those of one of the three turns before it: seven in ten
--          are in both. Short words count only if they have a digit. It corrects if it begins with words such as "no",
--          "wrong" or "I meant", in ten languages. Both are signs, not proofs. Of the newest 20,000 turns, and of each
--          conversation the newest 50; the newest 100 signs.
with newest as (
    select
        session_id,
        agent_trace_id,
        coalesce(agent_name, service_name) as agent,
        started_at,
        left(input, 2000) as input
    from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
    where session_id is not null and input is not null
    order by started_at desc
    limit 20000
),

listed as (
    select
        *,
        row_number() over (partition by session_id order by started_at, agent_trace_id) as turn,
        count(*) over (partition by session_id) as turns
    from newest
),

turns as (
    select
        *,
        list_distinct(
            list_filter(
                regexp_split_to_array(lower(input), '[^\pL\pN]+'),
                lambda word: length(word) > 2 or regexp_matches(word, '\d')
            )
        ) as words
    from listed
    where turns > 1 and turn > turns - 50
),

ahead as (
    select
        session_id,
        words,
        turn + unnest([1, 2, 3]) as turn
    from turns
),

pairs as (
    select
        later.agent_trace_id,
        max(
            len(list_intersect(later.words, earlier.words))
            / nullif(len(list_distinct(list_concat(later.words, earlier.words))), 0)
        ) as likeness
    from turns as later
    inner join ahead as earlier on later.session_id = earlier.session_id and later.turn = earlier.turn
    group by later.agent_trace_id
)

select
    turns.started_at,
    turns.agent,
    turns.session_id,
    turns.turn,
    turns.turns as n_turns,
    if(pairs.likeness >= 0.7 and len(turns.words) >= 2, 'repeats', 'corrects') as sign,
    round(pairs.likeness, 2) as likeness,
    left(turns.input, 100) as asked,
    turns.agent_trace_id
from turns
inner join pairs on turns.agent_trace_id = pairs.agent_trace_id
where
    (pairs.likeness >= 0.7 and len(turns.words) >= 2)
    or regexp_matches(
        left(turns.input, 60),
        '(?i)^[^\pL\pN]*(no[,.!:; ]|nope\b|wrong\b|that''s not|that is not|not what i|i meant|i said'
        || '|actually,? (no|i)\b|nein\b|falsch\b|ich meinte|non[,.!:; ]|faux\b|je voulais|incorrecto'
        || '|quise decir|errado\b|eu quis|sbagliato|неверно|нет[,.! ]|不对|不是|違います|아니)'
    )
order by turns.started_at desc, turns.agent_trace_id
limit 100;
