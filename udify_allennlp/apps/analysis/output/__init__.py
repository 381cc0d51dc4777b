"""Files, tables and figures that analyses write, and files of scores that they read."""
