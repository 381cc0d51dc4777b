"""`python -m udify_allennlp ...` is `allennlp ...`."""

import runpy

if __name__ == "__main__":
    # Not a plain call: `spawn` skips main modules named `__main__`, so a child process would go
    # without the mends. With `alter_sys` its main module is `udify_allennlp.cli`.
    runpy.run_module("udify_allennlp.cli", run_name="__main__", alter_sys=True)
