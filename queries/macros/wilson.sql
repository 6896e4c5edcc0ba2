-- macro:   wilson
-- purpose: the 95 % interval of a share, `passed` of `n`, as {low, high}: wilson(7, 10).low
-- note:    E. B. Wilson, Journal of the American Statistical Association 22 (1927), 209-212; also right for small
--          numbers and near 0 and 1. Null if n is 0. The same as `wilson` in evaluators/experiments/statistics.py;
--          3.841459 is the square of 1.959964.
create or replace macro wilson(passed, n) as
case
    when n > 0
        then struct_pack(
            low := greatest(
                0.0,
                (
                    passed + 1.9207294103470858
                    - 1.959963984540054 * sqrt(greatest(passed * (n - passed) / n::double, 0) + 0.9603647051735429)
                ) / (n + 3.8414588206941717)
            ),
            high := least(
                1.0,
                (
                    passed + 1.9207294103470858
                    + 1.959963984540054 * sqrt(greatest(passed * (n - passed) / n::double, 0) + 0.9603647051735429)
                ) / (n + 3.8414588206941717)
            )
        )
end;
