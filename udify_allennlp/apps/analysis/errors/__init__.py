"""Errors of parses and confidence of models: scores, counts, bins, pages, calibration."""
