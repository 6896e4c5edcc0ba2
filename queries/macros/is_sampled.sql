-- macro:   is_sampled
-- purpose: whether the sample of an evaluator, of this share of its targets (from 0 to 1), includes this target
-- reads:   sample_place
create or replace macro is_sampled(evaluator, target_id, share) as
share >= 1 or (share > 0 and sample_place(evaluator, target_id) < share);
