"""The API over HTTP: SQL, annotations, snapshots, admin commands; access and limits."""
