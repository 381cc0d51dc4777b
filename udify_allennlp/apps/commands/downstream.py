"""`allennlp ud-downstream nli` and `qa`: encoders fine-tuned for other tasks than parsing."""

import argparse
import sys
from pathlib import Path
from typing import Any, ClassVar

from allennlp.commands.subcommand import Subcommand
from allennlp.common import Tqdm
from allennlp.common.checks import ConfigurationError, check_for_gpu
from allennlp.common.util import int_to_device

from udify_allennlp.apps.analysis.downstream.answering import Answering
from udify_allennlp.apps.analysis.downstream.files import example_files
from udify_allennlp.apps.analysis.downstream.fine_tuning import Settings
from udify_allennlp.apps.analysis.downstream.inference import Inference
from udify_allennlp.apps.analysis.downstream.runs import Plan, make_learner, run, table
from udify_allennlp.apps.analysis.downstream.task import Task
from udify_allennlp.apps.analysis.downstream.windows import OVERLAP
from udify_allennlp.apps.analysis.output.files import (
    names_of,
    numbers,
    total_size_and_time,
    write_table,
)
from udify_allennlp.apps.analysis.output.result_store import KeptResults
from udify_allennlp.apps.commands.command import Action, CommandGroup
from udify_allennlp.apps.commands.options import MODEL_OR_ENCODER, add_cuda_device, add_out
from udify_allennlp.data.wordpieces import WordpieceTokenizer

_FILES = "files, folders or quoted globs, plain, .gz or .xz"


