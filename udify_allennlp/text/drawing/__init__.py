"""Dependency trees as pictures (SVG)."""
