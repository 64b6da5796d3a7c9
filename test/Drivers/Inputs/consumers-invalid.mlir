func.func @pack_within_containers(%part: tensor<64x7xi4>, %q: tensor<64x64xi4>) -> tensor<64x32xi8> {
  %y = tensor.insert_slice %part into %q[0, 16] [64, 7] [1, 1] : tensor<64x7xi4> into tensor<64x64xi4>
  %p = qdq.pack %y packing <bits = 4, axis = 1> : (tensor<64x64xi4>) -> tensor<64x32xi8>
  return %p : tensor<64x32xi8>
}
