# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy statements of what ONNX products of codes sum up, in int64: numpy.matmul, and convolutions."""

from __future__ import annotations

import numpy as np


def codes(random, shape, dtype) -> np.ndarray:
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, shape, dtype, endpoint=True)


def less(values: np.ndarray, zero, axis=None) -> np.ndarray:
    """Without the zero point: none, one, one for each index of `axis`, or of the same rank."""
    wide = values.astype(np.int64)
    if zero is None:
        return wide
    zero = np.asarray(zero, np.int64)
    if zero.ndim == 1 and zero.size > 1:
        shape = [1] * values.ndim
        shape[axis] = zero.size
        zero = zero.reshape(shape)
    return wide - (zero if zero.size > 1 else zero.reshape(()))


def matmul(a, b, a_zero=None, b_zero=None) -> np.ndarray:
    return np.matmul(less(a, a_zero, axis=-2), less(b, b_zero, axis=-1))


def window_pads(sizes, kernel, strides, dilations, pads, auto_pad):
    """The padding before and behind each spatial dimension: the text of auto_pad."""
    rank = len(sizes)
    if auto_pad == "NOTSET":
        return list(zip(pads[:rank], pads[rank:]))
    if auto_pad == "VALID":
        return [(0, 0)] * rank
    result = []
    for size, length, stride, dilation in zip(sizes, kernel, strides, dilations):
        needed = max(0, (-(-size // stride) - 1) * stride + (length - 1) * dilation + 1 - size)
        low = (needed + (auto_pad == "SAME_LOWER")) // 2
        result.append((low, needed - low))
    return result


def convolve(x, w, x_zero=None, w_zero=None, bias=None, *, strides=None, dilations=None, pads=None, group=1, auto_pad="NOTSET"):  # fmt: skip
    x, w = less(x, x_zero), less(w, w_zero, axis=0)
    rank = x.ndim - 2
    strides, dilations, pads = (
        strides or [1] * rank,
        dilations or [1] * rank,
        pads or [0] * 2 * rank,
    )
    kernel = w.shape[2:]
    around = window_pads(x.shape[2:], kernel, strides, dilations, pads, auto_pad)
    x = np.pad(x, [(0, 0), (0, 0), *around])
    extents = [(length - 1) * dilation + 1 for length, dilation in zip(kernel, dilations)]
    axes = tuple(range(2, 2 + rank))
    windows = np.lib.stride_tricks.sliding_window_view(x, extents, axes)
    steps = (slice(None),) * 2
    windows = windows[
        (
            *steps,
            *(slice(None, None, s) for s in strides),
            *(slice(None, None, d) for d in dilations),
        )
    ]
    n, c, f = x.shape[0], x.shape[1] // group, w.shape[0] // group
    parts = []
    for g in range(group):
        view, filters = windows[:, g * c : (g + 1) * c], w[g * f : (g + 1) * f]
        inner = [1, *range(2 + rank, 2 + 2 * rank)]
        parts.append(np.tensordot(view, filters, (inner, [1, *range(2, 2 + rank)])))
    result = np.moveaxis(np.concatenate(parts, -1), -1, 1)
    assert result.shape[:2] == (n, w.shape[0])
    return result if bias is None else result + bias.astype(np.int64).reshape(-1, *[1] * rank)
