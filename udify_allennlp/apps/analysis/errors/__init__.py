"""Errors of parses and calibration of models: scores, counts, bins, pages."""
