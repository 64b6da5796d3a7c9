// RUN: quant-opt %s --qdq-lint=details=true --split-input-file --verify-diagnostics

// 128 * 128 * 131071 is below 2^31, 128 * 128 * 131072 is not.
func.func @sums(%a: tensor<4x131071xi8>, %b: tensor<131071x8xi8>, %c: tensor<4x131072xi8>, %d: tensor<131072x8xi8>, %init: tensor<4x8xi32>) {
  %r = linalg.matmul ins(%a, %b : tensor<4x131071xi8>, tensor<131071x8xi8>) outs(%init : tensor<4x8xi32>) -> tensor<4x8xi32>
  // expected-remark @+1 {{sums of 131072 products of i8 and i8 codes may wrap: the accumulator has 32 bits}}
  %s = linalg.matmul ins(%c, %d : tensor<4x131072xi8>, tensor<131072x8xi8>) outs(%init : tensor<4x8xi32>) -> tensor<4x8xi32>
  return
}

// -----

func.func @dynamic(%a: tensor<4x?xi8>, %b: tensor<?x8xi8>, %init: tensor<4x8xi32>, %long: tensor<4x8xi64>) {
  // expected-remark @+1 {{sums of more than 131071 products of i8 and i8 codes may wrap: the accumulator has 32 bits}}
  %r = linalg.matmul ins(%a, %b : tensor<4x?xi8>, tensor<?x8xi8>) outs(%init : tensor<4x8xi32>) -> tensor<4x8xi32>
  %s = linalg.matmul ins(%a, %b : tensor<4x?xi8>, tensor<?x8xi8>) outs(%long : tensor<4x8xi64>) -> tensor<4x8xi64>
  return
}

// -----

// A constant is as large as it is.
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
func.func @mixed(%a: tensor<4x64xi8>, %b: tensor<64x8xi8>, %init: tensor<4x8xi32>) {
  // expected-remark @+1 {{products of ui8 codes and i8 codes of up to 128: ONNX Runtime on x86 without VNNI adds pairs of them in 16 bits, which saturate; up to 64 (reduce_range) they do not}}
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x64xi8>, tensor<64x8xi8>) outs(%init : tensor<4x8xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extui %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<4x8xi32>
  %w = arith.constant dense<-64> : tensor<64x8xi8>
  %t = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %w : tensor<4x64xi8>, tensor<64x8xi8>) outs(%init : tensor<4x8xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extui %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %v, %u : i32
    %s = arith.addi %p, %o : i32
    linalg.yield %s : i32
  } -> tensor<4x8xi32>
  return
}

// -----

// As a graph of Q and DQ, which ONNX Runtime fuses.
func.func @dequantized(%a: tensor<4x64xui8>, %b: tensor<64x8xi8>, %s: f32, %init: tensor<4x8xf32>) {
  %x = qdq.dequantize %a scale %s : (tensor<4x64xui8>, f32) -> tensor<4x64xf32>
  %y = qdq.dequantize %b scale %s : (tensor<64x8xi8>, f32) -> tensor<64x8xf32>
  // expected-remark @+1 {{products of ui8 codes and i8 codes of up to 128: ONNX Runtime on x86 without VNNI}}
  %r = linalg.matmul ins(%x, %y : tensor<4x64xf32>, tensor<64x8xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// What can be done in integers is not named, before qdq-integer-contractions or behind it.
func.func @floats(%a: tensor<4x64xi8>, %x: tensor<64x8xf32>, %s: f32, %rows: tensor<64xf32>, %init: tensor<4x8xf32>, %b: tensor<64x8xi8>) {
  %zero = arith.constant 0.0 : f32
  %out = linalg.fill ins(%zero : f32) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  %d = qdq.dequantize %a scale %s : (tensor<4x64xi8>, f32) -> tensor<4x64xf32>
  // expected-remark @+1 {{multiplies dequantized codes as floats, and qdq-integer-contractions leaves it: of operand 1: is not dequantized}}
  %r = linalg.matmul ins(%d, %x : tensor<4x64xf32>, tensor<64x8xf32>) outs(%out : tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = qdq.dequantize %b scale %s : (tensor<64x8xi8>, f32) -> tensor<64x8xf32>
  %t = linalg.matmul ins(%d, %e : tensor<4x64xf32>, tensor<64x8xf32>) outs(%out : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @requantize(%acc: tensor<4xi32>) {
  %zero = arith.constant 0.0 : f32
  %m = arith.constant dense<[1, -2, 3, 4]> : tensor<4xi32>
  %t = arith.constant 63 : i8
  %z = arith.constant 200 : i32
  // expected-remark @+1 {{multiplier element 0 is 0: expected a finite positive number}}
  %a = qdq.requantize %acc rescale <f32> multiplier %zero : (tensor<4xi32>, f32) -> tensor<4xi8>
  // expected-remark @+2 {{multiplier element 1 is -2: expected a number that is not negative}}
  // expected-remark @+1 {{shift element 0 is 63, and is bounded to 0 to 62}}
  %b = qdq.requantize %acc rescale <fixed15> multiplier %m shift %t axis 0 : (tensor<4xi32>, tensor<4xi32>, i8) -> tensor<4xi8>
  // expected-remark @+2 {{zero point element 0 is 200, outside of the storage type 'i8', which holds -128 to 127}}
  // expected-remark @+1 {{values outside of the storage type wrap around}}
  %c = qdq.requantize %acc rescale <exact> multiplier %t shift %t zero_point %z semantics <overflow = wrap> : (tensor<4xi32>, i8, i8, i32) -> tensor<4xi8>
  return
}
