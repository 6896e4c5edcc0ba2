-- report:  superseded_of
-- purpose: how many of some scores are not active, since later ones superseded them
-- grain:   one row
-- reads:   scores
select count(*) as superseded
from scores
where score_id in (select unnest($score_ids::varchar[])) and superseded_at is not null;
