# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of kernels that kernels.py measures."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import ml_dtypes
import numpy as np
from onnx import TensorProto

from mlir_qdq import runtime
from peers import node_model

BITS = {"i8": 8, "ui8": 8, "i4": 4, "ui4": 4, "i3": 3, "i2": 2, "f32": 32, "f16": 16}
FLOATS = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}
ONNX_TYPES = {
    "f32": TensorProto.FLOAT, "f16": TensorProto.FLOAT16, "i8": TensorProto.INT8, "ui8": TensorProto.UINT8,
    "i4": TensorProto.INT4, "ui4": TensorProto.UINT4, "f8E4M3FN": TensorProto.FLOAT8E4M3FN, "f8E5M2": TensorProto.FLOAT8E5M2,
}  # fmt: skip


@dataclass
class Row:
    """A kernel: `text` with a function `f` of `arguments`; and what others need to do the same."""

    name: str
    text: str
    arguments: tuple
    #: A function of kernels.cpp, the arrays before the result, and the two sizes.
    c: tuple | None = None
    #: Makes a model, since its initializers may be large.
    onnx: Callable | None = None
    #: Arguments of OneDNN.reorder: types, shape, and keywords.
    onednn: tuple | None = None
    numpy: Callable | None = None


def tensor(*shape_and_type) -> str:
    return f"tensor<{'x'.join(map(str, shape_and_type))}>"


def bits_of(storage: str) -> int:
    return BITS.get(storage) or int(storage[1])


def nibbles(packed: np.ndarray) -> np.ndarray:
    """Unsigned codes of 4 bits, the first of a byte low."""
    return np.stack([packed & 15, packed >> 4], -1).reshape(-1)


def signed(codes: np.ndarray) -> np.ndarray:
    return (codes ^ 8).astype(np.int8) - np.int8(8)


