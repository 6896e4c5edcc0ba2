"""Reports: questions that people ask, one `.sql` file each; finds them and fills in their parameters."""
