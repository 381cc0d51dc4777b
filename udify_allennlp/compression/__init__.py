"""
Compression without training, and what it makes models forget (Mohammadshahi 2023, chapter 5):
the equations, on weights and on scores. Commands that read files are in `apps/`.
"""
