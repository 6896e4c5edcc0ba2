"""The API over HTTP: SQL, reports, lists, annotations, admin commands; access, limits, OpenAPI."""