class _Downstream(Action):
    """The options and the steps of both tasks."""

    task: ClassVar[type[Task[Any]]]
    max_pieces: ClassVar[int]
    learning_rate: ClassVar[float]
    settings: ClassVar[tuple[str, ...]] = (
        *("encoder", "train", "dev", "test", "epochs", "batch_size", "learning_rate"),
        *("max_pieces", "examples", "without_integration"),
    )
    """Options that determine the results of a seed."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add = parser.add_argument
        add("encoder", nargs="+", metavar="ENCODER", help=MODEL_OR_ENCODER)
        add(
            "--train",
            nargs="+",
            required=True,
            metavar="FILE",
            help=f"examples to fine-tune on, in {self.task.ending}: {_FILES}",
        )
        add(
            "--dev",
            nargs="+",
            metavar="FILE",
            help="examples that select the best epoch (default = a tenth of the training examples)",
        )
        add("--test", nargs="+", required=True, metavar="FILE", help="files to score, one by one")
        add_out(parser, "FOLDER", goes_on=True)
        add("--seeds", default="1", help="seeds to train with, such as 1,2,3 (default = 1)")
        add("--epochs", type=int, default=3, help="number of epochs")
        add("--batch-size", type=int, default=32, help="number of sequences per update")
        add("--learning-rate", type=float, default=self.learning_rate, help="the highest one")
        add(
            "--max-pieces",
            type=int,
            help="maximum number of wordpieces per sequence, including special ones (default = "
            f"{self.max_pieces}, or the encoder's limit)",
        )
        add("--examples", type=int, help="maximum number of examples to read per file")
        add(
            "--without-integration",
            action="store_true",
            help="omit the layer that UD pretraining puts above the encoder",
        )
        add_cuda_device(parser)

    def run(self, args: argparse.Namespace) -> None:
        for option in ("epochs", "batch_size", "max_pieces", "examples", "answer_pieces"):
            value = getattr(args, option, None)
            if value is not None and value < 1:
                name = option.replace("_", "-")
                raise ConfigurationError(f"--{name} is {value}. It must be at least 1.")
        if args.learning_rate <= 0:
            raise ConfigurationError(
                f"--learning-rate is {args.learning_rate}. It must be above 0."
            )
        check_for_gpu(args.cuda_device)
        names = names_of(args.encoder)
        seeds = numbers(args.seeds, "--seeds")
        files = self._read(args)
        amounts = Settings(args.epochs, args.batch_size, args.learning_rate, seeds[0])
        plan = Plan(
            self.task,
            lambda tokenizer, max_pieces: self.make_task(tokenizer, max_pieces, args),
            args.max_pieces,
            self.max_pieces,
            not args.without_integration,
            amounts,
            int_to_device(args.cuda_device),
        )
        # A mistake in the last encoder ends the command before the first one is trained.
        for encoder in args.encoder:
            make_learner(encoder, plan)
        inputs = [*args.encoder, *(path for part in files.values() for path in part)]
        settings = {name: getattr(args, name) for name in self.settings}
        settings["inputs"] = {path: total_size_and_time(path) for path in inputs}
        folder = Path(args.out)
        kept = KeptResults(folder / "results.json", "--out", settings)
        parts = (files["train"], files["dev"], files["test"], folder / "predictions")
        for name, encoder in zip(names, args.encoder):
            for seed in seeds:
                if not kept.has(model=name, seed=seed):
                    of_seed = plan._replace(settings=amounts._replace(seed=seed))
                    kept.add(run(name, encoder, of_seed, *parts))
                    write_table(folder / "scores.tsv", table(kept.results, self.task))
        sys.stdout.write(write_table(folder / "scores.tsv", table(kept.results, self.task)))
        kept.finish()

    def make_task(
        self, tokenizer: WordpieceTokenizer, max_pieces: int, args: argparse.Namespace
    ) -> Task[Any]:
        """Returns the task with sequences of at most `max_pieces` pieces."""
        return self.task(tokenizer, max_pieces)

    def _read(self, args: argparse.Namespace) -> dict[str, dict[str, list[Any]]]:
        """Returns the examples of each file of `train`, `dev` and `test`."""
        paths = [
            (part, path)
            for part in ("train", "dev", "test")
            if getattr(args, part)
            for path in example_files(getattr(args, part), f"--{part}", self.task.ending)
        ]
        files: dict[str, dict[str, list[Any]]] = {"train": {}, "dev": {}, "test": {}}
        for part, path in Tqdm.tqdm(paths, desc="reading", unit=" files"):
            files[part][path] = self.task.read(path)[: args.examples]
            self.task.check(files[part][path], path, scored=part == "test")
        return files


class _Inference(_Downstream):
    """
    Fine-tune encoders for natural language inference, with the head of transformers
    (AutoModelForSequenceClassification), and score them by accuracy, also in languages that they
    were not fine-tuned on, as with XNLI:

      allennlp ud-downstream nli ud_encoder xlm-roberta-base --train xnli/dev.en.tsv \\
        --test 'xnli/test.*.tsv' --seeds 1,2,3 --out out/xnli

    Files are tab-separated; the first line is premise, hypothesis, label. Labels are entailment,
    neutral and contradiction.

    FOLDER will hold scores.tsv, results.json (also the loss and the score of each epoch) and in
    predictions/ a label per line for each encoder, seed and file. After an interruption, the same
    command continues with the next encoder or seed.

    An encoder that ud-export wrote after UD pretraining has a layer above, which is fine-tuned
    with it, unless --without-integration is given. The pooler of BERT is new for all encoders
    without one.
    """

    task = Inference
    max_pieces = 128
    learning_rate = 2e-5


class _Answering(_Downstream):
    """
    Fine-tune encoders for question answering, with the head of transformers
    (AutoModelForQuestionAnswering), and score them by exact match (em) and F1, also in languages
    that they were not fine-tuned on, as with XQuAD:

      allennlp ud-downstream qa ud_encoder xlm-roberta-base --train squad/train-v1.1.json \\
        --test 'xquad/xquad.*.json' --seeds 1,2,3 --out out/xquad

    Files are JSON of SQuAD 1.1. Long paragraphs are read in windows that overlap; the answer is
    the best span of all windows.

      em, f1            as the script of SQuAD 1.1, which XQuAD is scored by in every language
      mlqa_em, mlqa_f1  as the script of MLQA, if the name of the file has the code of one of its
                        languages (ar de en es hi vi zh): a Chinese character is a word there
      without_answer    questions without an answer in the file, which are not scored
      out_of_reach      questions whose answers are in no window or longer than --answer-pieces

    FOLDER will hold scores.tsv, results.json (also the loss and the score of each epoch) and in
    predictions/ the answers by question as JSON, for each encoder, seed and file. After an
    interruption, the same command continues with the next encoder or seed.

    An encoder that ud-export wrote after UD pretraining has a layer above, which is fine-tuned
    with it, unless --without-integration is given.
    """

    task = Answering
    max_pieces = 384
    learning_rate = 3e-5
    settings = (*_Downstream.settings, "overlap", "answer_pieces")

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--overlap",
            type=int,
            help="number of wordpieces that neighbouring windows of a paragraph share "
            f"(default = {OVERLAP}, or half of the paragraph's room in a window if less)",
        )
        parser.add_argument(
            "--answer-pieces", type=int, default=30, help="maximum number of wordpieces per answer"
        )

    def make_task(
        self, tokenizer: WordpieceTokenizer, max_pieces: int, args: argparse.Namespace
    ) -> Answering:
        return Answering(tokenizer, max_pieces, args.overlap, args.answer_pieces)


@Subcommand.register("ud-downstream")
class Downstream(CommandGroup):
    """
    Fine-tune encoders for tasks other than parsing, with the heads of transformers, and compare
    them over seeds, such as an encoder before and after UD pretraining.

      allennlp ud-downstream nli ENCODER --train FILE --test FILE --out out/xnli
      allennlp ud-downstream qa ENCODER --train FILE --test FILE --out out/xquad
    """

    actions = {"nli": _Inference, "qa": _Answering}
