"""Where parses are wrong, and how sure a model was: scores, counts, bins, pages, calibration."""
