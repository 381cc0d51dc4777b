"""`python -m udify_command` is the same as `udify`."""

from udify_command.front import main

if __name__ == "__main__":
    main()
