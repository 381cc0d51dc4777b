"""Subcommands of `allennlp`; a module is imported when one of its commands is typed."""
