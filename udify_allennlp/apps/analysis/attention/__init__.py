"""The attention of a model: a web page of it, and its share on a given graph."""
