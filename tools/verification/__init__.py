# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds emitted code, the APFloat evaluator and the NumPy reference against each other, on all inputs.

The modules, in the order of reading: `cases` (what is compared), `statements` (the three),
`pointwise` and `intervals` (how), `run` (in parallel, resumable), `report`.
"""
