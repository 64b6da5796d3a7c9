# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reach of tests: lines and branches of lib/, and texts of errors. tools/ecosystem/coverage runs it."""
