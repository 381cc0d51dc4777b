"""The equations: tensors in, tensors out. No strings, no Vocabulary, no files."""
