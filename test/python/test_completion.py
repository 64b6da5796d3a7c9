# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Completion of the commands in the shells that are here, as it is typed: keys, and what stands there then."""

import os
import pty
import re
import select
import shutil
import time

import pytest
from build_tree import ENVIRONMENT, SOURCE

#: How each is started, with nothing of the user's; what it reads first.
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "bind 'set enable-bracketed-paste off'"),
    "zsh": (
        ["zsh", "-f", "-i"],
        "autoload -Uz compinit; compinit -u -D; unset zle_bracketed_paste",
    ),
}


class Terminal:
    """An interactive shell."""

    def __init__(self, command: list[str]):
        self.process, self.file = pty.fork()
        if self.process == 0:
            environment = ENVIRONMENT | {"TERM": "dumb", "INPUTRC": "/dev/null", "PS1": "> "}
            os.execvpe(command[0], command, environment)

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


@pytest.fixture(scope="module", params=[shell for shell in SHELLS if shutil.which(shell)])
def terminal(request):
    command, settings = SHELLS[request.param]
    terminal = Terminal(command)
    script = SOURCE / "tools" / "completion" / f"quant.{request.param}"
    terminal.type(f"{settings}; source {script}; echo re''ady\n", "ready")
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
        ("quant-run f.mlir --roundi", "quant-run f.mlir --rounding="),
        ("quant-run f.mlir --rounding=towa", "quant-run f.mlir --rounding=toward-zero"),
        ("quant-compile --head", "quant-compile --header="),
        ("quant-compile --emit=bitc", "quant-compile --emit=bitcode"),
        ('quant-compile --pipeline-options="profile=ort rounding=fl', 'quant-compile --pipeline-options="profile=ort rounding=floor"'),
        ("quant-import --forma", "quant-import --format="),
        ("quant-import --lower-quant=profile=tfl", "quant-import --lower-quant=profile=tflite"),
        ("quant-report --poli", "quant-report --policy="),
        ("quant-lsp-server --log=verb", "quant-lsp-server --log=verbose"),
    ],
)  # fmt: skip
def test_completes(terminal, typed, whole):
    # bash shows what it adds, zsh moves back and writes the word again, quoted as it likes.
    rest = whole.removeprefix(typed).strip('"')
    line = typed if typed.startswith("quant-") else f"quant-opt {typed}"
    shown = terminal.type(f"{line}\t", re.escape(rest) + '"? ?$')
    terminal.type("\x15", "^")  # clears the line
    assert rest in shown.partition(typed)[2], shown


def test_lists_values(terminal):
    shown = terminal.type("quant-opt --lower-quant=overflow=\t\t", "wrap")
    terminal.type("\x15", "^")
    assert {"saturate", "wrap", "undefined"} <= set(shown.split())
