"""Measures of word order by Ahmad et al. (2019). No torch, no models."""
