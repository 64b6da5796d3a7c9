# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Next steps of a program: functions of a builder, with their weights. Each returns None where it does not apply."""

from . import arithmetic, packing, products, quantization, shapes

ALL = [
    *arithmetic.STEPS,
    *packing.STEPS,
    *products.STEPS,
    *quantization.STEPS,
    *shapes.STEPS,
]
