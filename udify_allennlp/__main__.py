"""`python -m udify_allennlp ...` is the same as `allennlp ...`."""

from udify_command import main

if __name__ == "__main__":
    main()
