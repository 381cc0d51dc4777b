"""How much of the trees an encoder's vectors hold: structural probes and their gold trees."""
