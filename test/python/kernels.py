# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One qdq op in a function of its own, as text, and what the NumPy reference says that it computes."""

from __future__ import annotations

from dataclasses import dataclass, field

import ml_dtypes
import numpy as np

from mlir_qdq import reference, runtime
from mlir_qdq.reference.types import FLOAT_STORAGE, expressed_type, storage_type

ROUNDINGS = (
    "nearest-even", "nearest-away", "nearest-up", "nearest-down", "toward-zero", "floor", "ceil",
    "away-from-zero", "to-odd",
)  # fmt: skip
EXPRESSED = ("f16", "bf16", "f32", "f64")


def dtype_of(element: str) -> np.dtype:
    """Of any element type of a qdq op."""
    return expressed_type(element).dtype if element in EXPRESSED else storage_type(element).dtype


@dataclass(frozen=True)
class Kernel:
    """`value` is the type of x or of the result, the one that is not storage. `dynamic` leaves all sizes open."""

    operation: str
    storage: str
    value: str
    scale: str
    shape: tuple[int, ...]
    zero_point: str | None = None
    axis: int | None = None
    block_shape: tuple[int, ...] | None = None
    clamp: tuple[int, int] | None = None
    domain: str = "stored"
    semantics: dict = field(default_factory=dict)
    dynamic: bool = False

    @property
    def parameter_shape(self) -> tuple[int, ...]:
        if self.axis is not None:
            return (self.shape[self.axis],)
        if self.block_shape is not None:
            return tuple(-(-d // b) if b else 1 for d, b in zip(self.shape, self.block_shape))
        return ()

    def _type(self, element: str, shape: tuple[int, ...], is_scalar=False) -> str:
        if is_scalar:
            return element
        sizes = ("?" if self.dynamic else str(size) for size in shape)
        return f"tensor<{''.join(s + 'x' for s in sizes)}{element}>"

    def text(self, name: str) -> str:
        """A function (value, scale[, zero point]) -> result."""
        is_scalar = self.parameter_shape == ()
        source, target = self.value, self.storage
        if self.operation == "dequantize":
            source, target = target, source
        types = [self._type(source, self.shape)]
        types.append(self._type(self.scale, self.parameter_shape, is_scalar))
        words = f"qdq.{self.operation} %x scale %s"
        if self.zero_point:
            types.append(self._type(self.zero_point, self.parameter_shape, is_scalar))
            words += " zero_point %z" + " in <expressed>" * (self.domain == "expressed")
        if self.axis is not None:
            words += f" axis {self.axis}"
        if self.block_shape is not None:
            words += f" block_shape {list(self.block_shape)}"
        if self.clamp is not None:
            words += f" clamp {list(self.clamp)}"
        if self.semantics:
            fields = ", ".join(f"{key} = {value}" for key, value in self.semantics.items())
            words += f" semantics <{fields}>"
        result = self._type(target, self.shape)
        arguments = ", ".join(f"{v}: {t}" for v, t in zip(("%x", "%s", "%z"), types))
        return (
            f"func.func @{name}({arguments}) -> {result} {{\n"
            f"  %r = {words} : ({', '.join(types)}) -> {result}\n  return %r : {result}\n}}\n"
        )

    def expected(self, x, scale, zero_point=None):
        """The result of the reference, and a mask of where the semantics define it."""
        common = dict(
            axis=self.axis,
            block_shape=self.block_shape,
            semantics=self.semantics,
            zero_point_domain=self.domain,
        )
        if self.operation == "dequantize":
            result = reference.dequantize(
                x, scale, zero_point, storage=self.storage, expressed=self.value, **common
            )
            return result, np.ones(result.shape, bool)
        return reference.quantize(
            x,
            scale,
            zero_point,
            storage=self.storage,
            clamp=self.clamp,
            return_defined=True,
            **common,
        )

    def arguments(self, random: np.random.Generator):
        """Data for which much can go wrong: ties, bounds, specials, all bit patterns."""
        scale = random.uniform(0.02, 3.0, self.parameter_shape)
        scale = np.asarray(scale).astype(dtype_of(self.scale))
        zero_point = None
        if self.zero_point:
            zero_point = self._zero_point(random)
        if self.operation == "dequantize":
            return codes(self.storage, self.shape, random), scale, zero_point
        return self._reals(scale, random), scale, zero_point

    def _zero_point(self, random):
        dtype, shape = dtype_of(self.zero_point), self.parameter_shape
        if self.zero_point in EXPRESSED or self.zero_point in FLOAT_STORAGE:
            near = random.uniform(-9, 9, shape)
            return np.asarray(near).astype(dtype)
        ours, mine = storage_type(self.storage), storage_type(self.zero_point)
        lowest, highest = mine.lowest, mine.highest
        if hasattr(ours, "lowest") and self.operation == "quantize":
            lowest, highest = max(lowest, ours.lowest), min(highest, ours.highest)
        return random.integers(lowest, highest, shape, np.int64, endpoint=True).astype(dtype)

    def _reals(self, scale, random) -> np.ndarray:
        dtype, size = dtype_of(self.value), int(np.prod(self.shape))
        storage = storage_type(self.storage)
        highest = getattr(storage, "highest", None) or storage.max_finite
        if dtype.kind in "iu" or self.value not in EXPRESSED:
            return codes(self.value, self.shape, random)
        spread = float(np.max(scale.astype(np.float64), initial=1.0))
        parts = [
            random.integers(-40, 40, size) / 2 * spread,
            random.uniform(-1.2, 1.2, size) * highest * spread,
            random.uniform(-1.2, 1.2, size) * 8 * spread,
        ]
        with np.errstate(over="ignore"):
            parts = [part.astype(dtype) for part in parts]
        bits = random.integers(0, 256, size * dtype.itemsize, np.uint8).view(dtype)
        chosen = random.integers(0, 4, size)
        x = np.choose(chosen, [p.view(f"u{dtype.itemsize}") for p in (*parts, bits)]).view(dtype)
        special = specials(dtype)
        where = random.permutation(size)[: min(size, special.size)]
        x[where] = special[: where.size]
        return x.reshape(self.shape)


def specials(dtype) -> np.ndarray:
    info = ml_dtypes.finfo(dtype)
    values = [np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5]
    values += [info.max, info.min, info.tiny, info.smallest_subnormal, -info.smallest_subnormal]
    values += [s * 2.0**k for k in (7, 8, 15, 16, 31, 32, 33, 63) for s in (1, -1)]
    with np.errstate(over="ignore"):
        return np.array(values, np.float64).astype(dtype)


def codes(element: str, shape, random) -> np.ndarray:
    """Codes over the whole range of a storage type, its bounds among them."""
    storage, size = storage_type(element), int(np.prod(shape))
    if not hasattr(storage, "lowest"):
        bits = random.integers(0, 256, size * storage.dtype.itemsize, np.uint8)
        width = int(element[1:3].rstrip("E"))
        return (bits & ((1 << min(width, 8)) - 1)).view(storage.dtype).reshape(shape)
    q = random.integers(storage.lowest, storage.highest, size, np.int64, endpoint=True)
    named = np.array([storage.lowest, storage.highest, 0, 1])[:size]
    q[random.permutation(size)[: named.size]] = named
    return q.astype(storage.dtype).reshape(shape)


def same(got: np.ndarray, expected: np.ndarray, defined=True) -> np.ndarray:
    """Where the bits agree, or both are NaN, or nothing is defined."""
    assert got.dtype == expected.dtype and got.shape == expected.shape
    bits = f"u{got.dtype.itemsize}"
    agree = np.ascontiguousarray(got).view(bits) == np.ascontiguousarray(expected).view(bits)
    agree = agree.reshape(got.shape) | ~np.asarray(defined)
    if got.dtype.kind not in "iu" and not str(got.dtype).lstrip("u").startswith("int"):
        with np.errstate(all="ignore"):
            agree |= np.isnan(got.astype(np.float64)) & np.isnan(expected.astype(np.float64))
    return agree


def check(kernels: list[Kernel], seed: int = 0, **options) -> None:
    """Compiles all in one module, and holds each against the reference."""
    compiled = runtime.compile("".join(k.text(f"f{i}") for i, k in enumerate(kernels)), **options)
    random = np.random.default_rng(seed)
    for index, kernel in enumerate(kernels):
        arguments = [a for a in kernel.arguments(random) if a is not None]
        expected, defined = kernel.expected(*arguments)
        got = compiled[f"f{index}"](*arguments)
        agree = same(got, expected, defined)
        if not agree.all():
            at = tuple(np.argwhere(~agree)[0])
            raise AssertionError(
                f"{(~agree).sum()} of {agree.size} differ; first at {at}: x = {arguments[0][at]!r}, "
                f"got {got[at]!r}, expected {expected[at]!r}\n{kernel.text('f')}"
                f"scale {arguments[1]!r} zero point {arguments[2:]!r}"
            )
