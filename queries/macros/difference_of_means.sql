-- macro:   difference_of_means
-- purpose: how much higher a mean is than another one, as {difference, low, high}, with its 95 % interval, computed
--          from mean, variance (var_samp) and number of both sides
-- note:    B. L. Welch, Biometrika 34 (1947), 28-35, taken as normally distributed. Null if a number is below 2. The
--          same as `difference_of_means` in evaluators/experiments/statistics.py.
create or replace macro difference_of_means(mean, variance, n, other_mean, other_variance, other_n) as
case
    when n > 1 and other_n > 1
        then struct_pack(
            difference := mean - other_mean,
            low := mean - other_mean - 1.959963984540054e0 * sqrt(variance / n + other_variance / other_n),
            high := mean - other_mean + 1.959963984540054e0 * sqrt(variance / n + other_variance / other_n)
        )
end;
