-- macro:   as_integer
-- purpose: a number in units of 1/scale, as an integer, so that its sums are exact in any order; null where it is null
-- note:    what is further from 0 than `most` counts as `most`: senders may write any number, and sums must not leave
--          the range of HUGEINT.
create or replace macro as_integer(x, scale, most) as
case when x is not null then try_cast(round(least(greatest(x, -most), most) * scale) as bigint) end;
