"""
All about the package is in setup.cfg. This adds the commit to what is built from a checkout of git,
for `udify --version` (udify_command/build.py); an archive without `.git` builds without it.
"""

import runpy
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
BUILD = runpy.run_path(str(ROOT / "udify_command" / "build.py"))


def keep_commit(folder: Path) -> None:
    commit = BUILD["commit_of"](ROOT)
    if commit is not None:
        (folder / "udify_command" / BUILD["COMMIT"]).write_text(f"{commit}\n")


class BuildWithCommit(build_py):
    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            keep_commit(Path(self.build_lib))


class SdistWithCommit(sdist):
    def make_release_tree(self, base_dir: str, files: list) -> None:
        super().make_release_tree(base_dir, files)
        keep_commit(Path(base_dir))


setup(cmdclass={"build_py": BuildWithCommit, "sdist": SdistWithCommit})
