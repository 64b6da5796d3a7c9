# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests reach: lines and branches of lib/, and texts of errors. tools/ecosystem/coverage runs it."""
