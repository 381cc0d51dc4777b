"""The losses of a compressed model, class by class: `ud-forgotten`."""
