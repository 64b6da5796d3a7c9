# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps that mkdocs lacks: README.md as the first page, pages of the files that are linked to, the rows of
proofs.md on the page of each source, and GitHub's names of headings."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STYLE, SHIM = "assets/site.css", "assets/file-workers.js"
LANGUAGES = {
    ".py": "python",
    ".cpp": "cpp",
    ".h": "cpp",
    ".c": "c",
    ".mlir": "text",
    ".txt": "text",
}
_LINK = re.compile(r"(?<!\!)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def slug(text: str, separator: str) -> str:
    """As GitHub names headings, to which the documents link."""
    text = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return text.replace(" ", separator)


def _in_docs(markdown: str) -> str:
    """README.md, moved to docs/."""

    def move(match: re.Match) -> str:
        target, anchor = match[1], match[2] or ""
        if "://" not in target:
            target = posixpath.relpath(target, "docs")
        return f"]({target}{anchor})"

    return _LINK.sub(move, markdown)


def _outside(page: str, target: str) -> str | None:
    """The path in the repository of what a page links to, if that is not in docs/."""
    if "://" in target:
        return None
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), target))
    return None if path.startswith("docs/") else path


def _joined(path: str, target: str) -> str:
    """The path in the repository of what the file `path` links to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target))


def _neighbors(path: str) -> set[str]:
    """The files not in docs/ that a page outside of docs/ links to."""
    if not path.endswith(".md"):
        return set()
    targets = (target for target, _ in _LINK.findall((ROOT / path).read_text()))
    paths = {_joined(path, target) for target in targets if "://" not in target}
    return {path for path in paths if not path.startswith("docs/")}


def _page_of(path: str) -> str:
    """The page of the site that shows a file of the repository."""
    return path[len("docs/") :] if path.startswith("docs/") else f"source/{path}.md"


def _text_of(path: str) -> str:
    """A file as a page, or the names in a folder."""
    full = ROOT / path
    if full.is_dir():
        names = sorted(entry.name + "/" * entry.is_dir() for entry in full.iterdir())
        return f"# {path}\n\n" + "".join(f"- `{name}`\n" for name in names)
    text = full.read_text()
    if full.suffix == ".md":
        here = posixpath.dirname(_page_of(path))

        def lead(match: re.Match) -> str:
            if "://" in match[1]:
                return match[0]
            page = _page_of(_joined(path, match[1]))
            return f"]({posixpath.relpath(page, here)}{match[2] or ''})"

        return _LINK.sub(lead, text)
    # A fence longer than any inside.
    ticks = "`" * (3 + max((len(run) for run in re.findall("`{3,}", text)), default=0))
    return f"# {path}\n\n{ticks}{LANGUAGES.get(full.suffix, 'text')}\n{text}{ticks}\n"


_PROOFS = re.compile(r"<!-- proofs: (.*?) \(.*\) -->")


def _proofs(match: re.Match) -> str:
    """The rows of proofs.md of some systems, as a page in docs/sources has them."""
    page = (ROOT / "test" / "python" / "proofs.md").read_text()
    lines = [line for line in page.splitlines() if line.startswith("|")]
    wanted = match[1].split(", ")
    rows = [line for line in lines[2:] if line.split("|")[1].strip() in wanted]
    missing = set(wanted) - {line.split("|")[1].strip() for line in rows}
    if missing:
        raise PluginError(f"proofs.md has no row of {', '.join(sorted(missing))}")
    table = "\n".join([*lines[:2], *rows]).replace("](", "](../../test/python/")
    return f"## Proofs\n\n{table}\n"


def on_config(config):
    config.mdx_configs["toc"]["slugify"] = slug
    docs = Path(config.docs_dir)
    pages = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    if left := sorted(pages - set(_leaves(config.nav))):
        config.nav.append({"More": left})
    return config


def _leaves(nav) -> list[str]:
    """The pages that a navigation, or a part of it, names."""
    if isinstance(nav, str):
        return [nav]
    parts = nav.values() if isinstance(nav, dict) else nav
    return [leaf for part in parts for leaf in _leaves(part)]


def on_files(files, config):
    readme = _in_docs((ROOT / "README.md").read_text())
    files.append(File.generated(config, "index.md", content=readme))
    for name in (STYLE, SHIM):
        own = HERE / posixpath.basename(name)
        files.append(File.generated(config, name, content=own.read_text()))
    linked = set()
    for file in files.documentation_pages():
        for target, _ in _LINK.findall(file.content_string):
            path = _outside(file.src_uri, target)
            if path and (ROOT / path).exists():
                linked.add(path)
    for path in sorted(linked.union(*map(_neighbors, linked))):
        file = File.generated(config, _page_of(path), content=_text_of(path))
        # Reached by links, not by the navigation.
        file.inclusion = file.inclusion.__class__.NOT_IN_NAV
        files.append(file)
    return files


def on_page_markdown(markdown, page, config, files):
    here = posixpath.dirname(page.file.src_uri)
    if page.file.src_uri.startswith("source/"):
        return markdown

    markdown = _PROOFS.sub(_proofs, markdown)

    def lead(match: re.Match) -> str:
        path = _outside(page.file.src_uri, match[1])
        if not path or files.get_file_from_path(_page_of(path)) is None:
            return match[0]
        return f"]({posixpath.relpath(_page_of(path), here or '.')}{match[2] or ''})"

    return _LINK.sub(lead, markdown)


def _fetching_nothing(output: str, to_root: str) -> str:
    """With a shim of our own where the theme would fetch one."""
    ours = f'<script src="{to_root}/{SHIM}"></script>'
    return re.sub(r'<script src="https?://[^"]*"></script>', ours, output)


def on_post_page(output, page, config):
    to_root = posixpath.relpath(".", posixpath.dirname(page.url) or ".")
    return _fetching_nothing(output, to_root)


def on_post_template(output, template_name, config):
    return _fetching_nothing(output, ".") if template_name.endswith(".html") else output
