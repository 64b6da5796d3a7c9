# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The instructions that qdq-native-casts makes, as functions: each does what the manual of its machine says, by tables that NumPy and
ml_dtypes make, and by counting the middles between codes that a value exceeds."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np

FORMATS = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2, "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn, "f6E3M2FN": ml_dtypes.float6_e3m2fn, "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}  # fmt: skip
#: Of E4M3 and E5M2, as FPMR, `altfmt` and the names of x86 distinguish them.
EIGHT_BITS = {"hf8": "f8E4M3FN", "bf8": "f8E5M2"}


def bits_of(name: str) -> int:
    return ml_dtypes.finfo(FORMATS[name]).bits


def table(name: str, values: np.ndarray) -> str:
    """A constant array in memory."""
    element = {"uint8": "i8", "uint16": "i16", "float32": "f32"}[values.dtype.name]
    data = values.tobytes().hex().upper()
    return f'memref.global "private" constant @{name} : memref<{values.size}x{element}> = dense<"0x{data}">\n'


def decoder(name: str, real: str) -> str:
    """@decode_<format>: a byte to f16 or bf16. Every value is exact there."""
    codes = np.arange(2 ** bits_of(name), dtype=np.uint8).view(FORMATS[name])
    with np.errstate(all="ignore"):
        reals = codes.astype({"f16": np.float16, "bf16": ml_dtypes.bfloat16}[real])
    values = np.zeros(256, np.uint16)
    values[: codes.size] = reals.view(np.uint16)
    return (
        table(f"values_{name}", values)
        + f"""
      func.func private @decode_{name}(%code: i8) -> {real} {{
        %at = arith.index_castui %code : i8 to index
        %values = memref.get_global @values_{name} : memref<256xi16>
        %bits = memref.load %values[%at] : memref<256xi16>
        %real = arith.bitcast %bits : i16 to {real}
        return %real : {real}
      }}"""
    )


def encoder(name: str, saturate: bool) -> str:
    """@encode_<format>: f32 to a byte, to nearest even. The code of a magnitude is the number of middles between neighbours that
    it exceeds; one that it equals counts if the code above is even. Codes of magnitudes are in order."""
    width, info = bits_of(name), ml_dtypes.finfo(FORMATS[name])
    codes = np.arange(2 ** (width - 1), dtype=np.uint8).view(FORMATS[name]).astype(np.float64)
    finite = codes[np.isfinite(codes)]
    middles = (finite[1:] + finite[:-1]) / 2
    has_nan = np.isnan(codes).any()
    if not saturate:
        # Infinity, or NaN, is what comes after the largest value.
        middles = np.append(middles, 2 * finite[-1] - middles[-1])
    assert float(info.max) == finite[-1]
    nan = np.flatnonzero(np.isnan(codes))[0] if has_nan else finite.size - 1
    sign = 1 << (width - 1)
    return (
        table(f"middles_{name}_{int(saturate)}", middles.astype(np.float32))
        + f"""
      func.func private @encode_{name}_{int(saturate)}(%x: f32) -> i8 {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %size = arith.constant {middles.size} : index
        %none = arith.constant 0 : i32
        %zero = arith.constant 0 : i8
        %one = arith.constant 1 : i8
        %nan = arith.constant {nan} : i8
        %magnitude = math.absf %x : f32
        %middles = memref.get_global @middles_{name}_{int(saturate)} : memref<{middles.size}xf32>
        %count = scf.for %i = %c0 to %size step %c1 iter_args(%n = %zero) -> i8 {{
          %middle = memref.load %middles[%i] : memref<{middles.size}xf32>
          %above = arith.cmpf ogt, %magnitude, %middle : f32
          %equal = arith.cmpf oeq, %magnitude, %middle : f32
          %below = arith.index_cast %i : index to i8
          %low = arith.andi %below, %one : i8
          %odd = arith.cmpi eq, %low, %one : i8
          %tie = arith.andi %equal, %odd : i1
          %counts = arith.ori %above, %tie : i1
          %next = arith.addi %n, %one : i8
          %m = arith.select %counts, %next, %n : i8
          scf.yield %m : i8
        }}
        %bits = arith.bitcast %x : f32 to i32
        %negative = arith.cmpi slt, %bits, %none : i32
        %signBit = arith.constant {sign - 256 if sign > 127 else sign} : i8
        %sign = arith.select %negative, %signBit, %zero : i8
        %code = arith.ori %count, %sign : i8
        %isNaN = arith.cmpf uno, %x, %x : f32
        %result = arith.select %isNaN, %nan, %code : i8
        return %result : i8
      }}"""
    )


