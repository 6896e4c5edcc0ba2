-- macro:   sample_place
-- purpose: the place of a target in the samples of an evaluator, at least 0 and below 1: a sample includes the
--          targets below its share
-- note:    `_compute_place` in evaluators/passes/sampling.py must give the same place.
create or replace macro sample_place(evaluator, target_id) as
('0x' || left(md5(evaluator || ':' || target_id), 8))::uinteger / 4294967296;
