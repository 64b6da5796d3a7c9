# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How each system stores codes, in NumPy, from the system's description.

Each `unpack_*` takes containers and gives unsigned codes, as `uint8`; `pack` is not needed: what `qdq.pack` makes of
codes must be what `unpack_*` reads them from.
"""

import numpy as np

WIDTHS = {np.dtype(f"{kind}{size}"): 8 * size for kind in "iu" for size in (1, 2, 4, 8)}


def fields(containers: np.ndarray, bits: int) -> np.ndarray:
    """(..., fields of one container, lowest first)."""
    width = WIDTHS[containers.dtype]
    unsigned = containers.view(f"u{width // 8}")[..., None]
    return (unsigned >> np.arange(0, width, bits, dtype=unsigned.dtype) & ((1 << bits) - 1)).astype(
        np.uint8
    )


def unpack_pmx(packed: np.ndarray) -> np.ndarray:
    """int4x4: element 4 r + i of dimension 0 is nibble i of row r."""
    return np.moveaxis(fields(packed, 4), -1, 1).reshape(4 * packed.shape[0], *packed.shape[1:])


def unpack_gptq(packed: np.ndarray, bits: int) -> np.ndarray:
    """qweight [K * bits / 32, N]: a column of int32 is a stream of bits, lowest first, with the codes of K one after the other."""
    stream = np.unpackbits(np.ascontiguousarray(packed.T).view(np.uint8), axis=1, bitorder="little")
    codes = stream.reshape(packed.shape[1], -1, bits) @ (1 << np.arange(bits, dtype=np.uint8))
    return np.ascontiguousarray(codes.T.astype(np.uint8))


def unpack_gptq_zeros(packed: np.ndarray, bits: int, version: int) -> np.ndarray:
    """qzeros [groups, N * bits / 32], along N; version 1 stores z - 1, and masks after adding it back."""
    stored = unpack_gptq(np.ascontiguousarray(packed.T), bits).T
    return np.ascontiguousarray(stored + (version == 1) & ((1 << bits) - 1)).astype(np.uint8)


def unpack_awq_gemm(packed: np.ndarray) -> np.ndarray:
    """[K, N / 8]: nibbles 0, 1, ... of an int32 are columns 0, 2, 4, 6, 1, 3, 5, 7."""
    nibbles = fields(packed, 4)
    codes = np.empty_like(nibbles)
    codes[..., [0, 2, 4, 6, 1, 3, 5, 7]] = nibbles
    return codes.reshape(packed.shape[0], -1)


def unpack_awq_gemv(packed: np.ndarray) -> np.ndarray:
    """[N, K / 8]: nibbles in order."""
    return fields(packed, 4).reshape(packed.shape[0], -1)


def unpack_matmulnbits(packed: np.ndarray, bits: int) -> np.ndarray:
    """[N, blocks, bytes] to [N, blocks, elements]: lowest bits first."""
    return fields(packed, bits).reshape(*packed.shape[:-1], -1)


GGML_BLOCKS = {
    "q4_0": np.dtype([("d", "<f2"), ("qs", "u1", 16)]),
    "q4_1": np.dtype([("d", "<f2"), ("m", "<f2"), ("qs", "u1", 16)]),
    "q8_0": np.dtype([("d", "<f2"), ("qs", "i1", 32)]),
    "mxfp4": np.dtype([("e", "u1"), ("qs", "u1", 16)]),
}


def ggml_blocks(packed: np.ndarray, kind: str) -> np.ndarray:
    """Rows of bytes as rows of the C structs."""
    return packed.view(GGML_BLOCKS[kind])


def unpack_ggml_nibbles(qs: np.ndarray) -> np.ndarray:
    """The low nibbles of a block's 16 bytes are its first half, the high ones its second."""
    return np.concatenate([qs & 15, qs >> 4], axis=-1).reshape(qs.shape[0], -1)
