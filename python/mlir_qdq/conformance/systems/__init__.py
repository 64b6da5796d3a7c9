# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Systems of others on the vectors, one a file: how a case is spelled there. Imported when asked for."""
