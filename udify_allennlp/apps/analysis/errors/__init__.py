"""Where parses are wrong, and how sure a model was: counts, bins, pages, figures, calibration."""
