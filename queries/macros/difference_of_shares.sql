-- macro:   difference_of_shares
-- purpose: how much higher the share `passed` of `n` is than `other_passed` of `other_n`, as {difference, low, high},
--          with its 95 % interval
-- reads:   wilson
-- note:    method 10 of R. G. Newcombe, Statistics in Medicine 17 (1998), 873-890, made of two intervals by Wilson.
--          Null if a number is 0. The same as `difference_of_shares` in evaluators/experiments/statistics.py.
create or replace macro difference_of_shares(passed, n, other_passed, other_n) as
case
    when n > 0 and other_n > 0
        then struct_pack(
            difference := passed / n::double - other_passed / other_n::double,
            low := passed / n::double - other_passed / other_n::double - sqrt(
                pow(passed / n::double - wilson(passed, n).low, 2)
                + pow(wilson(other_passed, other_n).high - other_passed / other_n::double, 2)
            ),
            high := passed / n::double - other_passed / other_n::double + sqrt(
                pow(wilson(passed, n).high - passed / n::double, 2)
                + pow(other_passed / other_n::double - wilson(other_passed, other_n).low, 2)
            )
        )
end;
