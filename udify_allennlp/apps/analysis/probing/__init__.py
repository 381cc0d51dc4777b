"""Structural probes and their gold trees: the syntactic information in an encoder's vectors."""
