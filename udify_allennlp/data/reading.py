"""Treebank files read into one table, by one process or several."""

import multiprocessing
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Optional, Union

from allennlp.common import Tqdm

from udify_allennlp.data.table import TreebankTable
from udify_allennlp.data.table_builder import join
from udify_allennlp.data.ud_reader import UniversalDependenciesReader
from udify_allennlp.kernels.memory import give_back
from udify_allennlp.text.conllu import expand_paths

_worker_reader: Optional[UniversalDependenciesReader] = None


def read_table(
    reader: UniversalDependenciesReader,
    data_path: Union[str, Sequence[str]],
    num_workers: int = 0,
    quiet: bool = False,
) -> TreebankTable:
    """
    Returns a table of all sentences of the files, in the order of the paths.

    # Parameters

    reader : `UniversalDependenciesReader`
    data_path : `Union[str, Sequence[str]]`
        A file, a glob, or a list of these.
    num_workers : `int`
        Number of processes, each of which reads whole files; 0 reads in this one.
    quiet : `bool`
        True for no progress bar.

    # Raises

    `ConlluError` for the first invalid sentence, in any process. `FileNotFoundError`.
    """
    paths = expand_paths(data_path)
    limit = reader.max_instances
    with _tables(reader, paths, num_workers) as results:
        bar = Tqdm.tqdm(results, total=len(paths), desc="reading files", disable=quiet)
        table = join(bar if limit is None else _enough(bar, limit))
    give_back()
    return table if limit is None else table.head(limit)


def _enough(tables: Iterable[TreebankTable], sentences: int) -> Iterator[TreebankTable]:
    """Yields the first tables, until they hold this many sentences."""
    for table in tables:
        yield table
        sentences -= len(table)
        if sentences <= 0:
            break


@contextmanager
def _tables(
    reader: UniversalDependenciesReader, paths: Sequence[str], num_workers: int
) -> Iterator[Iterator[TreebankTable]]:
    if num_workers == 0:
        yield map(reader.table, paths)
        return
    kept_tables = {path: reader.kept_table(path) for path in paths}
    unknown = [path for path, table in kept_tables.items() if table is None]
    # Forked, so that the reader and its tokenizer need not be sent.
    executor = ProcessPoolExecutor(
        max(min(num_workers, len(unknown)), 1),
        multiprocessing.get_context("fork"),
        _keep_reader,
        (reader,),
    )
    try:
        futures = {path: executor.submit(_read, path) for path in unknown}

        def table(path: str) -> TreebankTable:
            # Popped, so that a table is gone once it is joined to the others.
            stored = futures.pop(path).result() if path in futures else kept_tables.pop(path)
            return reader.table(path) if stored is None else stored

        yield map(table, paths)
    except BrokenProcessPool as error:
        raise RuntimeError(
            "A process that read treebanks was killed, perhaps because memory ran out. Use fewer "
            f"data_loader.num_workers than {num_workers}."
        ) from error
    finally:
        executor.shutdown(cancel_futures=True)


def _keep_reader(reader: UniversalDependenciesReader) -> None:
    global _worker_reader
    _worker_reader = reader


def _read(path: str) -> Optional[TreebankTable]:
    """
    Returns the table of a file; `None` if the cache has it now, since it is then mapped and need
    not be sent.
    """
    assert _worker_reader is not None
    table = _worker_reader.table(path)
    return table if _worker_reader.kept_table(path) is None else None
