-- macro:   is_unpriced
-- purpose: whether a call of a judge used tokens, or must have, at a price that is not known
create or replace macro is_unpriced(status, input_tokens, output_tokens, cost_usd) as
cost_usd is null
and status <> 'pending'
and (status <> 'error' or coalesce(input_tokens, 0) + coalesce(output_tokens, 0) > 0);
