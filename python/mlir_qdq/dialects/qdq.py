# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builders of the `qdq` ops, and the enumerations of `#qdq.semantics`.

A builder takes semantics as a mapping, too:

    qdq.quantize(i8, x, scale, semantics={"rounding": qdq.Rounding.Floor})
"""

from mlir.ir import Attribute, register_attribute_builder

from ._ods_common import _cext
from ._qdq_enum_gen import *  # noqa: F401,F403
from ._qdq_ops_gen import *  # noqa: F401,F403
from ._qdq_ops_gen import QuantizeOp as _QuantizeOp
from ._qdq_ops_gen import _Dialect


@register_attribute_builder("QDQ_SemanticsAttr")
def semantics(fields, context=None):
    """`#qdq.semantics` of a mapping from field names to enumeration members or their spelling."""
    text = ", ".join(f"{name} = {value!s}" for name, value in fields.items())
    return Attribute.parse(f"#qdq.semantics<{text}>", context=context)


@_cext.register_operation(_Dialect, replace=True)
class QuantizeOp(_QuantizeOp):
    """`qdq.quantize`. `offsets` and `whole_sizes` are the dynamic numbers of a position; most ops have none."""

    def __init__(self, result, input, scale, offsets=(), whole_sizes=(), **rest):
        super().__init__(result, input, scale, offsets, whole_sizes, **rest)


def quantize(result, input, scale, offsets=(), whole_sizes=(), **rest):
    """The result of `QuantizeOp`."""
    return QuantizeOp(result, input, scale, offsets, whole_sizes, **rest).result
