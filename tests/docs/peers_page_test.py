"""The table of parsers beside each other."""

from docs.reference.peers import markdown


def test_treebanks_are_by_size_and_the_best_is_bold(tmp_path):
    path = tmp_path / "peers.tsv"
    head = "treebank\tsentences\tsystem\tCPU seconds\tUPOS\tUFeats\tLemmas\tUAS\tLAS\n"
    path.write_text(
        head
        + "tr_imst\t3435\tudpipe\t90\t90\t88\t87\t65\t56\n"
        + "ta_ttb\t400\tudpipe\t117\t82.3\t84\t86\t65\t54\n"
        + "ta_ttb\t400\tours\t110\t83\t85\t85\t66\t55\n"
        + "tr_imst\t3435\tours\t120\t93\t87\t87\t76\t68\n"
    )
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in markdown(path).splitlines()]
    heads = ["UFeats: udpipe", "ours", "Lemmas: udpipe", "ours", "LAS: udpipe", "ours"]
    assert rows[0] == ["treebank", "sentences", *heads]
    assert rows[2:] == [
        ["ta_ttb", "400", "84", "**85**", "**86**", "85", "54", "**55**"],
        ["tr_imst", "3,435", "**88**", "87", "**87**", "**87**", "56", "**68**"],
    ]
