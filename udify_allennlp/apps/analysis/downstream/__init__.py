"""
Encoders fine-tuned for tasks other than parsing, with the heads of transformers: inference
(XNLI) and question answering (XQuAD), as in Sun et al. (2021), Tables 1 and 2.
"""
