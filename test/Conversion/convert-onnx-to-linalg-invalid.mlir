// RUN: quant-opt --convert-onnx-to-linalg --split-input-file --verify-diagnostics %s

func.func @broadcast(%a: tensor<3xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'onnx.Add' op has operands 'tensor<3xf32>' and 'tensor<4xf32>', whose shapes do not broadcast}}
  %y = "onnx.Add"(%a, %b) : (tensor<3xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @result(%a: tensor<3xf32>) -> tensor<4xf32> {
  // expected-error @below {{'onnx.Relu' op computes a 'tensor<3xf32>', which is no 'tensor<4xf32>' as the result type says}}
  %y = "onnx.Relu"(%a) : (tensor<3xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @unranked(%a: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @below {{'onnx.Relu' op operand 0 has type 'tensor<*xf32>': expected a rank, which the file does not tell}}
  %y = "onnx.Relu"(%a) : (tensor<*xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @codes(%a: tensor<2x2xi8>, %b: tensor<2x2xi8>) -> tensor<2x2xi8> {
  // expected-error @below {{'onnx.MatMul' op A has element type 'i8': expected f16, bf16, f32 or f64}}
  %y = "onnx.MatMul"(%a, %b) : (tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xi8>
  return %y : tensor<2x2xi8>
}

// -----

func.func @groups(%x: tensor<1x4x5x5x5xf32>, %w: tensor<4x2x3x3x3xf32>) -> tensor<1x4x3x3x3xf32> {
  // expected-error @below {{'onnx.Conv' op has 2 groups and 3 spatial dimensions: expected 1 group, or one for each channel and filter}}
  %y = "onnx.Conv"(%x, %w) {group = 2 : si64} : (tensor<1x4x5x5x5xf32>, tensor<4x2x3x3x3xf32>) -> tensor<1x4x3x3x3xf32>
  return %y : tensor<1x4x3x3x3xf32>
}

// -----

func.func @count(%x: tensor<6xf32>) -> tensor<4xf32> {
  %s = "onnx.Constant"() {value = dense<4> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-error @below {{'onnx.Reshape' op data 'tensor<6xf32>' has 6 elements, and its result 4}}
  %y = "onnx.Reshape"(%x, %s) : (tensor<6xf32>, tensor<1xi64>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @second_result(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x3x3xf32>, tensor<1x1x3x3xi64>) {
  // expected-error @below {{'onnx.MaxPool' op result 1 is used: expected result 0 alone}}
  %y, %i = "onnx.MaxPool"(%x) {kernel_shape = [2, 2]} : (tensor<1x1x4x4xf32>) -> (tensor<1x1x3x3xf32>, tensor<1x1x3x3xi64>)
  return %y, %i : tensor<1x1x3x3xf32>, tensor<1x1x3x3xi64>
}

// -----

func.func @resize(%x: tensor<1x1x2x2xf32>) -> tensor<1x1x4x4xf32> {
  %none = "onnx.NoValue"() {value} : () -> none
  %s = "onnx.Constant"() {value = dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  // expected-error @below {{'onnx.Resize' op mode is 'area': expected nearest, linear or cubic}}
  %y = "onnx.Resize"(%x, %none, %s) {mode = "area"} : (tensor<1x1x2x2xf32>, none, tensor<4xf32>) -> tensor<1x1x4x4xf32>
  return %y : tensor<1x1x4x4xf32>
}

// -----

func.func @cubic(%x: tensor<1x1x2x2xui8>) -> tensor<1x1x4x4xui8> {
  %none = "onnx.NoValue"() {value} : () -> none
  %s = "onnx.Constant"() {value = dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  // expected-error @below {{'onnx.Resize' op X has type 'tensor<1x1x2x2xui8>': expected floats for mode cubic, whose results may lie beyond its elements}}
  %y = "onnx.Resize"(%x, %none, %s) {mode = "cubic"} : (tensor<1x1x2x2xui8>, none, tensor<4xf32>) -> tensor<1x1x4x4xui8>
  return %y : tensor<1x1x4x4xui8>
}

// -----

func.func @gather(%x: tensor<4xf32>) -> tensor<f32> {
  %i = "onnx.Constant"() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
  // expected-error @below {{'onnx.Gather' op has the index 4: expected -4 to 3}}
  %y = "onnx.Gather"(%x, %i) : (tensor<4xf32>, tensor<i64>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @cast(%x: tensor<4xf32>) -> tensor<4xi4> {
  // expected-error @below {{'onnx.Cast' op casts 'f32' to 'i4': expected integers of 8 bits or more}}
  %y = "onnx.Cast"(%x) {to = i4} : (tensor<4xf32>) -> tensor<4xi4>
  return %y : tensor<4xi4>
}

// -----

func.func @inferred(%x: tensor<4xf32>) -> tensor<?x3xf32> {
  %s = "onnx.Constant"() {value = dense<[-1, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error @below {{'onnx.Reshape' op data 'tensor<4xf32>' has 4 elements, and its result 3}}
  %y = "onnx.Reshape"(%x, %s) : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

func.func @list(%x: tensor<1xf32>, %s: tensor<2x2xi64>) -> tensor<?x?xf32> {
  // expected-error @below {{'onnx.Expand' op shape has type 'tensor<2x2xi64>': expected a static number of integers}}
  %y = "onnx.Expand"(%x, %s) : (tensor<1xf32>, tensor<2x2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// The ops behind have no rank for the same reason.
func.func @behind(%x: tensor<2x4xf32>, %s: tensor<?xi64>) -> tensor<*xf32> {
  // expected-error @below {{'onnx.Expand' op shape has type 'tensor<?xi64>': expected a static number of integers}}
  %e = "onnx.Expand"(%x, %s) : (tensor<2x4xf32>, tensor<?xi64>) -> tensor<*xf32>
  %r = "onnx.Relu"(%e) : (tensor<*xf32>) -> tensor<*xf32>
  %y = "onnx.Add"(%r, %r) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @arg_max(%x: tensor<2x0xf32>) -> tensor<2x1xi64> {
  // expected-error @below {{'onnx.ArgMax' op data has type 'tensor<2x0xf32>': expected elements along axis 1}}
  %y = "onnx.ArgMax"(%x) {axis = 1 : si64} : (tensor<2x0xf32>) -> tensor<2x1xi64>
  return %y : tensor<2x1xi64>
}

// -----

func.func @top_k(%x: tensor<2x3xf32>) -> tensor<2x4xi64> {
  // expected-error @below {{'onnx.TopK' op K is 4: expected 0 to the size of X 'tensor<2x3xf32>' along axis 1}}
  %y, %i = "onnx.TopK"(%x) {k = 4 : si64} : (tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xi64>)
  return %i : tensor<2x4xi64>
}

// -----

func.func @top_k_of_truth(%x: tensor<2x3xi1>, %k: tensor<1xi64>) -> tensor<2x?xi64> {
  // expected-error @below {{'onnx.TopK' op X has type 'tensor<2x3xi1>': expected numbers}}
  %y, %i = "onnx.TopK"(%x, %k) : (tensor<2x3xi1>, tensor<1xi64>) -> (tensor<2x?xi1>, tensor<2x?xi64>)
  return %i : tensor<2x?xi64>
}

// -----

func.func @scatter(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<3xf32>) -> tensor<4xf32> {
  // expected-error @below {{'onnx.ScatterElements' op has indices 'tensor<2xi64>' and updates 'tensor<3xf32>': expected one shape}}
  %y = "onnx.ScatterElements"(%x, %i, %u) : (tensor<4xf32>, tensor<2xi64>, tensor<3xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @scatter_types(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xi32>) -> tensor<4xf32> {
  // expected-error @below {{'onnx.ScatterElements' op updates have type 'tensor<2xi32>': expected elements of 'f32'}}
  %y = "onnx.ScatterElements"(%x, %i, %u) : (tensor<4xf32>, tensor<2xi64>, tensor<2xi32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @scatter_reduction(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) -> tensor<4xf32> {
  // expected-error @below {{'onnx.ScatterElements' op reduction is 'mean': expected none, add, mul, max or min}}
  %y = "onnx.ScatterElements"(%x, %i, %u) {reduction = "mean"} : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @scatter_nd(%x: tensor<4x3xf32>, %i: tensor<2x1xi64>, %u: tensor<2xf32>) -> tensor<4x3xf32> {
  // expected-error @below {{'onnx.ScatterND' op updates have type 'tensor<2xf32>': expected 'tensor<2x3xf32>'}}
  %y = "onnx.ScatterND"(%x, %i, %u) : (tensor<4x3xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

func.func @einsum_terms(%x0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{'onnx.Einsum' op equation 'i,j' has 2 terms: expected 1}}
  %y = "onnx.Einsum"(%x0) {equation = "i,j"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @einsum_rank(%x0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{'onnx.Einsum' op equation 'ijk' has the term 'ijk' for type 'tensor<2x3xf32>': expected a letter for each dimension, and ... for any number of them}}
  %y = "onnx.Einsum"(%x0) {equation = "ijk"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @einsum_letter(%x0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{'onnx.Einsum' op equation 'i1' has the term 'i1' for type}}
  %y = "onnx.Einsum"(%x0) {equation = "i1"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @einsum_twice(%x0: tensor<2x3xf32>) -> tensor<2x3x2xf32> {
  // expected-error @below {{'onnx.Einsum' op equation 'ij->iji' has the result 'iji': expected letters and ... of its operands, each once}}
  %y = "onnx.Einsum"(%x0) {equation = "ij->iji"} : (tensor<2x3xf32>) -> tensor<2x3x2xf32>
  return %y : tensor<2x3x2xf32>
}

// -----

func.func @einsum_ellipsis(%x0: tensor<2x3xf32>) -> tensor<3xf32> {
  // expected-error @below {{'onnx.Einsum' op equation '...j->j' has the result 'j'}}
  %y = "onnx.Einsum"(%x0) {equation = "...j->j"} : (tensor<2x3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @einsum_sizes(%x0: tensor<2x3xf32>, %x1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{'onnx.Einsum' op has the sizes 3 and 2 for one dimension of the equation}}
  %y = "onnx.Einsum"(%x0, %x1) {equation = "ij,jk"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @einsum_types(%x0: tensor<2x3xf32>, %x1: tensor<2x3xf16>) -> tensor<2x3xf32> {
  // expected-error @below {{'onnx.Einsum' op operand 1 has type 'tensor<2x3xf16>': expected numbers of one type}}
  %y = "onnx.Einsum"(%x0, %x1) {equation = "ij,ij->ij"} : (tensor<2x3xf32>, tensor<2x3xf16>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @bitwise(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @below {{'onnx.BitwiseNot' op A has type 'tensor<3xf32>': expected integers of more than one bit}}
  %y = "onnx.BitwiseNot"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @bit_shift(%x: tensor<3xui8>) -> tensor<3xui8> {
  // expected-error @below {{'onnx.BitShift' op direction is '': expected LEFT or RIGHT}}
  %y = "onnx.BitShift"(%x, %x) : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
  return %y : tensor<3xui8>
}

// -----

func.func @norm(%x: tensor<1x2x5xf32>) -> tensor<1x2x1xf32> {
  // expected-error @below {{'onnx.GlobalLpPool' op p is 0: expected 1 or more}}
  %y = "onnx.GlobalLpPool"(%x) {p = 0 : si64} : (tensor<1x2x5xf32>) -> tensor<1x2x1xf32>
  return %y : tensor<1x2x1xf32>
}

// -----

func.func @lrn(%x: tensor<1x2x5xf32>) -> tensor<1x2x5xf32> {
  // expected-error @below {{'onnx.LRN' op size is 0: expected a number of channels}}
  %y = "onnx.LRN"(%x) {size = 0 : si64} : (tensor<1x2x5xf32>) -> tensor<1x2x5xf32>
  return %y : tensor<1x2x5xf32>
}

// -----

func.func @eye_like(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  // expected-error @below {{'onnx.EyeLike' op has the input 'tensor<2x3x4xf32>' and the result 'tensor<2x3x4xf32>': expected matrices of numbers}}
  %y = "onnx.EyeLike"(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

func.func @one_hot_depth(%i: tensor<2xi64>, %d: tensor<2xi64>, %v: tensor<2xf32>) -> tensor<2x?xf32> {
  // expected-error @below {{'onnx.OneHot' op depth has type 'tensor<2xi64>': expected one element}}
  %y = "onnx.OneHot"(%i, %d, %v) : (tensor<2xi64>, tensor<2xi64>, tensor<2xf32>) -> tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}

// -----

func.func @one_hot_values(%i: tensor<2xi64>, %d: tensor<i64>, %v: tensor<3xf32>) -> tensor<2x?xf32> {
  // expected-error @below {{'onnx.OneHot' op values have type 'tensor<3xf32>': expected two elements}}
  %y = "onnx.OneHot"(%i, %d, %v) : (tensor<2xi64>, tensor<i64>, tensor<3xf32>) -> tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}

// -----

func.func @grid_mode(%x: tensor<1x1x2x2xf32>, %g: tensor<1x3x3x2xf32>) -> tensor<1x1x3x3xf32> {
  // expected-error @below {{'onnx.GridSample' op mode is 'cubic' and padding_mode 'zeros': expected linear or nearest, and zeros, border or reflection}}
  %y = "onnx.GridSample"(%x, %g) {mode = "cubic"} : (tensor<1x1x2x2xf32>, tensor<1x3x3x2xf32>) -> tensor<1x1x3x3xf32>
  return %y : tensor<1x1x3x3xf32>
}

// -----

func.func @grid_numbers(%x: tensor<1x1x2x2xf32>, %g: tensor<1x3x3x3xf32>) -> tensor<1x1x3x3xf32> {
  // expected-error @below {{'onnx.GridSample' op has X 'tensor<1x1x2x2xf32>' and grid 'tensor<1x3x3x3xf32>': expected one rank and type, and 2 numbers for each place}}
  %y = "onnx.GridSample"(%x, %g)  : (tensor<1x1x2x2xf32>, tensor<1x3x3x3xf32>) -> tensor<1x1x3x3xf32>
  return %y : tensor<1x1x3x3xf32>
}

// -----

func.func @dft_parts(%x: tensor<2x6x3xf32>) -> tensor<2x6x2xf32> {
  // expected-error @below {{'onnx.DFT' op input has type 'tensor<2x6x3xf32>', axis is 1: expected real or complex numbers, whose 1 or 2 parts are another dimension, the last one}}
  %y = "onnx.DFT"(%x) : (tensor<2x6x3xf32>) -> tensor<2x6x2xf32>
  return %y : tensor<2x6x2xf32>
}

// -----

func.func @dft_one_sided_inverse(%x: tensor<2x6x1xf32>) -> tensor<2x4x2xf32> {
  // expected-error @below {{'onnx.DFT' op has onesided = 1: expected real numbers, not inverse}}
  %y = "onnx.DFT"(%x) {onesided = 1 : si64, inverse = 1 : si64} : (tensor<2x6x1xf32>) -> tensor<2x4x2xf32>
  return %y : tensor<2x4x2xf32>
}

// -----

func.func @dft_open_length(%x: tensor<2x6x1xf32>, %n: tensor<i64>) -> tensor<2x?x2xf32> {
  // expected-error @below {{'onnx.DFT' op dft_length is not constant: expected one constant integer}}
  %y = "onnx.DFT"(%x, %n) : (tensor<2x6x1xf32>, tensor<i64>) -> tensor<2x?x2xf32>
  return %y : tensor<2x?x2xf32>
}

// -----

func.func @dft_open_axis(%x: tensor<2x6x1xf32>, %n: tensor<i64>, %axis: tensor<i64>) -> tensor<2x6x2xf32> {
  %none = "onnx.NoValue"() : () -> none
  // expected-error @below {{'onnx.DFT' op axis is not constant: expected one constant integer}}
  %y = "onnx.DFT"(%x, %none, %axis) : (tensor<2x6x1xf32>, none, tensor<i64>) -> tensor<2x6x2xf32>
  return %y : tensor<2x6x2xf32>
}

// -----

func.func @dft_open_size(%x: tensor<2x?x1xf32>) -> tensor<2x?x2xf32> {
  // expected-error @below {{'onnx.DFT' op input has type 'tensor<2x?x1xf32>': expected a static size along axis 1 and a positive length}}
  %y = "onnx.DFT"(%x) : (tensor<2x?x1xf32>) -> tensor<2x?x2xf32>
  return %y : tensor<2x?x2xf32>
}

// -----

func.func @dft_prime_length(%x: tensor<2x4124x1xf32>) -> tensor<2x4124x2xf32> {
  // expected-error @below {{'onnx.DFT' op has the length 4124: expected no prime factor above 1024}}
  %y = "onnx.DFT"(%x) : (tensor<2x4124x1xf32>) -> tensor<2x4124x2xf32>
  return %y : tensor<2x4124x2xf32>
}

// -----

func.func @col2im_open_shape(%x: tensor<1x8x9xf32>, %image: tensor<2xi64>) -> tensor<1x2x?x?xf32> {
  // expected-error @below {{'onnx.Col2Im' op image_shape or block_shape is not constant: expected as many constant integers in both}}
  %y = "onnx.Col2Im"(%x, %image, %image) : (tensor<1x8x9xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2x?x?xf32>
  return %y : tensor<1x2x?x?xf32>
}

// -----

func.func @col2im_pads(%x: tensor<1x8x9xf32>) -> tensor<1x2x4x4xf32> {
  %image = "onnx.Constant"() {value = dense<4> : tensor<2xi64>} : () -> tensor<2xi64>
  %block = "onnx.Constant"() {value = dense<2> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error @below {{'onnx.Col2Im' op expected 4 numbers from 0 on in pads}}
  %y = "onnx.Col2Im"(%x, %image, %block) {pads = [1, 1]} : (tensor<1x8x9xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2x4x4xf32>
  return %y : tensor<1x2x4x4xf32>
}

// -----

func.func @col2im_block(%x: tensor<1x25x1xf32>) -> tensor<1x1x4x4xf32> {
  %image = "onnx.Constant"() {value = dense<4> : tensor<2xi64>} : () -> tensor<2xi64>
  %block = "onnx.Constant"() {value = dense<5> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error @below {{'onnx.Col2Im' op has a block beyond the image in dimension 0}}
  %y = "onnx.Col2Im"(%x, %image, %block) : (tensor<1x25x1xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x1x4x4xf32>
  return %y : tensor<1x1x4x4xf32>
}

// -----

func.func @col2im_sizes(%x: tensor<1x8x8xf32>) -> tensor<1x2x4x4xf32> {
  %image = "onnx.Constant"() {value = dense<4> : tensor<2xi64>} : () -> tensor<2xi64>
  %block = "onnx.Constant"() {value = dense<2> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error @below {{'onnx.Col2Im' op input has type 'tensor<1x8x8xf32>': expected 3 dimensions, a static multiple of 4, and 9}}
  %y = "onnx.Col2Im"(%x, %image, %block) : (tensor<1x8x8xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2x4x4xf32>
  return %y : tensor<1x2x4x4xf32>
}

// -----

func.func @kernel_of_no_dimensions(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
  // expected-error @below {{'onnx.AveragePool' op has no attribute 'kernel_shape'}}
  %y = "onnx.AveragePool"(%x) {kernel_shape = []} : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>
  return %y : tensor<1x1x4x4xf32>
}
