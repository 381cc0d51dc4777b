"""The table of parsers beside each other."""

from docs.reference.peers import markdown


def test_treebanks_are_by_size_and_the_best_is_bold(tmp_path):
    path = tmp_path / "peers.tsv"
    head = "treebank\tsentences\tsystem\tCPU seconds\tUPOS\tUFeats\tLemmas\tUAS\tLAS\n"
    path.write_text(
        head
        + "tr_imst\t3435\tudpipe\t90\t90\t88\t87\t65\t56\n"
        + "ta_ttb\t400\tudpipe\t117\t82.3\t84\t86\t65\t54\n"
        + "tr_imst\t3435\tours\t120\t93\t87\t87\t76\t68\n"
    )
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in markdown(path).splitlines()]
    assert [row[:4] for row in rows[2:]] == [
        ["ta_ttb", "400", "udpipe", "1.9"],
        ["tr_imst", "3,435", "udpipe", "1.5"],
        ["", "", "ours", "2.0"],
    ]
    assert rows[3][4:] == ["90", "**88**", "**87**", "65", "56"]
    assert rows[4][4:] == ["**93**", "87", "**87**", "**76**", "**68**"]
