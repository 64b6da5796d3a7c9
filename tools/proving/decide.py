# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a goal can fail: by looking, by trying inputs, by Bitwuzla, by Z3.

A solver is asked in an order of rising cost. First, arithmetic that both sides share becomes a symbol:
the question is then more general, and easier. Next, values that the sides compute in different ways,
but that agree on the trials, are proven equal one by one, from the inputs up. Last, the question itself.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

from . import bits as bv
from . import floats as fl
from . import solvers
from .claims import Goal
from .rebuilding import again, cut_out
from .rings import Ring
from .tables import cases, tabulated
from .softfloat import BF16, F16, F32, F64
from .terms import Term, below, evaluate, evaluate_rows

PROVEN, REFUTED, UNDECIDED = "proven", "refuted", "undecided"

#: Of a goal. Solvers translate larger ones without looking at the clock.
_MOST_TERMS = 6000
#: Questions of full length that a claim may ask; as many more, only trials look at its other goals.
_QUESTIONS, _LATE_QUESTIONS = 4, 16
#: Inputs that are tried before a solver is asked, and where there is no time to ask one.
_TRIALS, _LATE_TRIALS = 40, 6
#: Values that are proven equal on the way, at most, and the time for each.
_STEPS, _STEP_SECONDS = 12, 5


@dataclass
class Verdict:
    status: str
    #: "terms", "alike", "trial" or a solver.
    by: str
    #: Of the symbols, where refuted.
    values: dict[Term, int] | None = None
    reason: str = ""


class Decider:
    """Remembers what it has proven: goals that differ in the names of symbols alone are one."""

    def __init__(self, seconds: float):
        self.seconds = seconds
        self.proven: set[tuple] = set()
        #: Goals that no solver decided.
        self.open: dict[tuple, Verdict] = {}
        self.end, self.last = 0.0, math.inf
        self.ring = Ring()
        #: Generalized goals that were asked, and whether they are proven.
        self.general: dict[tuple, bool] = {}

    def start(self) -> None:
        """A claim begins. When its time is over, solvers are not asked any more, and trials go on for a
        while."""
        self.end = time.process_time() + _QUESTIONS * self.seconds
        self.last = self.end + _LATE_QUESTIONS * self.seconds
        self.ring = Ring()

    def __call__(self, goal: Goal) -> Verdict:
        if goal.fails.value == 0:
            return Verdict(PROVEN, "terms")
        if time.process_time() > self.last:
            return Verdict(UNDECIDED, "", reason="no time left for this claim")
        key = shape(goal.fails)
        if key in self.proven:
            return Verdict(PROVEN, "alike")
        if key in self.open:
            return self.open[key]
        if self._is_never(goal.fails):
            self.proven.add(key)
            return Verdict(PROVEN, "terms")
        verdict = self._decide(goal, key)
        if verdict.status == PROVEN:
            self.proven.add(key)
        if verdict.status == UNDECIDED:
            self.open[key] = verdict
        return verdict

    def _decide(self, goal: Goal, key: tuple) -> Verdict:
        names = symbols_of(goal)
        is_late = time.process_time() > self.end
        trials = [_some_values(names, seed) for seed in range(_LATE_TRIALS if is_late else _TRIALS)]
        for values, fails in zip(trials, evaluate_rows([goal.fails], trials)[goal.fails]):
            if fails:
                return Verdict(REFUTED, "trial", values)
        fails = tabulated(self.ring.normalized(goal.fails, again))
        if self._is_never(fails) or self._is_never_by_cases(fails):
            return Verdict(PROVEN, "terms")
        if is_late:
            return Verdict(UNDECIDED, "", reason="no time left for this claim")
        if len(key) > _MOST_TERMS:
            return Verdict(UNDECIDED, "", reason=f"more than {_MOST_TERMS} terms")
        goal = self._merged(goal, trials)
        return self._generalized(goal, self.seconds) or self._exact(goal, names)

    def _is_never(self, fails: Term) -> bool:
        return self.ring.normalized(fails, again).value == 0

    def _is_never_by_cases(self, fails: Term) -> bool:
        found = list(cases(fails))
        return bool(found) and all(map(self._is_never, found))

    def _generalized(self, goal: Goal, seconds: float) -> Verdict | None:
        """Proven for any value of what both sides compute alike, or nothing."""
        for general in _generalizations(goal):
            if general.value == 0:
                return Verdict(PROVEN, "terms")
            key = shape(general)
            if key not in self.general:
                answer = solvers.ask_bitwuzla(general, [], seconds)
                self.general[key] = answer.holds is False
            if self.general[key]:
                return Verdict(PROVEN, "bitwuzla")
        return None

    def _merged(self, goal: Goal, trials: list[dict[Term, int]]) -> Goal:
        """The goal with values of the second side replaced by equal ones of the first."""
        first, second = goal.sides
        ours = set(below([first]))
        if not any(term.op in _ARITHMETIC and term not in ours for term in below([second])):
            return goal
        samples = evaluate_rows([first, second], trials)
        known: dict[tuple, list[Term]] = {}
        found: dict[Term, Term] = {term: term for term in ours}
        for term in ours:
            if _is_step(term):
                known.setdefault(_seen(term, samples), []).append(term)
        steps = 0
        for term in below([second]):
            if term in found:
                continue
            found[term] = again(term, tuple(found[arg] for arg in term.args))
            is_late = steps == _STEPS or time.process_time() > self.end
            if is_late or not _is_step(term) or found[term] in ours:
                continue
            for candidate in known.get(_seen(term, samples), ())[:2]:
                steps += 1
                differs = bv.not_(_same(candidate, found[term]))
                step = Goal("", differs, (candidate, found[term]))
                seconds = min(self.seconds, _STEP_SECONDS)
                if differs.value == 0 or self._generalized(step, seconds):
                    found[term] = candidate
                    break
        for term in below([goal.fails]):
            if term not in found:
                found[term] = again(term, tuple(found[arg] for arg in term.args))
        return Goal(goal.what, found[goal.fails], (first, found[second]))

    def _exact(self, goal: Goal, names: list[Term]) -> Verdict:
        if goal.fails.value == 0:
            return Verdict(PROVEN, "terms")
        reasons = []
        for ask in solvers.SOLVERS.values():
            answer = ask(goal.fails, names, self.seconds)
            if answer.holds is False:
                return Verdict(PROVEN, answer.solver)
            if answer.holds:
                values = {name: answer.values.get(name, 0) for name in names}
                if evaluate([goal.fails], values)[0]:
                    return Verdict(REFUTED, answer.solver, values)
                reasons.append(
                    f"{answer.solver}: only for some bits of a NaN, or for an unknown function"
                )
            else:
                reasons.append(f"{answer.solver}: {answer.reason}")
        return Verdict(UNDECIDED, "", reason="; ".join(reasons))


