"""Settings of a run: checks of types and names, configs by name, names of older releases."""
