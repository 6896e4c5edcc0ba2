-- macro:   sample_place
-- purpose: where an evaluator's lot puts a target, from 0 to 1: a sample takes in what is below its share
-- note:    collector/store/due.py draws the same lot.
create or replace macro sample_place(evaluator, target_id) as
('0x' || left(md5(evaluator || ':' || target_id), 8))::uinteger / 4294967296;
