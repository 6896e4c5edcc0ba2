"""What the API answers, as models; their fields are the columns of the tables and views."""
