"""The shipped configs, made ready for the fixtures."""

from pathlib import Path

from allennlp.common import Params

from tests.conftest import CONFIGS, FIXTURES
from tests.helpers import ENCODER
from tests.helpers.constituency import DEV_TREES, TREES
from udify_allennlp.text.conllu import read_sentences, write_sentences

# Those that start from a trained model: tests/models/from_archive_test.py and student_test.py,
# tests/segmenter/segmenter_from_archive_test.py, and tests/multilingual_test.py, edition_test.py
# and shipped_model_test.py.
STARTED = {
    *("UD_MODEL", "UD_TEACHER", "../udify_student.jsonnet", "../parts/from_archive.libsonnet"),
    *("udify_segmenter_from_archive", "../segmenter_from_multilingual.jsonnet", "UD_START"),
    "UD_STYLES",
}
# Those of models that translate: tests/translation.
SHIPPED = sorted(
    path
    for path in CONFIGS.rglob("*.jsonnet")
    if not STARTED & {*path.read_text().split("'")} and path.parent.name != "translation"
)


def for_fixtures(path, small_data, folder, monkeypatch):
    """A config for the fixtures, ready for `TrainModel`; `folder` takes files that it needs."""
    monkeypatch.setenv("UD_ENCODER", ENCODER)
    monkeypatch.setenv("UD_TRAIN", small_data[0])
    monkeypatch.setenv("UD_DEV", small_data[1])
    monkeypatch.setenv("UD_START", "")  # from an encoder
    monkeypatch.setenv("UD_FAVOURED", "")
    monkeypatch.setenv("UD_VECTORS", str(folder / "en.vec"))
    (folder / "en.vec").write_text("the 1 0 0\nof 0 1 0\n")
    texts = [" ".join(sentence.forms) for sentence in read_sentences(small_data[0])]
    (folder / "texts.txt").write_text("\n".join(texts) + "\n")
    monkeypatch.setenv("UD_TEXTS", str(folder / "texts.txt"))
    monkeypatch.setenv("UD_HELD_OUT", small_data[1])
    monkeypatch.setenv("UD_INITIAL", str(FIXTURES / "archives" / "all_decoders" / "model.tar.gz"))
    monkeypatch.setenv("UD_PREDICTED", str(Path(small_data[0]).parent))
    if path.stem.startswith("syng2g"):
        monkeypatch.setenv("UD_TRAIN", str(role_files(path)[0]))
        monkeypatch.setenv("UD_DEV", str(role_files(path)[1]))
        # As a parser writes it: CoNLL-U under the name of the file.
        trees = list(read_sentences(FIXTURES / "roles" / "en_hand-train.conll09"))
        write_sentences(trees, folder / "en_hand-train.conll05")
        monkeypatch.setenv("UD_PREDICTED", str(folder))
    if _has_phrases(path):
        monkeypatch.setenv("UD_TRAIN", TREES)
        monkeypatch.setenv("UD_DEV", DEV_TREES)
    params = Params.from_file(str(path))
    for key in ("distributed", "evaluation", "include_in_archive"):
        params.params.pop(key, None)
    embedder = params.params["model"].get("embedder", {})
    if isinstance(embedder.get("layers"), int):
        del embedder["layers"]  # the fixtures' encoder has three
    return params


def dev_file(path, small_data):
    """Development data that a config can read."""
    if _has_phrases(path):
        return DEV_TREES
    return str(role_files(path)[1]) if path.stem.startswith("syng2g") else small_data[1]


def _has_phrases(path):
    return "constituency" in (path.parent.name, path.stem.rpartition("_")[2])


def role_files(path):
    style = "conll05" if "spans" in path.stem else "conll09"
    return [FIXTURES / "roles" / f"en_hand-{split}.{style}" for split in ("train", "dev")]
