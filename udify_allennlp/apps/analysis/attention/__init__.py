"""The attention of a model: a page of lines, and the share that falls on a given graph."""
