"""Analysis of encoders, before and after fine-tuning (thesis, sections 4.3.2, 4.3.4, 4.3.5)."""
