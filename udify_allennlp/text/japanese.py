"""The standard of Japanese texts that no treebank is named for."""

LANGUAGE = "ja"
TREEBANK = "ja_gsd"
"""
The treebank with today's annotation. Japanese-PUD, which is of 2019, has longer words (`である`),
other lemmas and other UPOS (`いる` is AUX). GSDLUW and PUDLUW have long units.
"""
