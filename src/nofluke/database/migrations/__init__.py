"""How the tables came to be: one step for each revision, which is never changed afterwards."""
