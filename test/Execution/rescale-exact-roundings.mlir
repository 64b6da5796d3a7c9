// rescale = exact in each rounding and order: acc / 4, with ties at odd multiples of 2, and the zero point 3. By Python's
// fractions.
// RUN: %expect %s

func.func @nearest_even() {
  %acc = arith.constant dense<[-11, -10, -9, -7, -6, -5, -3, -2, -1, 0, 1, 2, 3, 5, 6, 7, 9, 10, 11, -4, 4]> : tensor<21xi32>
  %m = arith.constant 1 : i64
  %t = arith.constant 2 : i8
  %z = arith.constant 3 : i8
  %a = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics <rounding = nearest-even, order = round-then-add> : (tensor<21xi32>, i64, i8, i8) -> tensor<21xi8>
  %b = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics <rounding = nearest-even, order = add-then-round> : (tensor<21xi32>, i64, i8, i8) -> tensor<21xi8>
  "expect.eq"(%a) {value = dense<[0, 1, 1, 1, 1, 2, 2, 3, 3, 3, 3, 3, 4, 4, 5, 5, 5, 5, 6, 2, 4]> : tensor<21xi8>} : (tensor<21xi8>) -> ()
  "expect.eq"(%b) {value = dense<[0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 6, 6, 2, 4]> : tensor<21xi8>} : (tensor<21xi8>) -> ()
  return
}

func.func @nearest_away() {
  %acc = arith.constant dense<[-11, -10, -9, -7, -6, -5, -3, -2, -1, 0, 1, 2, 3, 5, 6, 7, 9, 10, 11, -4, 4]> : tensor<21xi32>
  %m = arith.constant 1 : i64
  %t = arith.constant 2 : i8
  %z = arith.constant 3 : i8
  %a = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics <rounding = nearest-away, order = round-then-add> : (tensor<21xi32>, i64, i8, i8) -> tensor<21xi8>
  %b = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics <rounding = nearest-away, order = add-then-round> : (tensor<21xi32>, i64, i8, i8) -> tensor<21xi8>
  "expect.eq"(%a) {value = dense<[0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 2, 4]> : tensor<21xi8>} : (tensor<21xi8>) -> ()
  "expect.eq"(%b) {value = dense<[0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 2, 4]> : tensor<21xi8>} : (tensor<21xi8>) -> ()
  return
}

func.func @nearest_up() {
  %acc = arith.constant dense<[-11, -10, -9, -7, -6, -5, -3, -2, -1, 0, 1, 2, 3, 5, 6, 7, 9, 10, 11, -4, 4]> : tensor<21xi32>
  %m = arith.constant 1 : i64
  %t = arith.constant 2 : i8
  %z = arith.constant 3 : i8
  %a = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics <rounding = nearest-up, order = round-then-add> : (tensor<21xi32>, i64, i8, i8) -> tensor<21xi8>
  %b = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics <rounding = nearest-up, order = add-then-round> : (tensor<21xi32>, i64, i8, i8) -> tensor<21xi8>
  "expect.eq"(%a) {value = dense<[0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 2, 4]> : tensor<21xi8>} : (tensor<21xi8>) -> ()
  "expect.eq"(%b) {value = dense<[0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 2, 4]> : tensor<21xi8>} : (tensor<21xi8>) -> ()
  return
}

func.func @nearest_down() {
  %acc = arith.constant dense<[-11, -10, -9, -7, -6, -5, -3, -2, -1, 0, 1, 2, 3, 5, 6, 7, 9, 10, 11, -4, 4]> : tensor<21xi32>
  %m = arith.constant 1 : i64
  %t = arith.constant 2 : i8
  %z = arith.constant 3 : i8
  %a = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics <rounding = nearest-down, order = round-then-add> : (tensor<21xi32>, i64, i8, i8) -> tensor<21xi8>
  %b = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics <rounding = nearest-down, order = add-then-round> : (tensor<21xi32>, i64, i8, i8) -> tensor<21xi8>
  "expect.eq"(%a) {value = dense<[0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 2, 4]> : tensor<21xi8>} : (tensor<21xi8>) -> ()
  "expect.eq"(%b) {value = dense<[0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 2, 4]> : tensor<21xi8>} : (tensor<21xi8>) -> ()
  return
}

