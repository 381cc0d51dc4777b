"""What only Ahmad et al. (2019) have: how orders of words are measured. No torch, no models."""
