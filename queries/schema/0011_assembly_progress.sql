-- table:   assembly_progress
-- purpose: internal. Arrivals up to batch_seq are assembled; a restart looks only at later ones
-- grain:   one row
create table assembly_progress (
    batch_seq bigint not null
);

insert into assembly_progress values (0);
