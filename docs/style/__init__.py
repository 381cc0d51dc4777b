"""The checker of English: `python -m docs.style`. `docs/style.md` lists what it finds."""
