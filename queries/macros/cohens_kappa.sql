-- macro:   cohens_kappa
-- purpose: the agreement of two judges beyond chance, from -1 to 1, computed from how many targets both passed, only
--          the first, only the second, and neither
-- note:    J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20
--          (1960), 37-46: (p_o - p_e) / (1 - p_e), both times n squared. Null if both passed everything or nothing:
--          then they would also agree by chance.
create or replace macro cohens_kappa(a, b, c, d) as
(
    (a + b + c + d) * (a + d)::hugeint - ((a + b) * (a + c)::hugeint + (c + d) * (b + d)::hugeint)
)
/ nullif(
    (a + b + c + d) * (a + b + c + d)::hugeint - ((a + b) * (a + c)::hugeint + (c + d) * (b + d)::hugeint), 0
);
