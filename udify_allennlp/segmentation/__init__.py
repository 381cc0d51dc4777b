"""
Raw text into sentences, tokens and the words of multiword tokens, from the scores of a network over
its characters. It imports neither PyTorch nor AllenNLP; the network is in `segmenter/`, or exported
(`engine/`).
"""
