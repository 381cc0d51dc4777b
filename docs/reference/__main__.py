"""
`python -m docs.reference`: fill the generated parts of the pages anew.

A part stands between `<!-- begin WHAT -->` and `<!-- end -->`: `api`, `names`, `commands`,
`configs`, `averages NAME`, `languages NAME`, `published NAME` and `peers NAME` for the scores in
`results/NAME.tsv`, `style`, or `file PATH` for a file as it is. The rest of a page is written by
hand. The repository has only the place or a summary of what repeats the code: mkdocs fills it in
when it builds the site (`site.py`).
"""

import sys

from docs.reference.pages import PAGES, filled

for path in sorted(PAGES.rglob("*.md")):
    text = path.read_text(encoding="utf-8")
    new = filled(text)
    if new != text:
        path.write_text(new, encoding="utf-8")
        sys.stdout.write(f"{path.relative_to(PAGES.parent)} has changed\n")