class Machine:
    """Replaces instructions in the text of a module by calls, and adds what they call."""

    def __init__(self):
        self.functions: dict[str, str] = {}
        self.globals: dict[str, str] = {}

    def run(self, text: str) -> str:
        body = text.strip()
        # Registers of 128 bits: `vscale` is 2.
        body = re.sub(r"vector<\[(\d+)\]x(\w+)>", lambda m: f"vector<{2 * int(m[1])}x{m[2]}>", body)
        body = re.sub(
            r"vector\.scalable\.insert (%\w+), %\w+\[0\] : (\S+) into \S+",
            r"vector.shape_cast \1 : \2 to \2", body,
        )  # fmt: skip
        body = re.sub(
            r"vector\.scalable\.extract (%\w+)\[0\] : (\S+) from \S+",
            r"vector.shape_cast \1 : \2 to \2", body,
        )  # fmt: skip
        body = re.sub(
            r'llvm\.call_intrinsic "(?P<name>[\w.]+)"\((?P<operands>[^)]*)\) : \((?P<types>[^)]*)\) -> (?P<result>\S+)',
            self.intrinsic, body,
        )  # fmt: skip
        body = re.sub(
            r"nvvm\.convert\.(?P<name>[\w.]+) (?P<operands>%\w+(, %\w+)?)(?P<attributes> \{[^}]*\})? : (?P<source>[^ (]+) ?\((?P<format>\w+)\)( -> (?P<result>\S+))?",
            self.nvvm, body,
        )  # fmt: skip
        assert "call_intrinsic" not in body and "nvvm" not in body, body
        end = body.rindex("}")
        added = "\n".join([*self.globals.values(), *self.functions.values()])
        return f"{body[:end]}\n{added}\n}}"

    def encoder(self, name: str, saturate: bool) -> str:
        self.globals.setdefault(f"encode_{name}_{saturate}", encoder(name, saturate))
        return f"encode_{name}_{int(saturate)}"

    def decoder(self, name: str, real: str) -> str:
        self.globals.setdefault(f"decode_{name}", decoder(name, real))
        return f"decode_{name}"

    def call(self, function: str, operands: str, types: str, result: str, body: str) -> str:
        """A call of a function whose body reads %0, %1 and so on, and returns %r."""
        parameters = ", ".join(f"%{i}: {type}" for i, type in enumerate(types.split(", ")))
        ends = "return" if result == "()" else f"return %r : {result}"
        self.functions[function] = (
            f"func.func private @{function}({parameters}) -> {result} {{\n{body}\n{ends}\n}}"
        )
        return f"func.call @{function}({operands}) : ({types}) -> {result}"

    @staticmethod
    def each_lane(scalar: str, lanes: list[str], sources: str, real: str, result: str) -> str:
        """`scalar`, which takes `sources` and gives `real`, applied to each of the named scalars."""
        lines = [
            f"%r{i} = func.call @{scalar}({lane}) : ({sources}) -> {real}"
            for i, lane in enumerate(lanes)
        ]
        names = ", ".join(f"%r{i}" for i in range(len(lanes)))
        return "\n".join([*lines, f"%r = vector.from_elements {names} : {result}"])

    @staticmethod
    def extract(vector: str, type: str, lanes: int, prefix: str) -> tuple[list[str], str]:
        element = re.fullmatch(r"vector<\d+x(\w+)>", type)[1]
        names = [f"%{prefix}{i}" for i in range(lanes)]
        lines = [
            f"{n} = vector.extract {vector}[{i}] : {element} from {type}"
            for i, n in enumerate(names)
        ]
        return names, "\n".join(lines)

    @staticmethod
    def widen(names: list[str]) -> tuple[list[str], str]:
        """From f16 to f32."""
        wide = [f"{name}w" for name in names]
        lines = [f"{w} = arith.extf {n} : f16 to f32" for w, n in zip(wide, names, strict=True)]
        return wide, "\n".join(lines)

    def intrinsic(self, match: re.Match) -> str:
        name, operands, types, result = match.group("name", "operands", "types", "result")
        function = name.replace(".", "_")
        vector = types.split(", ")[0]
        size = int(re.search(r"<(\d+)x", result)[1]) if "<" in result else 0
        if m := re.fullmatch(r"llvm\.x86\.avx10\.mask\.vcvtph2([hb]f8)(s?)(\d+)", name):
            lanes = int(m[3]) // 16
            scalar = self.encoder(EIGHT_BITS[m[1]], m[2] == "s")
            names, lines = self.extract("%0", vector, lanes, "x")
            names, wide = self.widen(names)
            # The rest of the register is zero.
            zeros = ["%zero"] * (size - lanes)
            body = self.each_lane(scalar, names, "f32", "i8", result)
            listed = ", ".join([f"%r{i}" for i in range(lanes)] + zeros)
            body = re.sub(r"from_elements [^:]+ :", f"from_elements {listed} :", body)
            return self.call(
                function, operands, types, result,
                f"%zero = arith.constant 0 : i8\n{lines}\n{wide}\n{body}",
            )  # fmt: skip
        if m := re.fullmatch(r"llvm\.x86\.avx10\.mask\.vcvthf82ph(\d+)", name):
            names, lines = self.extract("%0", vector, size, "x")
            scalar = self.decoder("f8E4M3FN", "f16")
            body = self.each_lane(scalar, names, "i8", "f16", result)
            return self.call(function, operands, types, result, f"{lines}\n{body}")
        if name == "llvm.aarch64.set.fpmr":
            self.globals["fpmr"] = 'memref.global "private" @fpmr : memref<1xi64> = dense<-1>'
            return self.call(function, operands, types, "()", """
              %c0 = arith.constant 0 : index
              %fpmr = memref.get_global @fpmr : memref<1xi64>
              memref.store %0, %fpmr[%c0] : memref<1xi64>""")  # fmt: skip
        if name == "llvm.aarch64.neon.fp8.fcvtn":
            low, lines = self.extract("%0", vector, 4, "x")
            high, more = self.extract("%1", vector, 4, "y")
            return self.call(
                function, operands, types, result,
                f"{lines}\n{more}\n" + self.each_lane(self.fpmr_encoder(), low + high, "f32", "i8", result),
            )  # fmt: skip
        if name == "llvm.aarch64.neon.fp8.cvtl1":
            names, lines = self.extract("%0", vector, 8, "x")
            body = self.each_lane(self.fpmr_decoder(), names, "i8", "f16", result)
            return self.call(function, operands, types, result, f"{lines}\n{body}")
        vector = types.split(", ")[1]
        if m := re.fullmatch(r"llvm\.riscv\.vfncvt\.sat\.f\.f\.q(\.alt)?", name):
            scalar = self.encoder("f8E5M2" if m[1] else "f8E4M3FN", True)
            names, lines = self.extract("%1", vector, size, "x")
            body = self.each_lane(scalar, names, "f32", "i8", result)
        elif m := re.fullmatch(r"llvm\.riscv\.vfwcvt\.f\.f\.v(\.alt)?", name):
            scalar = self.decoder("f8E5M2" if m[1] else "f8E4M3FN", "bf16")
            names, lines = self.extract("%1", vector, size, "x")
            body = self.each_lane(scalar, names, "i8", "bf16", result)
        else:
            raise AssertionError(f"unknown instruction {name}")
        return self.call(f"{function}_{size}", operands, types, result, f"{lines}\n{body}")

    #: The fields of FPMR that are not zero: F8S1, F8D, OSC. All others would be seen.
    READ_FPMR = """
      %c0 = arith.constant 0 : index
      %fpmr = memref.get_global @fpmr : memref<1xi64>
      %mode = memref.load %fpmr[%c0] : memref<1xi64>"""

    def fpmr_choice(self, modes: dict[int, str], source: str, real: str, function: str) -> str:
        """A function that does what the one of `modes` does that FPMR holds, and gives 0 for any other mode."""
        lines = []
        for i, (mode, scalar) in enumerate(modes.items()):
            zero = f"arith.constant 0{'.0' if real == 'f16' else ''} : {real}"
            lines.append(f"""
              %mode{i} = arith.constant {mode} : i64
              %is{i} = arith.cmpi eq, %mode, %mode{i} : i64
              %of{i} = func.call @{scalar}(%0) : ({source}) -> {real}
              %s{i} = arith.select %is{i}, %of{i}, {f"%s{i - 1}" if i else "%none"} : {real}""")  # fmt: skip
        self.functions[function] = f"""
          func.func private @{function}(%0: {source}) -> {real} {{
            {self.READ_FPMR}
            %none = {zero}
            {"".join(lines)}
            return %s{len(modes) - 1} : {real}
          }}"""
        return function

    def fpmr_encoder(self) -> str:
        modes = {
            e4m3 << 6 | saturate << 15: self.encoder("f8E4M3FN" if e4m3 else "f8E5M2", bool(saturate))
            for e4m3 in (0, 1) for saturate in (0, 1)
        }  # fmt: skip
        return self.fpmr_choice(modes, "f32", "i8", "fcvtn")

    def fpmr_decoder(self) -> str:
        modes = {e4m3: self.decoder("f8E4M3FN" if e4m3 else "f8E5M2", "f16") for e4m3 in (0, 1)}
        return self.fpmr_choice(modes, "i8", "f16", "f1cvtl")

    def nvvm(self, match: re.Match) -> str:
        name, operands, attributes, source, format, result = match.group(
            "name", "operands", "attributes", "source", "format", "result"
        )
        function = f"{name}_{format}".replace(".", "_")
        if name.startswith("f32x2"):
            # The first operand is the upper half of the result: its last element.
            scalar = self.encoder(format, True)
            assert bits_of(format) < 8 or "<rn>" in attributes and "<satfinite>" in attributes
            types, lanes = "f32, f32", ["%1", "%0"]
            lines = ""
        elif name.startswith("f16x2"):
            scalar = self.encoder(format, True)
            types, source = source, result.split("(")[0]
            names, lines = self.extract("%0", types, 2, "x")
            lanes, wide = self.widen(names)
            lines += "\n" + wide
        else:
            real = re.search(r"to\.(\w+)x2", name)[1]
            scalar = self.decoder(format, real)
            if bits_of(format) == 4:
                lines = """
                  %four = arith.constant 4 : i8
                  %mask = arith.constant 15 : i8
                  %x0 = arith.andi %0, %mask : i8
                  %x1 = arith.shrui %0, %four : i8"""
                names = ["%x0", "%x1"]
            else:
                names, lines = self.extract("%0", source, 2, "x")
            body = self.each_lane(scalar, names, "i8", real, result)
            return self.call(function, operands, source, result, f"{lines}\n{body}")
        if bits_of(format) == 4:
            body = f"""
              %low = func.call @{scalar}({lanes[0]}) : (f32) -> i8
              %high = func.call @{scalar}({lanes[1]}) : (f32) -> i8
              %four = arith.constant 4 : i8
              %shifted = arith.shli %high, %four : i8
              %r = arith.ori %low, %shifted : i8"""
        else:
            body = self.each_lane(scalar, lanes, "f32", "i8", source)
        return self.call(function, operands, types, source, f"{lines}\n{body}")
