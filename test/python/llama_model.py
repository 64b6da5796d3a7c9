# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeded GGUF files of Llama's shape, and one decode step of them in NumPy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, GGUFReader, GGUFWriter, quants
from gguf.constants import GGML_QUANT_SIZES

EPSILON, ROPE_BASE = np.float32(1e-5), 10000.0
#: llama-quantize's choice for rows that blocks of 256 do not divide.
RAGGED_ROWS = {"Q4_K": "Q5_0"}


@dataclass(frozen=True)
class Shape:
    """Of a model with tied embeddings. `context`: the tokens that the cache holds."""

    layers: int
    width: int
    heads: int
    kv_heads: int
    inner: int
    vocabulary: int
    context: int = 512

    @property
    def head(self) -> int:
        return self.width // self.heads

    def weights(self) -> dict[str, tuple[int, int]]:
        """The quantized matrices of a layer: rows and columns."""
        keys = self.kv_heads * self.head
        return {
            "attn_q": (self.width, self.width),
            "attn_k": (keys, self.width),
            "attn_v": (keys, self.width),
            "attn_output": (self.width, self.width),
            "ffn_gate": (self.inner, self.width),
            "ffn_up": (self.inner, self.width),
            "ffn_down": (self.width, self.inner),
        }


SHAPES = {
    "tiny": Shape(2, 256, 4, 2, 512, 320, context=16),
    # Q5_0 beside Q4_K.
    "ragged": Shape(1, 96, 3, 1, 512, 320, context=16),
    "135M": Shape(30, 576, 9, 3, 1536, 49152),
    "1B": Shape(16, 2048, 32, 8, 8192, 128256),
}


def type_for(name: str, columns: int) -> GGMLQuantizationType:
    elements, _ = GGML_QUANT_SIZES[GGMLQuantizationType[name]]
    return GGMLQuantizationType[name if columns % elements == 0 else RAGGED_ROWS[name]]


