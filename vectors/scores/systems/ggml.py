# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ggml, the library of llama.cpp, as whisper.cpp's Python package ships it: its reference code in C."""

import ctypes
from importlib import metadata

import numpy as np
from scoring import arrays, versions

PACKAGES = ("pywhispercpp", "numpy")
TYPES = (
    "q4_0 q4_1 q5_0 q5_1 q8_0 q2_K q3_K q4_K q5_K q6_K q8_K iq1_s iq1_m iq2_xxs iq2_xs iq2_s"
    " iq3_xxs iq3_s iq4_nl iq4_xs tq1_0 tq2_0 mxfp4"
).split()


def files():
    return [f for f in metadata.files("pywhispercpp") if f.name.startswith("libggml-base.so")]


def version():
    # The longest name has ggml's version.
    name = max((f.name for f in files()), key=len)
    return f"ggml {name.partition('.so.')[2]}, {versions('pywhispercpp')}"


def library():
    loaded = ctypes.CDLL(str(files()[0].locate()))
    # It fills the table of halves.
    loaded.ggml_init.restype = ctypes.c_void_p
    loaded.ggml_init.argtypes = [Parameters]
    assert loaded.ggml_init(Parameters(1 << 16, None, False))
    return loaded


class Parameters(ctypes.Structure):
    _fields_ = [
        ("mem_size", ctypes.c_size_t),
        ("mem_buffer", ctypes.c_void_p),
        ("no_alloc", ctypes.c_bool),
    ]


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def operations():
    ggml = library()
    for kind in TYPES:

        def dequantize(case, kind=kind):
            words, result = np.ascontiguousarray(case.words.array), np.empty_like(case.result.array)
            function = getattr(ggml, f"dequantize_row_{kind}")
            function(pointer(words), pointer(result), ctypes.c_int64(result.size))
            return result

        name = f"ggml-{kind.lower()}"
        yield arrays(f"dequantize {name}", "unpack", dequantize, format=name)

    def mxfp4(case):
        x = np.ascontiguousarray(case.x.array)
        packed = np.empty((len(x), 17), np.uint8)
        ggml.quantize_row_mxfp4_ref(pointer(x), pointer(packed), ctypes.c_int64(x.size))
        low, high = packed[:, 1:] & 15, packed[:, 1:] >> 4
        return np.concatenate([low, high], axis=1), packed[:, 0]

    yield arrays("MX blocks of f4E2M1FN", "block_quantize", mxfp4, topic="mx", codes="f4E2M1FN")
