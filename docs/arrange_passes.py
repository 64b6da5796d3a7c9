# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the page of passes: the template, with a pass in place of the line `[[its-argument]]`.

    python arrange_passes.py passes.md Passes.md.in Passes.body.md

`passes.md` is what mlir-tblgen writes of all passes. Each stands in the template once, but for the
internal ones, `qdq-codegen-...`. `[[note]]` is its note that the page is generated.
"""

import re
import sys
from pathlib import Path


def main() -> None:
    generated, template, page = map(Path, sys.argv[1:])
    note, *parts = re.split(r"(?m)^(?=### `)", generated.read_text())
    sections = {re.match(r"### `-([\w-]+)`", part)[1]: part.strip() for part in parts}
    text = template.read_text().replace("[[note]]", note.strip())
    named = re.findall(r"(?m)^\[\[([\w-]+)\]\]$", text)
    public = [name for name in sections if not name.startswith("qdq-codegen-")]
    if wrong := sorted({n for n in [*public, *named] if [*public, *named].count(n) != 2}):
        sys.exit(f"{template}: expected the public passes, once each: {', '.join(wrong)}")
    page.write_text(re.sub(r"(?m)^\[\[([\w-]+)\]\]$", lambda match: sections[match[1]], text))


if __name__ == "__main__":
    main()