def symbols_of(goal: Goal) -> list[Term]:
    return [term for term in below([goal.fails, *goal.sides]) if term.op == "symbol"]


# --- goals alike -------------------------------------------------------------------------


def shape(root: Term) -> tuple:
    """The term with its symbols numbered in the order in which they come."""
    numbers: dict[Term, int] = {}
    names: dict[str, int] = {}
    lines = []
    for i, term in enumerate(below([root])):
        numbers[term] = i
        data = term.data
        if term.op == "symbol":
            data = (names.setdefault(data[0], len(names)),)
        lines.append((term.op, data, term.sort, *(numbers[arg] for arg in term.args)))
    return tuple(lines)


# --- trials ------------------------------------------------------------------------------


def _some_values(names: list[Term], seed: int) -> dict[Term, int]:
    """In each third trial all floats are near one, as a sum of any is a NaN; in each sixth, all
    integers are small, too, as amounts of shifts are.
    """
    rng = random.Random(seed)
    most = 0.4 if seed % 3 == 2 else 1
    return {name: _some_bits(rng, name.sort, most, seed % 6 == 5) for name in names}


def _some_bits(rng: random.Random, width: int, most: float, is_small: bool) -> int:
    """Any bits; often the ends of integers and floats of the width, or a float near one."""
    formats = {16: (F16, BF16), 32: (F32,), 64: (F64,)}.get(width)
    kind = rng.random() * most
    if formats and kind < 0.6:
        f = rng.choice(formats)
        one, unit = f.bias << (f.significand - 1), 1 << (f.significand - 1)
        rest = rng.choice([0, 1, unit >> 1, unit >> 2, rng.randrange(unit)])
        near = one + rng.randrange(-3, 9) * unit + rest
        ends = rng.choice([0, 1, unit, f.infinity - 1, f.infinity, f.nan])
        return (near if kind < 0.4 else ends) | rng.getrandbits(1) << (f.width - 1)
    if kind < 0.75:
        ends = [] if is_small else [-1, -2, 1 << (width - 1), (1 << (width - 1)) - 1]
        return rng.choice([0, 1, 2, *ends]) & (1 << width) - 1
    return rng.getrandbits(width)


def _seen(term: Term, samples: dict[Term, list[int]]) -> tuple:
    return (term.sort, *samples[term])


# --- generalization ----------------------------------------------------------------------

_ARITHMETIC = {
    "fadd",
    "fsub",
    "fmul",
    "fdiv",
    "fma",
    "fsqrt",
    "mul",
    "udiv",
    "urem",
    "sdiv",
    "srem",
    "apply",
}
_CONVERSIONS = {"from_signed", "from_unsigned", "fconvert"}


def _is_step(term: Term) -> bool:
    """A value that sides may compute in different ways."""
    return bool(term.args) and (not isinstance(term.sort, int) or term.op in _ARITHMETIC)


def _same(a: Term, b: Term) -> Term:
    return bv.eq(a, b) if isinstance(a.sort, int) else fl.same(a, b)


def _generalizations(goal: Goal) -> Iterator[Term]:
    """The goal with arithmetic that both sides share replaced by symbols: with conversions, without, not at all."""
    first, second = (set(below([side])) for side in goal.sides)
    shared = {term for term in first & second if term.args}
    done = None
    for ops in (_ARITHMETIC | _CONVERSIONS, _ARITHMETIC):
        cut = {term for term in shared if term.op in ops}
        if cut and cut != done:
            yield cut_out(goal.fails, cut)
        done = cut
    if not done:
        yield goal.fails
