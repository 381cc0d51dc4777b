"""Settings of a run: checks of types and names, configs by name, names from older releases."""
