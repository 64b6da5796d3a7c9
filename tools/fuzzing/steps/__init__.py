# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Next steps of a program: functions of a builder, with their weights. Each returns None where it does not apply."""

from . import arithmetic, contractions, generics, loops, packing, products, quantization, shapes

ROOMS = {
    "arithmetic": arithmetic.STEPS,
    "contractions": contractions.STEPS,
    "generics": generics.STEPS,
    "loops": loops.STEPS,
    "packing": packing.STEPS,
    "products": products.STEPS,
    "quantization": quantization.STEPS,
    "shapes": shapes.STEPS,
}
