"""Files, tables and figures that analyses write, and score files that they read."""
