# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest: runs each test again with each living mutant that it reaches, in one process.

QDQ_MUTANTS names a file with a line of JSON for each event: a test and a mutant that are tried, and
the verdict. A try without a verdict stopped the process, and the next process goes on after it.
"""

from __future__ import annotations

import ctypes
import faulthandler
import functools
import json
import os
import sys
import tempfile
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

import mlir_qdq._mlir_libs._qdq as extension
from mlir_qdq.runtime import _cache

_LOG = Path(os.environ["QDQ_MUTANTS"])
_LIBRARY = ctypes.CDLL(extension.__file__)
#: Tests that a mutant survives before it is given up, and seconds that a test may take.
_TRIES, _SLOW = 10, 8.0
#: Seconds after which a mutant counts as killed.
_ENDLESS = 240


class Log:
    """The events so far."""

    def __init__(self):
        self.alive: set[int] = set()
        self.tries: dict[int, int] = {}
        self.seen: set[str] = set()
        tried = None
        for line in _LOG.read_text().splitlines():
            event = json.loads(line)
            if "alive" in event:
                self.alive = set(event["alive"])
            elif "seen" in event:
                self.seen.add(event["seen"])
            elif "verdict" in event:
                if event["verdict"] == "killed":
                    self.alive.discard(event["mutant"])
                tried = None
            else:
                tried = event
                self.tries[event["mutant"]] = self.tries.get(event["mutant"], 0) + 1
        if tried:
            self.write(mutant=tried["mutant"], test=tried["test"], verdict="killed")
            self.alive.discard(tried["mutant"])

    def write(self, **event) -> None:
        with _LOG.open("a") as file:
            file.write(json.dumps(event) + "\n")


_log = Log()


def _reached() -> set[int]:
    with tempfile.NamedTemporaryFile() as file:
        _LIBRARY.qdqWriteReached(os.fsencode(file.name))
        return {int(word) for word in Path(file.name).read_text().split()}


def _forget() -> None:
    """The code that this process has compiled, and that the tests keep."""
    _cache.engines.clear()
    for module in list(sys.modules.values()):
        if "/test/python/" in (getattr(module, "__file__", None) or ""):
            for value in vars(module).values():
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    if all(_log.tries.get(mutant, 0) >= _TRIES for mutant in _log.alive):
        item.session.shouldstop = "no mutant is left to try"
        return True
    if item.nodeid in _log.seen:
        return True
    _forget()
    _reached()
    reports = _run(item)
    reached = _reached() & _log.alive
    if all(r.passed for r in reports) and sum(r.duration for r in reports) < _SLOW:
        for mutant in sorted(reached):
            if _log.tries.get(mutant, 0) < _TRIES:
                _try(item, mutant)
    _forget()
    item.session._setupstate.teardown_exact(nextitem)
    _log.write(seen=item.nodeid)
    return True


class _Sibling:
    """An item that would be next: the item's own fixtures end, those of its module stay."""

    def __init__(self, item):
        self.chain = [*item.listchain()[:-1], self]

    def listchain(self) -> list:
        return self.chain


def _run(item) -> list:
    return runtestprotocol(item, nextitem=_Sibling(item), log=False)


def _try(item, mutant: int) -> None:
    _log.tries[mutant] = _log.tries.get(mutant, 0) + 1
    _log.write(mutant=mutant, test=item.nodeid)
    _forget()
    _LIBRARY.qdqChooseMutant(mutant)
    faulthandler.dump_traceback_later(_ENDLESS, exit=True)
    try:
        reports = _run(item)
    finally:
        _LIBRARY.qdqChooseMutant(-1)
        faulthandler.cancel_dump_traceback_later()
    killed = any(report.failed for report in reports)
    if killed:
        _log.alive.discard(mutant)
        _forget()
        if any(report.failed for report in _run(item)):
            pytest.exit(f"{item.nodeid} fails a second time without a mutant, too")
    _log.write(mutant=mutant, test=item.nodeid, verdict="killed" if killed else "survives")
