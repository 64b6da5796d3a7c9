func.func @padded(%x: tensor<3x4xi8>) -> tensor<5x6xi8> {
  %zero = arith.constant 0 : i8
  %y = tensor.pad %x low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : i8
  } : tensor<3x4xi8> to tensor<5x6xi8>
  return %y : tensor<5x6xi8>
}
