"""Where a model attends: a page of lines, and the share of a given graph."""
