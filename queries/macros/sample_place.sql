-- macro:   sample_place
-- purpose: the place of a target in the samples of an evaluator, at least 0 and below 1: a sample takes the targets
--          below its share
-- note:    its twin is `_compute_place` in evaluators/passes/sampling.py: both have to give the same place.
create or replace macro sample_place(evaluator, target_id) as
('0x' || left(md5(evaluator || ':' || target_id), 8))::uinteger / 4294967296;
