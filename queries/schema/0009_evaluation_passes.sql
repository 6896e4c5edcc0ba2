-- table:   evaluation_passes
-- purpose: what each pass of each evaluator did; a pass that found nothing to do leaves no row
-- grain:   pass_id, evaluator
create table evaluation_passes (
    pass_id varchar not null,
    evaluator varchar not null,
    started_at timestamp not null,
    ended_at timestamp not null,
    due bigint not null,
    scored bigint not null,
    skipped bigint not null,
    errors bigint not null,
    deferred bigint not null,
    status varchar not null -- done
);
