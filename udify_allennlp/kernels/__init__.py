"""The same numbers in less time or memory. Delete it and only costs change."""
