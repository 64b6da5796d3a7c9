# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole models of PyPI's wheels: quantized, lowered, compiled by others, compared, timed."""