def random_bytes(random, shape: tuple[int, int], type: GGMLQuantizationType) -> np.ndarray:
    """Rows of blocks: quantized where `gguf` can, else random codes with scales that keep the reals small."""
    deviation = shape[1] ** -0.5
    try:
        reals = random.standard_normal(shape, np.float32) * np.float32(deviation)
        return quants.quantize(reals, type)
    except NotImplementedError:
        pass
    elements, size = GGML_QUANT_SIZES[type]
    blocks = random.integers(0, 256, (shape[0], shape[1] // elements, size), np.uint8)
    if type == GGMLQuantizationType.Q4_K:
        # Reals are d * scale * code - dmin * minimum, of 6 bits, 4 bits and 6 bits.
        d = random.uniform(0.5, 1, blocks.shape[:2]) * deviation / 32 / 8
        halves = np.stack([d, 7.5 * d], -1).astype(np.float16)
        blocks[..., :4] = halves.view(np.uint8)
    elif type == GGMLQuantizationType.NVFP4:
        # Four scales of unsigned E4M3, from 2^-6 on: gguf halves the codes' values.
        largest = int(np.clip(round((math.log2(deviation / 4) + 7) * 8), 8, 100))
        blocks[..., :4] = random.integers(max(largest - 8, 1), largest, blocks[..., :4].shape)
    else:
        raise ValueError(f"no random bytes for {type.name}")
    return blocks.reshape(shape[0], -1)


def write(path: Path, shape: Shape, type: str, seed: int = 0) -> None:
    """A file that llama.cpp loads. It has no tokens."""
    random = np.random.default_rng(seed)
    file = GGUFWriter(path, "llama")
    file.add_block_count(shape.layers)
    file.add_context_length(shape.context)
    file.add_embedding_length(shape.width)
    file.add_feed_forward_length(shape.inner)
    file.add_head_count(shape.heads)
    file.add_head_count_kv(shape.kv_heads)
    file.add_layer_norm_rms_eps(float(EPSILON))
    file.add_rope_dimension_count(shape.head)
    file.add_rope_freq_base(ROPE_BASE)
    file.add_vocab_size(shape.vocabulary)
    file.add_tokenizer_model("none")

    def matrix(name: str, sizes: tuple[int, int]) -> None:
        kind = type_for(type, sizes[1])
        file.add_tensor(f"{name}.weight", random_bytes(random, sizes, kind), raw_dtype=kind)

    def norm(name: str) -> None:
        values = random.uniform(0.5, 1.5, shape.width).astype(np.float32)
        file.add_tensor(f"{name}.weight", values)

    matrix("token_embd", (shape.vocabulary, shape.width))
    for layer in range(shape.layers):
        norm(f"blk.{layer}.attn_norm")
        norm(f"blk.{layer}.ffn_norm")
        for name, sizes in shape.weights().items():
            matrix(f"blk.{layer}.{name}", sizes)
    norm("output_norm")
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


def rope_tables(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Cosines and sines of each position and pair."""
    steps = ROPE_BASE ** -(np.arange(0, shape.head, 2) / shape.head)
    angles = np.arange(shape.context)[:, None] * steps
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


class Reference:
    """Decodes token after token.

    real: `np.float64`; or `np.float32` with each sum from the first term to the last, which the
    compiled program has to equal in every bit. `cache`: "f16", or "i8" with a scale for each token
    and head.
    """

    def __init__(self, path: Path, shape: Shape, cache: str, real=np.float64):
        self.shape, self.cache, self.real = shape, cache, real
        self.tensors = {tensor.name: tensor for tensor in GGUFReader(path).tensors}
        self.cosines, self.sines = (table.astype(real) for table in rope_tables(shape))
        self.keys = [[] for _ in range(shape.layers)]
        self.values = [[] for _ in range(shape.layers)]

    def weight(self, name: str, rows=slice(None)) -> np.ndarray:
        tensor = self.tensors[f"{name}.weight"]
        return quants.dequantize(tensor.data[rows], tensor.tensor_type).astype(self.real)

    def sum(self, terms: np.ndarray) -> np.ndarray:
        """Along the last dimension."""
        if self.real is np.float64:
            return terms.sum(-1)
        return np.add.accumulate(terms, axis=-1, dtype=np.float32)[..., -1]

    def product(self, name: str, x: np.ndarray) -> np.ndarray:
        weight = self.weight(name)
        return weight @ x if self.real is np.float64 else self.sum(weight * x)

    def exp(self, x: np.ndarray) -> np.ndarray:
        return np.exp(x.astype(np.float64)).astype(self.real)

    def norm(self, name: str, x: np.ndarray) -> np.ndarray:
        mean = self.sum(x * x) / self.real(self.shape.width)
        return x / np.sqrt(mean + self.real(EPSILON)) * self.weight(name)

    def turned(self, x: np.ndarray, position: int) -> np.ndarray:
        even, odd = np.moveaxis(x.reshape(-1, self.shape.head // 2, 2), -1, 0)
        cosine, sine = self.cosines[position], self.sines[position]
        pairs = [even * cosine - odd * sine, even * sine + odd * cosine]
        return np.stack(pairs, -1).reshape(x.shape[0], -1)

    def stored(self, rows: np.ndarray) -> np.ndarray:
        """What the cache gives back."""
        if self.cache == "f16":
            return rows.astype(np.float16).astype(self.real)
        rows = rows.astype(np.float32)
        scale = np.abs(rows).max(-1, keepdims=True) / np.float32(127)
        codes = np.clip(np.rint(rows / scale), -128, 127)
        return codes.astype(self.real) * scale.astype(self.real)

    def attend(self, layer: int, x: np.ndarray, position: int) -> np.ndarray:
        name, shape = f"blk.{layer}", self.shape
        query, key, value = (
            self.product(f"{name}.attn_{part}", x).reshape(-1, shape.head) for part in "qkv"
        )
        query = self.turned(query, position) * self.real(shape.head**-0.5)
        self.keys[layer].append(self.stored(self.turned(key, position)))
        self.values[layer].append(self.stored(value))
        keys, values = (np.stack(rows, 1) for rows in (self.keys[layer], self.values[layer]))
        query = query.reshape(shape.kv_heads, -1, 1, shape.head)
        scores = self.sum(query * keys[:, None])
        powers = self.exp(scores - scores.max(-1, keepdims=True))
        mixed = self.sum(powers[:, :, None] * np.swapaxes(values, 1, 2)[:, None])
        return (mixed / self.sum(powers)[..., None]).reshape(-1)

    def step(self, token: int) -> np.ndarray:
        """The logits after one more token."""
        position = len(self.keys[0])
        x = self.weight("token_embd", slice(token, token + 1))[0]
        for layer in range(self.shape.layers):
            name = f"blk.{layer}"
            mixed = self.attend(layer, self.norm(f"{name}.attn_norm", x), position)
            x = x + self.product(f"{name}.attn_output", mixed)
            y = self.norm(f"{name}.ffn_norm", x)
            gate, up = (self.product(f"{name}.ffn_{part}", y) for part in ("gate", "up"))
            x = x + self.product(f"{name}.ffn_down", gate / (1 + self.exp(-gate)) * up)
        return self.product("token_embd", self.norm("output_norm", x))
