-- macro:   judge_call_totals
-- purpose: totals over the judge calls of a group, as a struct: how many there are of each kind, tokens, cost in US
--          dollars, median duration
-- reads:   is_unpriced
-- note:    calls were sent to the judge; cached ones were not, since their answer was stored. cost_usd is null where
--          calls were paid for and none of them has a known price.
create or replace macro judge_call_totals(from_cache, status, input_tokens, output_tokens, cost_usd, duration_ms) as
struct_pack(
    calls := count(*) filter (where not from_cache),
    cached := count(*) filter (where from_cache),
    pending := count(*) filter (where status = 'pending'),
    unusable := count(*) filter (where status = 'unusable' and not from_cache),
    errors := count(*) filter (where status = 'error'),
    input_tokens := coalesce(sum(input_tokens) filter (where not from_cache), 0)::bigint,
    output_tokens := coalesce(sum(output_tokens) filter (where not from_cache), 0)::bigint,
    cost_usd := coalesce(
        sum(cost_usd) filter (where not from_cache),
        case when bool_and(from_cache or not is_unpriced(status, input_tokens, output_tokens, cost_usd)) then 0.0 end
    ),
    unpriced_calls := count(*) filter (
        where not from_cache and is_unpriced(status, input_tokens, output_tokens, cost_usd)
    ),
    p50_ms := median(duration_ms) filter (where status in ('ok', 'unusable') and not from_cache)
);
