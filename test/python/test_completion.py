# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Completion of quant-opt in bash, as it is typed: a terminal, the keys, and what stands there then."""

import os
import pty
import re
import select
import time

import pytest
from build_tree import ENVIRONMENT, SOURCE

SCRIPT = SOURCE / "tools" / "completion" / "quant-opt.bash"


class Terminal:
    """An interactive bash."""

    def __init__(self):
        self.process, self.file = pty.fork()
        if self.process == 0:
            environment = ENVIRONMENT | {"TERM": "dumb", "INPUTRC": "/dev/null", "PS1": "> "}
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], environment)

    def type(self, keys: str, until: str) -> str:
        """What is shown, up to a match of `until`; all of it after 20 seconds."""
        os.write(self.file, keys.encode())
        shown, end = "", time.monotonic() + 20
        while not re.search(until, shown) and time.monotonic() < end:
            if select.select([self.file], [], [], 0.1)[0]:
                shown += os.read(self.file, 65536).decode(errors="replace")
        return shown

    def close(self):
        os.close(self.file)
        os.waitpid(self.process, 0)


@pytest.fixture(scope="module")
def terminal():
    terminal = Terminal()
    terminal.type(
        f"bind 'set enable-bracketed-paste off'; source {SCRIPT}; echo re''ady\n", "ready"
    )
    yield terminal
    terminal.close()


@pytest.mark.parametrize(
    "typed, whole",
    [
        ("--convert-onnx-to-q", "--convert-onnx-to-qdq"),
        ("--lower-quant=overr", "--lower-quant=override-semantics="),
        ("--lower-quant=rounding=towa", "--lower-quant=rounding=toward-zero"),
        ("--lower-quant=target=v", "--lower-quant=target=vector"),
        ('--lower-quant="profile=ort rounding=fl', '--lower-quant="profile=ort rounding=floor"'),
        ('--lower-quant="profile=ort roun', '--lower-quant="profile=ort rounding='),
        ("--mlir-print-ir-after-c", "--mlir-print-ir-after-change"),
        (f"{SOURCE}/READ", f"{SOURCE}/README.md"),
    ],
)
def test_completes(terminal, typed, whole):
    shown = terminal.type(f"quant-opt {typed}\t", re.escape(whole))
    terminal.type("\x15", "^")  # clears the line
    assert f"quant-opt {whole}" in shown


def test_lists_values(terminal):
    shown = terminal.type("quant-opt --lower-quant=overflow=\t\t", "wrap")
    terminal.type("\x15", "^")
    assert {"saturate", "wrap", "undefined"} <= set(shown.split())
