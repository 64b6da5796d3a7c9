// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One oneDNN Graph Quantize, Dequantize, DynamicQuantize or DynamicDequantize,
// per tensor: onednn.py compiles it and calls it as `onednn_graph <op> <s8|u8>
// <count> <scale> <zero point>`, input on stdin, result on stdout.

#include "oneapi/dnnl/dnnl_graph.hpp"
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace dnnl::graph;
using dt = logical_tensor::data_type;
using lt = logical_tensor::layout_type;

int main(int argc, char **argv) {
  std::string name = argv[1];
  bool isDynamic = name.rfind("Dynamic", 0) == 0;
  bool isQuantize = name == "Quantize" || name == "DynamicQuantize";
  dt storage = std::string(argv[2]) == "s8" ? dt::s8 : dt::u8;
  int64_t count = std::atoll(argv[3]);
  float scale = std::strtof(argv[4], nullptr);
  int32_t zeroPoint = std::atoi(argv[5]);

  logical_tensor in(0, isQuantize ? dt::f32 : storage,
                    std::vector<int64_t>{count}, lt::strided);
  logical_tensor out(1, isQuantize ? storage : dt::f32,
                     std::vector<int64_t>{count}, lt::strided);
  logical_tensor scales(2, dt::f32, std::vector<int64_t>{1}, lt::strided);
  logical_tensor zeroPoints(3, dt::s32, std::vector<int64_t>{1}, lt::strided);
  op::kind kind =
      isDynamic ? (isQuantize ? op::kind::DynamicQuantize
                              : op::kind::DynamicDequantize)
                : (isQuantize ? op::kind::Quantize : op::kind::Dequantize);
  std::vector<logical_tensor> inputs = {in};
  if (isDynamic)
    inputs = {in, scales, zeroPoints};
  op node(0, kind, inputs, {out}, name);
  node.set_attr<std::string>(op::attr::qtype, "per_tensor");
  if (!isDynamic) {
    node.set_attr<std::vector<float>>(op::attr::scales, {scale});
    node.set_attr<std::vector<int64_t>>(op::attr::zps, {zeroPoint});
  }

  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  graph g(dnnl::engine::kind::cpu);
  g.add_op(node);
  g.finalize();
  compiled_partition compiled =
      g.get_partitions().at(0).compile(inputs, {out}, engine);

  std::vector<char> x(count * (isQuantize ? 4 : 1));
  std::vector<char> y(count * (isQuantize ? 1 : 4));
  if (std::fread(x.data(), 1, x.size(), stdin) != x.size())
    return 1;
  std::vector<tensor> arguments = {tensor(in, engine, x.data())};
  if (isDynamic) {
    arguments.emplace_back(scales, engine, &scale);
    arguments.emplace_back(zeroPoints, engine, &zeroPoint);
  }
  compiled.execute(stream, arguments, {tensor(out, engine, y.data())});
  stream.wait();
  std::fwrite(y.data(), 1, y.size(), stdout);
}
