# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The libraries keep no variables that threads could share: only what is set once, under a guard."""

import re

from build_tree import BUILD, LLVM_TOOLS, run_tool

#: Addresses that stand for types, and constants of C++ and LLVM whose type is not const.
NEVER_WRITTEN = re.compile(
    r"mlir::detail::TypeIDResolver<.*::id$|resolveTypeID\(\)::id$|DW\.ref\.|llvm::VerifyDisableABI|"
    r"mlirGetDialectHandle__qdq__::hooks$|getAttributeNames\(\)::attrNames$|^(void )?std::|^typeinfo |^vtable |^VTT |CallbacksHolder<|^\."
)
GUARD = "guard variable for "


def test_no_variables_are_shared():
    libraries = sorted(BUILD.glob("lib/**/libQDQ*.a"))
    assert len(libraries) > 8
    symbols = run_tool(LLVM_TOOLS / "llvm-objdump", "--syms", "--demangle", *libraries).stdout
    in_data = r"(?m)^\w+ .{7} \.(?:data|bss)(?!\.rel\.ro)\S*\t\w+ (?:\.hidden )?(.+)$"
    variables = set(re.findall(in_data, symbols))
    guards = {name for name in variables if name.startswith(GUARD)}
    assert len(guards) > 20
    variables -= guards | {name.removeprefix(GUARD) for name in guards}
    assert {name for name in variables if not NEVER_WRITTEN.search(name)} == set()
