// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The qdq operations under upstream's `shard` dialect.

#ifndef QDQ_IR_SHARDING_H
#define QDQ_IR_SHARDING_H

namespace mlir {
class DialectRegistry;

namespace qdq {

/// Attaches `ShardingInterface` to all ops once the dialect is loaded. A
/// dimension of scales and zero points is split as the dimension of the values
/// that it follows, one of containers as that of their elements. A split that
/// would end within a block or a container is refused, and so is one that a
/// `choose_params` would have to combine. A part of a `quantize` that may draw
/// gets its position, by `shard.process_multi_index`.
void registerShardingModels(DialectRegistry &registry);

} // namespace qdq
} // namespace mlir

#endif // QDQ_IR_SHARDING_H
