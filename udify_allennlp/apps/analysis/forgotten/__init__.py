"""What a compressed model has forgotten: `ud-forgotten`."""
