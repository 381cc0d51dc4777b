"""
Computations of the same numbers in less time or memory. Without this package, only costs change.
"""
