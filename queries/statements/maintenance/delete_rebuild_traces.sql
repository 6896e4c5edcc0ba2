-- statement: delete_rebuild_traces
-- purpose:   deletes the traces of a rebuild that has ended
-- reads:     rebuild_traces
delete from rebuild_traces;
