// RUN: quant-opt %s --qdq-codegen-partial-sums --split-input-file --verify-diagnostics
// RUN: quant-opt %s --qdq-codegen-vectorize --split-input-file --verify-diagnostics

#row = affine_map<(k) -> (k)>
#sum = affine_map<(k) -> ()>
func.func @three(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{qdq.partial_sums is 3: expected a power of two, up to 64}}
  %r = linalg.generic {indexing_maps = [#row, #row, #sum], iterator_types = ["reduction"]} ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = math.fma %a, %b, %out {qdq.partial_sums = 3 : i64} : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

#row = affine_map<(k) -> (k)>
#sum = affine_map<(k) -> ()>
func.func @read_twice(%x: tensor<8xf32>, %z: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{qdq.partial_sums needs a sum of floats on tensors with one result, which has a dimension for each parallel loop}}
  %r = linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.fma %a, %out, %out {qdq.partial_sums = 32 : i64} : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

#x = affine_map<(i, k) -> (i + k)>
#w = affine_map<(i, k) -> (k)>
#y = affine_map<(i, k) -> (i)>
func.func @convolution(%x: tensor<9xf32>, %w: tensor<3xf32>, %y: tensor<7xf32>) -> tensor<7xf32> {
  // expected-error @+1 {{qdq.partial_sums with an index of terms and results, as a convolution has it}}
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "reduction"]} ins(%x, %w : tensor<9xf32>, tensor<3xf32>) outs(%y : tensor<7xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = math.fma %a, %b, %out {qdq.partial_sums = 32 : i64} : f32
    linalg.yield %0 : f32
  } -> tensor<7xf32>
  return %r : tensor<7xf32>
}

// -----

#row = affine_map<(k) -> (k)>
#sum = affine_map<(k) -> ()>
func.func @zero(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{qdq.partial_sums is 0: expected a power of two, up to 64}}
  %r = linalg.generic {indexing_maps = [#row, #row, #sum], iterator_types = ["reduction"]} ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = math.fma %a, %b, %out {qdq.partial_sums = 0 : i64} : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

#row = affine_map<(k) -> (k)>
#sum = affine_map<(k) -> ()>
func.func @negative(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{qdq.partial_sums is -4: expected a power of two, up to 64}}
  %r = linalg.generic {indexing_maps = [#row, #row, #sum], iterator_types = ["reduction"]} ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = math.fma %a, %b, %out {qdq.partial_sums = -4 : i64} : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

#row = affine_map<(k) -> (k)>
#sum = affine_map<(k) -> ()>
func.func @text(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{qdq.partial_sums is "many": expected a power of two, up to 64}}
  %r = linalg.generic {indexing_maps = [#row, #row, #sum], iterator_types = ["reduction"]} ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = math.fma %a, %b, %out {qdq.partial_sums = "many"} : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
