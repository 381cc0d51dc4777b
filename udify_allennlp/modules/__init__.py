"""Tensors in and out: no strings, no Vocabulary, no Params."""
