"""What is computed: revisions of runs, links, sessions, tools, feedback, annotations."""
