-- macro:   id_number
-- purpose: the first eight hex digits of an id as a number, a shorter text filled up with a digit; null: no such digits
create or replace macro id_number(id, digit) as try_cast('0x' || rpad(left(id, 8), 8, digit) as uinteger);
