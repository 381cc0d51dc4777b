"""`python -m udify_allennlp.engine` is `udify-onnx`."""

from udify_allennlp.engine.command import main

main()
