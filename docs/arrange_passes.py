# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the pages of passes: each template, with a pass in place of the line `[[its-argument]]`.

    python arrange_passes.py passes.md TEMPLATE.md.in... DIRECTORY

`passes.md` is what mlir-tblgen writes of all passes. Each of them stands in one template, once.
`[[note]]` is its note that the page is generated.
"""

import re
import sys
from pathlib import Path


def main() -> None:
    generated, *templates, directory = map(Path, sys.argv[1:])
    note, *parts = re.split(r"(?m)^(?=### `)", generated.read_text())
    sections = {re.match(r"### `-([\w-]+)`", part)[1]: part.strip() for part in parts}
    named = []
    for template in templates:
        text = template.read_text().replace("[[note]]", note.strip())
        names = re.findall(r"(?m)^\[\[([\w-]+)\]\]$", text)
        if unknown := sorted(set(names) - set(sections)):
            sys.exit(f"{template}: no such pass: {', '.join(unknown)}")
        text = re.sub(r"(?m)^\[\[([\w-]+)\]\]$", lambda match: sections[match[1]], text)
        (directory / template.name.replace(".md.in", ".body.md")).write_text(text)
        named += names
    if wrong := sorted({n for n in [*sections, *named] if named.count(n) != 1}):
        sys.exit(f"{generated}: expected once in the templates: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