func.func @toward_zero() {
  %acc = arith.constant dense<[-11, -10, -9, -7, -6, -5, -3, -2, -1, 0, 1, 2, 3, 5, 6, 7, 9, 10, 11, -4, 4]> : tensor<21xi32>
  %m = arith.constant 1 : i64
  %t = arith.constant 2 : i8
  %z = arith.constant 3 : i8
  %a = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics <rounding = toward-zero, order = round-then-add> : (tensor<21xi32>, i64, i8, i8) -> tensor<21xi8>
  %b = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics <rounding = toward-zero, order = add-then-round> : (tensor<21xi32>, i64, i8, i8) -> tensor<21xi8>
  "expect.eq"(%a) {value = dense<[1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 2, 4]> : tensor<21xi8>} : (tensor<21xi8>) -> ()
  "expect.eq"(%b) {value = dense<[0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 2, 4]> : tensor<21xi8>} : (tensor<21xi8>) -> ()
  return
}

func.func @floor() {
  %acc = arith.constant dense<[-11, -10, -9, -7, -6, -5, -3, -2, -1, 0, 1, 2, 3, 5, 6, 7, 9, 10, 11, -4, 4]> : tensor<21xi32>
  %m = arith.constant 1 : i64
  %t = arith.constant 2 : i8
  %z = arith.constant 3 : i8
  %a = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics <rounding = floor, order = round-then-add> : (tensor<21xi32>, i64, i8, i8) -> tensor<21xi8>
  %b = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics <rounding = floor, order = add-then-round> : (tensor<21xi32>, i64, i8, i8) -> tensor<21xi8>
  "expect.eq"(%a) {value = dense<[0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 2, 4]> : tensor<21xi8>} : (tensor<21xi8>) -> ()
  "expect.eq"(%b) {value = dense<[0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 2, 4]> : tensor<21xi8>} : (tensor<21xi8>) -> ()
  return
}

func.func @ceil() {
  %acc = arith.constant dense<[-11, -10, -9, -7, -6, -5, -3, -2, -1, 0, 1, 2, 3, 5, 6, 7, 9, 10, 11, -4, 4]> : tensor<21xi32>
  %m = arith.constant 1 : i64
  %t = arith.constant 2 : i8
  %z = arith.constant 3 : i8
  %a = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics <rounding = ceil, order = round-then-add> : (tensor<21xi32>, i64, i8, i8) -> tensor<21xi8>
  %b = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics <rounding = ceil, order = add-then-round> : (tensor<21xi32>, i64, i8, i8) -> tensor<21xi8>
  "expect.eq"(%a) {value = dense<[1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 2, 4]> : tensor<21xi8>} : (tensor<21xi8>) -> ()
  "expect.eq"(%b) {value = dense<[1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 2, 4]> : tensor<21xi8>} : (tensor<21xi8>) -> ()
  return
}

func.func @away_from_zero() {
  %acc = arith.constant dense<[-11, -10, -9, -7, -6, -5, -3, -2, -1, 0, 1, 2, 3, 5, 6, 7, 9, 10, 11, -4, 4]> : tensor<21xi32>
  %m = arith.constant 1 : i64
  %t = arith.constant 2 : i8
  %z = arith.constant 3 : i8
  %a = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics <rounding = away-from-zero, order = round-then-add> : (tensor<21xi32>, i64, i8, i8) -> tensor<21xi8>
  %b = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics <rounding = away-from-zero, order = add-then-round> : (tensor<21xi32>, i64, i8, i8) -> tensor<21xi8>
  "expect.eq"(%a) {value = dense<[0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 2, 4]> : tensor<21xi8>} : (tensor<21xi8>) -> ()
  "expect.eq"(%b) {value = dense<[1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 2, 4]> : tensor<21xi8>} : (tensor<21xi8>) -> ()
  return
}

func.func @to_odd() {
  %acc = arith.constant dense<[-11, -10, -9, -7, -6, -5, -3, -2, -1, 0, 1, 2, 3, 5, 6, 7, 9, 10, 11, -4, 4]> : tensor<21xi32>
  %m = arith.constant 1 : i64
  %t = arith.constant 2 : i8
  %z = arith.constant 3 : i8
  %a = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics <rounding = to-odd, order = round-then-add> : (tensor<21xi32>, i64, i8, i8) -> tensor<21xi8>
  %b = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z semantics <rounding = to-odd, order = add-then-round> : (tensor<21xi32>, i64, i8, i8) -> tensor<21xi8>
  "expect.eq"(%a) {value = dense<[0, 0, 0, 2, 2, 2, 2, 2, 2, 3, 4, 4, 4, 4, 4, 4, 6, 6, 6, 2, 4]> : tensor<21xi8>} : (tensor<21xi8>) -> ()
  "expect.eq"(%b) {value = dense<[1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 5, 5, 5, 5, 5, 5, 2, 4]> : tensor<21xi8>} : (tensor<21xi8>) -> ()
  return
}
