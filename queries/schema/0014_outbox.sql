-- table:   outbox
-- purpose: internal. Verdicts that still have to be sent to export.endpoint, in the order of position
-- grain:   position
create table outbox (
    position bigint not null,
    score_id varchar not null
);
