# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The grammar of all commands, and what becomes of their errors: one line each.

Options stand before or after inputs, `-` is standard input or output, `-inf` a number. An error
names the program, what is wrong, and the nearest word. tools/CommandLine.cpp is the twin in C++.
"""

from __future__ import annotations

import argparse
import difflib
import errno
import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NoReturn

import mlir_qdq

#: Words that argparse reads as values where no option has this name.
_NUMBER = re.compile(r"-(\d+\.?\d*(e[-+]?\d+)?|\.\d+(e[-+]?\d+)?|inf|nan|infinity)", re.IGNORECASE)
#: Which extra of the wheel brings a package.
_EXTRAS = {
    "onnx": "onnx", "tflite": "tflite", "flatbuffers": "tflite", "gguf": "gguf", "matplotlib": "report",
    "onnxruntime": "report",
}  # fmt: skip
#: Files that no command reads, by suffix, and who makes one that is read.
_EXPORTED = {
    **dict.fromkeys((".pt", ".pth", ".pt2", ".ckpt"), "a file of PyTorch: torch.onnx.export writes .onnx"),
    **dict.fromkeys((".h5", ".keras"), "a file of Keras: tf.lite.TFLiteConverter writes .tflite"),
    ".ort": "a file of ONNX Runtime alone: give the .onnx file that it is made of",
    **dict.fromkeys((".gz", ".xz", ".zip", ".zst"), "compressed: unpack it first"),
}  # fmt: skip


class CommandError(Exception):
    """An error for the user; the text is whole."""


def nearest(word: str, words: Iterable[str], before: str = "; ") -> str:
    """`; did you mean 'floor'?`, or nothing. Dashes and case do not count."""
    spelled = {known.lstrip("-").lower(): known for known in words}
    found = difflib.get_close_matches(word.lstrip("-").lower(), list(spelled), 1)
    return f"{before}did you mean '{spelled[found[0]]}'?" if found else ""


def one_of(words: Iterable[str]) -> Callable[[str], str]:
    """A type of arguments."""
    words = list(words)

    def check(text: str) -> str:
        if text not in words:
            said = f"'{text}' is none of {', '.join(words)}"
            raise argparse.ArgumentTypeError(said + nearest(text, words))
        return text

    return check


def at_least(least: int, most: int = 1 << 31) -> Callable[[str], int]:
    """A type of arguments."""

    def check(text: str) -> int:
        if not re.fullmatch(r"[-+]?\d+", text) or int(text) < least:
            raise argparse.ArgumentTypeError(f"'{text}': expected a whole number, {least} or more")
        if int(text) > most:
            raise argparse.ArgumentTypeError(f"'{text}': expected at most {most}")
        return int(text)

    return check


def folder_name(text: str) -> Path:
    """A type of arguments."""
    if not text:
        raise argparse.ArgumentTypeError("'' is no name of a file")
    return Path(text)


def file_name(text: str) -> Path:
    """A type of arguments. `-` is standard input or output."""
    if text.endswith("/"):  # Path would forget it
        raise argparse.ArgumentTypeError(f"'{text}' is the name of a directory")
    return folder_name(text)


class Parser(argparse.ArgumentParser):
    """Usage errors are of one line, and end as all others do."""

    def __init__(self, prog: str, description: str, examples: str):
        super().__init__(
            prog=prog,
            description=description,
            epilog=examples,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self._negative_number_matcher = re.compile(_NUMBER.pattern + "$", re.IGNORECASE)
        version = f"mlir-qdq version {mlir_qdq.__version__}"
        self.add_argument("--version", action="version", version=version)

    def parse(self, arguments: list[str] | None) -> argparse.Namespace:
        arguments = sys.argv[1:] if arguments is None else arguments
        return self.parse_intermixed_args(self._checked(arguments))

    def _print_message(self, message, file=None):
        """argparse would not say that nobody reads it."""
        (file or sys.stderr).write(message)

    def error(self, message: str) -> NoReturn:
        missing = message.removeprefix("the following arguments are required: ")
        if missing != message:
            raise CommandError(f"{missing.partition(',')[0]} is missing: see {self.prog} --help")
        extra = message.removeprefix("unrecognized arguments: ")
        if extra != message:
            raise CommandError(f"one input at most: '{extra}' is another")
        raise CommandError(message.removeprefix("argument "))

    def _checked(self, arguments: list[str]) -> list[str]:
        """Refuses what argparse would not, or in other words; flags of the pipeline with their value."""
        result, seen, rest = [], set(), iter(arguments)
        for word in rest:
            result.append(word)
            if word == "--":  # argparse reads -o behind it as the option
                return [*result, *(f"./{w}" if w[:1] == "-" and w != "-" and not _NUMBER.fullmatch(w) else w for w in rest)]  # fmt: skip
            if len(word) < 2 or word[0] != "-" or _NUMBER.fullmatch(word):
                self._check_quotes(word, result)
                continue
            name, equals, _ = word.partition("=")
            if name[1] != "-" and name[:2] in self._option_string_actions:
                name, equals = name[:2], equals or word[2:]
            action = self._option_string_actions.get(name)
            if action is None:
                hint = nearest(name, self._option_string_actions, ": ") or ": see --help"
                raise CommandError(f"unknown option '{word}'{hint}")
            if action in seen and not isinstance(action, argparse._AppendAction):
                raise CommandError(f"{name} is given twice")
            seen.add(action)
            if action.nargs == 0:
                if equals:
                    raise CommandError(f"{name} takes no value")
                continue
            if equals:
                continue
            if action.const is not None:  # a flag of the pipeline
                result[-1] = f"{name}={action.const}"
                continue
            value = next(rest, None)
            if value is None or value.partition("=")[0] in self._option_string_actions:
                raise CommandError(f"{name} needs a value")
            # Joined, or argparse takes a value with a dash for an option.
            if name.startswith("--"):
                result[-1] = f"{name}={value}"
            elif value:
                result[-1] = f"{name}{value}"
            else:
                result.append(value)
        return result

    def _check_quotes(self, word: str, before: list[str]) -> None:
        """An input that looks like another of the options that stand before it."""
        for name, equals, value in (w.partition("=") for w in before[:-1] if "=" in w):
            action = self._option_string_actions.get(name)
            if action and action.metavar == "OPTIONS" and "=" in word and not os.path.exists(word):
                raise CommandError(
                    f"'{word}' is no file: options of {name} stand in quotes: {name}=\"{value} {word}\""
                )


# --- files ---------------------------------------------------------------------------


def check_exported(path: Path) -> None:
    """Refuses what a package keeps for itself, by its suffix."""
    if said := _EXPORTED.get(path.suffix.lower()):
        raise CommandError(f"{path}: is {said}")


def check_input(path: Path) -> None:
    """A word before minutes of work. A pipe is not opened, as its writer would see it closed."""
    if str(path) == "-":
        return
    if not stat.S_ISFIFO(path.stat().st_mode):
        with open(path, "rb"):
            pass


def check_output(path: Path | None, suffixes: tuple[str, ...] = ()) -> None:
    """`-` and None are standard output, of any suffix; so is a device."""
    if path is None or str(path) == "-":
        return
    if path.is_dir():
        raise CommandError(f"{path}: is a directory, not a file to write")
    is_device = path.exists() and not path.is_file()
    if suffixes and path.suffix not in suffixes and not is_device:
        raise CommandError(f"{path}: expected the suffix {' or '.join(suffixes)}")
    if not path.parent.is_dir():
        raise CommandError(f"{path}: {path.parent} is no directory to write to")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise CommandError(f"{path}: Permission denied")


class _Closed(io.RawIOBase):
    """Python leaves None for a standard stream that the caller has closed."""

    def __init__(self, name: str):
        self._error = OSError(errno.EBADF, os.strerror(errno.EBADF), name)

    def readable(self):
        return True

    writable = readable

    def readinto(self, buffer):
        raise self._error

    def write(self, data):
        raise self._error


# --- errors --------------------------------------------------------------------------


def _mlir_errors() -> tuple[type[Exception], ...]:
    """None, where nobody has loaded MLIR."""
    ir = sys.modules.get("mlir.ir")
    return (ir.MLIRError,) if ir else ()


def _located(diagnostic) -> str:
    place = re.sub(r'^(?:loc\()?"([^"]*)":(\d+):(\d+)\)?', r"\1:\2:\3", str(diagnostic.location))
    # A value's name in a file, or a node's that says it: loc("name"("file":0:0)).
    if named := re.fullmatch(r'loc\("([^"]*)"\("([^"]*)":\d+:\d+\)\)', place):
        name, file = named.groups()
        is_said = file.endswith(f":{name}") or f"'{name}'" in file
        place = file if is_said else f"{file}: {name}"
    said = " ".join(diagnostic.message.split())
    return said if place.startswith(("unknown", "loc(unknown")) else f"{place}: {said}"


def _reasons(error: BaseException) -> list[str]:
    if isinstance(error, _mlir_errors()) and error.error_diagnostics:
        return [_located(diagnostic) for diagnostic in error.error_diagnostics]
    if hasattr(error, "location") and hasattr(error, "message"):  # runtime.NotLowered
        return [_located(error)]
    if isinstance(error, ModuleNotFoundError) and error.name:
        package = error.name.partition(".")[0]
        wanted = f"mlir-qdq[{_EXTRAS[package]}]" if package in _EXTRAS else package
        return [f"needs the package '{package}': pip install '{wanted}'"]
    if isinstance(error, KeyError):
        return [str(error.args[0])]
    if isinstance(error, MemoryError):
        return [" ".join(str(error).split()) or "out of memory"]
    if isinstance(error, OSError) and error.errno == errno.ENOSPC and not error.filename:
        return [f"standard output: {error.strerror}"]
    if isinstance(error, OSError) and error.strerror:
        return [f"{error.filename}: {error.strerror}" if error.filename else error.strerror]
    return [" ".join(str(error).split()) or type(error).__name__]


def _drop_output() -> None:
    """Of what nobody takes, or Python tries again at its end, and says so."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run(prog: str, work: Callable[[], None], clear: Callable[[], None] = lambda: None) -> int:
    """The exit code of `work`, whose errors go to standard error, named after the command.

    clear: what takes away a line of progress, before anything is said.
    """
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(_Closed("standard input"))
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(_Closed("standard output"), write_through=True)
    try:
        try:
            work()
        except SystemExit:  # --help and --version
            sys.stdout.flush()
            raise
        sys.stdout.flush()
    except BrokenPipeError:  # who reads has enough
        _drop_output()
        return 1
    except KeyboardInterrupt:
        clear()
        return 130
    except (
        CommandError, EOFError, ImportError, KeyError, MemoryError, NotImplementedError, OSError,
        OverflowError, RuntimeError, TypeError, ValueError, *_mlir_errors(),
    ) as error:  # fmt: skip
        clear()
        for reason in _reasons(error):
            print(f"{prog}: error: {reason}", file=sys.stderr)
        for note in getattr(error, "__notes__", []):
            if not note.startswith("to reproduce: "):  # the command line is there
                print(f"{prog}: note: {note}", file=sys.stderr)
        try:
            sys.stdout.flush()
        except OSError:
            _drop_output()
        return 1
    clear()
    return 0