class Kernels:
    """The rows for matrices of one size."""

    def __init__(self, rows: int, columns: int):
        self.rows, self.columns, self.size = rows, columns, rows * columns
        self.random = np.random.default_rng(0)
        self.reals = self.random.standard_normal((rows, columns), np.float32)
        self.bytes = self.random.integers(0, 256, self.size, np.uint8)

    def scales(self, *shape) -> np.ndarray:
        return self.random.uniform(0.01, 0.1, shape).astype(np.float32)

    def packed(self, bits: int) -> np.ndarray:
        return self.bytes[: self.size * bits // 8]

    def groups(self) -> dict[str, Iterator[Row]]:
        return {
            "8-bit integers": self.eight_bits(),
            "8-bit floats": self.float8(),
            "integers below a byte": self.blocks(),
            "floats below a byte": self.short_floats(),
            "formats of others": self.formats(),
        } | ({"ragged blocks": self.ragged()} if self.size <= 1 << 20 else {})

    def function(self, ins: dict[str, str], body: str, result: str) -> str:
        arguments = ", ".join(f"%{name}: {kind}" for name, kind in ins.items())
        return f"func.func @f({arguments}) -> {result} {{\n{body}\n  return %r : {result}\n}}"

    def one_op(self, op: str, source: str, target: str, scale, zero="", block="", axis=None):
        """quantize or dequantize `x`; codes below a byte are packed as ONNX's."""
        x, r = tensor(self.rows, self.columns, source), tensor(self.rows, self.columns, target)
        s = tensor(*scale.shape, "f32")
        ins = {"x": x, "s": s} | ({"z": tensor(*scale.shape, zero)} if zero else {})
        kinds = ", ".join(ins.values())
        what = "scale %s" + (" zero_point %z" if zero else "")
        what += (
            f" axis {axis}" if axis is not None else f" block_shape [1, {block}]" if block else ""
        )
        if target == "f32" or target == "f16" or bits_of(target) == 8:
            return self.function(ins, f"  %r = qdq.{op} %x {what} : ({kinds}) -> {r}", r)
        containers = tensor(self.size * bits_of(target) // 8, "ui8")
        body = f"  %q = qdq.{op} %x {what} : ({kinds}) -> {r}\n"
        body += f"  %r = qdq.pack %q packing <onnx> : ({r}) -> {containers}"
        return self.function(ins, body, containers)

    def eight_bits(self) -> Iterator[Row]:
        """A scale for the tensor, for rows, for columns."""
        x, shape = self.reals, (self.rows, self.columns)
        forms = [("per tensor", None, (), True), ("no zero point", None, (), False),
                 ("axis 0", 0, (self.rows,), True), ("axis 1", 1, (self.columns,), False)]  # fmt: skip
        for form, axis, dims, has_zero in forms:
            s = self.scales(*dims)
            reach = s[:, None] if axis == 0 else s
            flat, sizes = s.reshape(-1), (1, self.size) if axis is None else shape
            for storage in ("i8", "ui8") if axis == 0 else ("i8",):
                kind = np.uint8 if storage == "ui8" else np.int8
                codes = self.bytes.view(kind).reshape(shape)
                z = np.asarray(self.random.integers(0, 20, dims), kind) if has_zero else None
                zero = storage if has_zero else ""
                wide = None if z is None else np.asarray(z, np.int32)
                reach_z = np.float32(0 if z is None else z[:, None] if axis == 0 else z)
                bounds = np.iinfo(kind)
                constants = {"s": s, "z": np.zeros(dims, kind) if z is None else z}
                attribute = {} if axis is None else {"axis": axis}
                suffix = "_axis_1" if axis == 1 else ""
                c_zero = None if z is None else np.atleast_1d(z)
                # oneDNN's reorder has no zero points of rows.
                shared = {"scale": s, "zero_point": wide if axis is None else None, "axis": axis}
                yield Row(
                    f"f32 -> {storage}, {form}",
                    self.one_op("quantize", "f32", storage, s, zero, axis=axis), (x, s) + ((z,) if has_zero else ()),
                    c=(f"quantize_{storage.replace('ui', 'u')}{suffix}", [x, flat, c_zero], sizes),
                    onnx=lambda c=constants, t=storage, a=attribute: node_model("QuantizeLinear", x, c, ONNX_TYPES[t], **a),
                    onednn=(("f32", storage), shape, shared) if axis != 0 else None,
                    numpy=lambda s=reach, z=reach_z, b=bounds, k=kind: np.clip(np.rint(x / s) + z, b.min, b.max).astype(k),
                )  # fmt: skip
                if storage == "ui8":
                    continue
                yield Row(
                    f"{storage} -> f32, {form}",
                    self.one_op("dequantize", storage, "f32", s, zero, axis=axis), (codes, s) + ((z,) if has_zero else ()),
                    c=(f"dequantize_{storage}{suffix}", [codes, flat, c_zero], sizes),
                    onnx=lambda c=constants, q=codes, a=attribute: node_model("DequantizeLinear", q, c, TensorProto.FLOAT, **a),
                    onednn=((storage, "f32"), shape, shared) if axis != 0 else None,
                    numpy=lambda q=codes, s=reach, z=reach_z: (q.astype(np.float32) - z) * s,
                )  # fmt: skip

    def float8(self) -> Iterator[Row]:
        s, shape = self.scales(), (self.rows, self.columns)
        for storage in ("f8E4M3FN", "f8E5M2"):
            kind = FLOATS[storage]
            # NaN of all bits are one NaN, so codes are those of numbers.
            codes = (self.reals * 8).astype(kind)
            most = float(ml_dtypes.finfo(kind).max)
            zero = np.zeros((), kind)
            yield Row(
                f"{storage} -> f32",
                self.one_op("dequantize", storage, "f32", s), (codes, s),
                c=(f"dequantize_{storage}", [codes, s, None], shape),
                onnx=lambda q=codes: node_model("DequantizeLinear", q, {"s": s}, TensorProto.FLOAT),
                onednn=((storage, "f32"), shape, {"scale": s}),
                numpy=lambda q=codes: q.astype(np.float32) * s,
            )  # fmt: skip
            yield Row(
                f"f32 -> {storage}",
                self.one_op("quantize", "f32", storage, s), (self.reals, s),
                c=(f"quantize_{storage}", [self.reals, s, None], shape) if storage == "f8E4M3FN" else None,
                onnx=lambda t=storage, z=zero: node_model("QuantizeLinear", self.reals, {"s": s, "z": z}, ONNX_TYPES[t]),
                onednn=(("f32", storage), shape, {"scale": s}),
                numpy=lambda m=most, k=kind: np.clip(self.reals / s, -m, m).astype(k),
            )  # fmt: skip

    def blocks(self) -> Iterator[Row]:
        """A scale for each block of a row."""
        forms = [("i4", 32, "f32"), ("i4", 128, "f32"), ("i4", 16, "f32"), ("i4", 32, "f16"),
                 ("i2", 32, "f32"), ("i3", 32, "f32")]  # fmt: skip
        for storage, block, real in forms:
            s, x = self.scales(self.rows, self.columns // block), self.packed(bits_of(storage))
            reals = self.reals.astype(np.float16) if real == "f16" else self.reals
            count, four = self.size // block, (storage, real) == ("i4", "f32")
            name = f"{storage} -> {real}, block {block}"
            attributes = {"axis": 1, "block_size": block}

            def made(s=s, x=x, attributes=attributes):
                codes = signed(nibbles(x)).reshape(self.rows, self.columns)
                given = codes.astype(ml_dtypes.int4), {"s": s}, TensorProto.FLOAT
                return node_model("DequantizeLinear", *given, **attributes)

            def quantized(s=s, attributes=attributes):
                given = self.reals, {"s": s, "z": np.zeros(s.shape, ml_dtypes.int4)}
                return node_model("QuantizeLinear", *given, TensorProto.INT4, **attributes)

            yield Row(
                name, self.one_op("dequantize", storage, real, s, block=block), (x, s),
                c=("dequantize_i4", [x, s, None], (count, block)) if four else None,
                onnx=made if four and block == 32 else None,
                onednn=(("i4", real), (self.rows, self.columns), {"scale": s, "groups": (1, block)})
                if four and block == 32 else None,
                numpy=(lambda x=x, s=s, b=block: signed(nibbles(x)).astype(np.float32).reshape(-1, b) * s.reshape(-1, 1))
                if four and block == 32 else None,
            )  # fmt: skip
            yield Row(
                f"{real} -> {storage}, block {block}",
                self.one_op("quantize", real, storage, s, block=block), (reals, s),
                c=("quantize_i4", [reals, s, None], (count, block)) if four and block >= 32 else None,
                onnx=quantized if four and block == 32 else None,
            )  # fmt: skip
        s, x = self.scales(self.rows, self.columns // 32), self.packed(4)
        z = self.bytes[: s.size // 2]
        yield Row(
            "ui4 -> f32, block 32, zero points",
            self.one_op("dequantize", "ui4", "f32", s, "ui4", block=32), (x, s, z),
            c=("dequantize_i4", [x, s, z], (s.size, 32)),
        )  # fmt: skip
        if self.size <= 1 << 20:
            kind = tensor(*s.shape, "f32")
            text = self.one_op("dequantize", "i4", "f32", s, block=32).replace(f", %s: {kind}", "")
            value = f'  %s = arith.constant dense<"0x{s.tobytes().hex()}"> : {kind}\n'
            text = text.replace("{\n", "{\n" + value, 1)
            yield Row(
                "i4 -> f32, block 32, constant scales", text, (x,),
                c=("dequantize_i4", [x, s, None], (s.size, 32)),
            )  # fmt: skip

    def short_floats(self) -> Iterator[Row]:
        """Blocks as well; MXFP4 and NVFP4."""
        for storage, block in (("f4E2M1FN", 32), ("f4E2M1FN", 16), ("f6E3M2FN", 32), ("f6E2M3FN", 32)):  # fmt: skip
            s, x = self.scales(self.rows, self.columns // block), self.packed(bits_of(storage))
            yield Row(
                f"{storage} -> f32, block {block}",
                self.one_op("dequantize", storage, "f32", s, block=block), (x, s),
                c=("dequantize_f4", [x, s, None], (s.size, block)) if bits_of(storage) == 4 else None,
                onednn=((storage, "f32"), (self.rows, self.columns), {"scale": s, "groups": (1, block)})
                if storage in FLOATS and block == 32 else None,
            )  # fmt: skip
            yield Row(
                f"f32 -> {storage}, block {block}",
                self.one_op("quantize", "f32", storage, s, block=block), (self.reals, s),
            )  # fmt: skip
        codes, reals = (tensor(self.rows, self.columns, t) for t in ("f4E2M1FN", "f32"))
        x = self.packed(4)
        s = self.random.integers(100, 150, (self.rows, self.columns // 32), np.uint8)
        s = s.view(ml_dtypes.float8_e8m0fnu)
        kind = tensor(*s.shape, "f8E8M0FNU")
        op = f"  %r = qdq.dequantize %x scale %s block_shape [1, 32] : ({codes}, {kind}) -> {reals}"
        yield Row(
            "MXFP4 -> f32", self.function({"x": codes, "s": kind}, op, reals), (x, s),
            c=("dequantize_mxfp4", [x, s, None], (s.size, 32)),
        )  # fmt: skip
        s = self.random.uniform(1, 400, (self.rows, self.columns // 16)).astype(FLOATS["f8E4M3FN"])
        second = np.float32(0.0123)
        small, kind = tensor(*s.shape, "f8E4M3FN"), tensor(*s.shape, "f32")
        ops = f"""  %t = qdq.dequantize %s scale %second : ({small}, f32) -> {kind}
  %r = qdq.dequantize %x scale %t block_shape [1, 16] : ({codes}, {kind}) -> {reals}"""
        yield Row(
            "NVFP4 -> f32", self.function({"x": codes, "s": small, "second": "f32"}, ops, reals), (x, s, second),
            c=("dequantize_nvfp4", [x, s, np.asarray(second)], (s.size, 16)),
        )  # fmt: skip

    def formats(self) -> Iterator[Row]:
        """Containers of other systems."""
        rows, columns, reals = self.rows, self.columns, tensor(self.rows, self.columns, "f32")
        for kind, storage, size in (("q4_0", "i4", 18), ("q8_0", "i8", 34)):
            x = self.random.integers(0, 256, (rows * columns // 32, size), np.uint8)
            x[:, :2] = self.scales(len(x)).astype(np.float16)[:, None].view(np.uint8)
            x = x.reshape(rows, -1)
            containers, scale = tensor(*x.shape, "ui8"), tensor(rows, columns // 32, "f16")
            codes = tensor(rows, columns, storage)
            ops = f"""  %q = qdq.unpack %x packing <ggml-{kind}> : ({containers}) -> {codes}
  %s = qdq.unpack %x packing <ggml-{kind}, part = scale> : ({containers}) -> {scale}
  %r = qdq.dequantize %q scale %s block_shape [1, 32] : ({codes}, {scale}) -> {reals}"""
            yield Row(f"ggml {kind} -> f32", self.function({"x": containers}, ops, reals), (x,))
        s = self.scales(rows // 128, columns)
        scale, codes = tensor(*s.shape, "f32"), tensor(rows, columns, "ui4")
        for packing, shape in (("gptq-v2", (rows // 8, columns)), ("awq-gemm", (rows, columns // 8))):  # fmt: skip
            x = self.packed(4).view(np.int32).reshape(shape)
            containers = tensor(*shape, "i32")
            ops = f"""  %q = qdq.unpack %x packing <{packing}> : ({containers}) -> {codes}
  %r = qdq.dequantize %q scale %s block_shape [128, 1] : ({codes}, {scale}) -> {reals}"""
            text = self.function({"x": containers, "s": scale}, ops, reals)
            yield Row(f"{packing} -> f32, block 128", text, (x, s))

    def ragged(self) -> Iterator[Row]:
        """Blocks of 32 in rows that they do not fill, of even and odd lengths, beside whole ones; static and dynamic sizes."""
        for storage in ("i8", "i4", "f6E3M2FN"):
            for columns in (self.columns, self.columns - 24, self.columns - 23):
                s, bits = self.scales(self.rows, -(-columns // 32)), bits_of(storage)
                codes = self.bytes[: -(-self.rows * columns * bits // 8)]
                shape = (self.rows, columns)
                for sizes in (shape, ("?", "?")):
                    x, r, kind = (
                        tensor(*d, t)
                        for d, t in ((sizes, storage), (sizes, "f32"), (sizes if "?" in sizes else s.shape, "f32"))
                    )  # fmt: skip
                    given = codes.view(np.int8).reshape(shape) if bits == 8 else codes
                    if bits < 8 and "?" in sizes:
                        given = runtime.Packed(codes, shape)
                    name = f"{columns} columns{', dynamic' if '?' in sizes else ''}"
                    body = f"  %r = qdq.dequantize %x scale %s block_shape [1, 32] : ({x}, {kind}) -> {r}"
                    text = self.function({"x": x, "s": kind}, body, r)
                    yield Row(f"{storage} -> f32, {name}", text, (given, s))
                    back = tensor(*(("?",) if "?" in sizes else codes.shape), "ui8")
                    body = f"  %q = qdq.quantize %x scale %s block_shape [1, 32] : ({r}, {kind}) -> {x}\n"
                    body += (
                        f"  %r = qdq.pack %q packing <onnx> : ({x}) -> {back}" if bits < 8 else ""
                    )
                    text = self.function(
                        {"x": r, "s": kind},
                        body.replace("%q", "%r") if bits == 8 else body,
                        back if bits < 8 else x,
                    )
                    reals = np.ascontiguousarray(self.reals[:, :columns])
                    yield Row(f"f32 -> {storage}, {name}", text, (reals, s))
