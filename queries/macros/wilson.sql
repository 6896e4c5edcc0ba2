-- macro:   wilson
-- purpose: the 95 % interval of a share, `passed` of `n`, as {low, high}: wilson(7, 10).low
-- note:    E. B. Wilson, Journal of the American Statistical Association 22 (1927), 209-212; also right for small
--          numbers and near 0 and 1. Null if n is 0. The same as `wilson` in evaluators/experiments/statistics.py;
--          3.841459 is the square of 1.959964. e0 makes constants doubles: decimals would overflow.
create or replace macro wilson(passed, n) as
case
    when n > 0
        then struct_pack(
            low := greatest(
                0.0,
                (
                    passed + 1.9207294103470858e0
                    - 1.959963984540054e0 * sqrt(greatest(passed * (n - passed) / n::double, 0) + 0.9603647051735429e0)
                ) / (n + 3.8414588206941717e0)
            ),
            high := least(
                1.0,
                (
                    passed + 1.9207294103470858e0
                    + 1.959963984540054e0 * sqrt(greatest(passed * (n - passed) / n::double, 0) + 0.9603647051735429e0)
                ) / (n + 3.8414588206941717e0)
            )
        )
end;
