"""The table of the study of pretraining, from the files that its commands write."""

import json
import subprocess
import sys

from tests.conftest import ROOT

HEAD = "treebank\tresources\tmodel\tUAS\tLAS\truns\tUAS ±\tLAS ±\n"
ROWS = (
    ("fi_tdt", 40, 30), ("fi_tdt", 44, 36), ("ko_gsd", 20, 10), ("ko_gsd", 30, 12),
    ("eu_bdt", 20, 12), ("eu_bdt", 30, 16), ("macro average", 1, 1), ("macro average", 2, 2),
)  # fmt: skip


def run(folder, target):
    words = ["benchmarks/pretraining_table.py", str(folder), "--out", str(target)]
    return subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True)


def test_figures_are_gathered_and_averaged_by_whether_a_language_was_seen(tmp_path):
    (tmp_path / "across").mkdir()
    lines = [
        f"{name}\tzero-shot\t{('untouched', 'full')[i % 2]}\t{uas}.00\t{las}.00\t3\t0.50\t0.25\n"
        for i, (name, uas, las) in enumerate(ROWS)
    ]
    (tmp_path / "across" / "scores.tsv").write_text(HEAD + "".join(lines))
    (tmp_path / "joint_16").mkdir()
    (tmp_path / "joint_16" / "scores.tsv").write_text(HEAD + "".join(lines[:2]))
    phrases = tmp_path / "phrases" / "without integration ewt 1"
    phrases.mkdir(parents=True)
    (phrases / "scores.json").write_text(json.dumps({"LF1": 60.0, "UF1": 66.5, "LP": 1.0}))
    (phrases / "nl_alpino.json").write_text(json.dumps({"UF1": 31.25, "LF1": 9.0}))
    (tmp_path / "probe_12").mkdir()
    (tmp_path / "probe_12" / "probe.tsv").write_text(
        "model\tlayer\tprobe\tuuas\troot_accuracy\tspearman\tdev_loss\n"
        "out/encoders/full\t12\tdistance\t70.5\t\t0.75\t1\n"
        "some/encoder\t12\tdepth\t\t80\t0.5\t1\n"
    )
    done = run(tmp_path, tmp_path / "all.tsv")
    assert done.returncode == 0, done.stderr
    table = (tmp_path / "all.tsv").read_text().splitlines()
    assert "across\tko_gsd\tfull\tLAS\t12.00\t0.25" in table
    assert "joint_16\tfi_tdt\tfull\tLAS\t36.00\t0.25" in table
    assert "phrases\tewt\twithout integration\tLF1\t60.00\t" in table
    assert "phrases\tnl_alpino by ewt\twithout integration\tUF1\t31.25\t" in table
    assert "probe\tlayer 12\tfull\tdistance uuas\t70.50\t" in table
    assert "probe\tlayer 12\tuntouched\tdepth spearman\t0.50\t" in table
    assert not any("macro" in line for line in table)
    # Pretraining saw Finnish, not Korean and Basque, whose gains are 2 and 4.
    assert "across LAS unseen (2)\tfull\t14.00\t+3.00 (+2.00 to +4.00)" in done.stdout
    assert "across LAS seen (1)\tfull\t36.00\t+6.00 (+6.00 to +6.00)" in done.stdout
    assert "joint_16 LAS all (1)\tfull\t36.00\t+6.00 (+6.00 to +6.00)" in done.stdout


def test_a_folder_without_results_is_an_error(tmp_path):
    done = run(tmp_path, tmp_path / "all.tsv")
    assert done.returncode == 2 and "RUN=pretraining" in done.stderr.splitlines()[-1]
