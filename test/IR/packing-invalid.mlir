// RUN: quant-opt %s --split-input-file --verify-diagnostics

func.func @containers_of_the_axis(%c: tensor<4x5xi32>) {
  // expected-error @+1 {{container dimension 1 is 5, expected ceil(17 * 4 / 32) = 3}}
  %q = qdq.unpack %c packing <bits = 4, container = i32, axis = 1> : (tensor<4x5xi32>) -> tensor<4x17xui4>
  return
}

// -----

func.func @containers_of_blocks(%c: tensor<4x36xi8>) {
  // expected-error @+1 {{container dimension 1 is 36, expected ceil(96 / 32) * 18 = 54}}
  %q = qdq.unpack %c packing <ggml-q4_0> : (tensor<4x36xi8>) -> tensor<4x96xi4>
  return
}

// -----

func.func @other_dimension(%q: tensor<16x8xi4>) {
  // expected-error @+1 {{container dimension 1 is 7, expected 8, as dimension 1 of the elements}}
  %c = qdq.pack %q packing <pmx-int4x4> : (tensor<16x8xi4>) -> tensor<4x7xi16>
  return
}

// -----

func.func @flat_size(%c: tensor<8xi8>) {
  // expected-error @+1 {{container dimension 0 is 8, expected ceil(17 * 4 / 8) = 9}}
  %q = qdq.unpack %c packing <onnx> : (tensor<8xi8>) -> tensor<17xi4>
  return
}

// -----

func.func @flat_rank(%c: tensor<4x2xi8>) {
  // expected-error @+1 {{has containers of rank 2: expected rank 1, since its packing has no axis}}
  %q = qdq.unpack %c packing <onnx> : (tensor<4x2xi8>) -> tensor<4x4xi4>
  return
}

// -----

func.func @rank(%c: tensor<4xi32>) {
  // expected-error @+1 {{has containers of rank 1 and elements of rank 2: expected the same rank}}
  %q = qdq.unpack %c packing <gptq-v2> : (tensor<4xi32>) -> tensor<4x8xui4>
  return
}

// -----

func.func @container_type(%c: tensor<4x8xi16>) {
  // expected-error @+1 {{has containers of type 'i16', but its packing says i32}}
  %q = qdq.unpack %c packing <gptq-v2> : (tensor<4x8xi16>) -> tensor<32x8xui4>
  return
}

// -----

func.func @float_containers(%c: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be containers: ranked tensor without encoding of an integer of 8, 16, 32 or 64 bits, but got 'tensor<4xf32>'}}
  %q = qdq.unpack %c packing <bits = 4> : (tensor<4xf32>) -> tensor<32xi4>
  return
}

// -----

func.func @element_bits(%c: tensor<4xi8>) {
  // expected-error @+1 {{has elements of type 'i8', but its packing says 4 bits}}
  %q = qdq.unpack %c packing <bits = 4> : (tensor<4xi8>) -> tensor<8xi8>
  return
}

// -----

func.func @preset_bits(%c: tensor<4x1xi32>) {
  // expected-error @+1 {{has elements of type 'ui8', but 'awq-gemm' packs elements of 4 bits}}
  %q = qdq.unpack %c packing <awq-gemm> : (tensor<4x1xi32>) -> tensor<4x4xui8>
  return
}

// -----

func.func @element_type(%c: tensor<8xi8>) {
  // expected-error @+1 {{result #0 must be elements: ranked tensor without encoding of an integer or float of at most 32 bits, but got 'tensor<1xf64>'}}
  %q = qdq.unpack %c packing <axis = 0> : (tensor<8xi8>) -> tensor<1xf64>
  return
}

// -----

func.func @axis(%c: tensor<8xi32>) {
  // expected-error @+1 {{packs along axis 1, which is out of range for elements of rank 1}}
  %q = qdq.unpack %c packing <gptq-v1, part = zero-point> : (tensor<8xi32>) -> tensor<64xui4>
  return
}

// -----

func.func @float_offset(%c: tensor<8xi8>) {
  // expected-error @+1 {{has elements of type 'f4E2M1FN', which take no offset of 1}}
  %q = qdq.unpack %c packing <onnx, offset = 1> : (tensor<8xi8>) -> tensor<16xf4E2M1FN>
  return
}

// -----

func.func @sizes(%c: tensor<?xi8>, %d: index) {
  // expected-error @+1 {{has 1 sizes for 2 dynamic dimensions}}
  %q = qdq.unpack %c packing <onnx> sizes(%d) : (tensor<?xi8>, index) -> tensor<?x?xi4>
  return
}

// -----

func.func @missing_sizes(%c: tensor<?xi8>) {
  // expected-error @+1 {{needs the sizes of its 1 dynamic dimensions: its packing has no axis}}
  %q = qdq.unpack %c packing <onnx> : (tensor<?xi8>) -> tensor<?x4xi4>
  return
}

// -----

// expected-error @+1 {{'gptq-v3' is not a value of 'packing': expected one of onnx, pmx-int4x4, gptq-v1,}}
func.func private @unknown_preset() attributes {p = #qdq.packing<gptq-v3>}

// -----

// expected-error @+1 {{'width' is not a parameter of #qdq.packing}}
func.func private @unknown_parameter() attributes {p = #qdq.packing<width = 3>}

// -----

// expected-error @+1 {{packing 'onnx' has no part 'scale'}}
func.func private @unknown_part() attributes {p = #qdq.packing<onnx, part = scale>}

// -----

// expected-error @+1 {{'order' is not a permutation of 0 to 1: 1 where 0 was expected}}
func.func private @order() attributes {p = #qdq.packing<bits = 4, block = 2, order = [1, 1]>}

// -----

// expected-error @+1 {{'order' has 2 entries: expected one for each of the 4 elements of a block}}
func.func private @order_length() attributes {p = #qdq.packing<bits = 4, block = 4, order = [1, 0]>}

// -----

// expected-error @+1 {{'record' and 'at' need a 'block'}}
func.func private @record() attributes {p = #qdq.packing<bits = 4, record = 18>}

// -----

// expected-error @+1 {{'container' is 'i12': expected an integer of 8, 16, 32 or 64 bits}}
func.func private @container() attributes {p = #qdq.packing<bits = 4, container = i12>}

// -----

// expected-error @+1 {{'bits' is 0: expected 1 to 32}}
func.func private @bits() attributes {p = #qdq.packing<bits = 0>}

// -----

func.func @record_too_short(%c: tensor<16xi8>) {
  // expected-error @+1 {{has blocks of 32 elements that fill 16 containers from container 2 on, but records of 16}}
  %q = qdq.unpack %c packing <ggml-q4_0, record = 16> : (tensor<16xi8>) -> tensor<32xi4>
  return
}

// -----

func.func @unknown_parameter(%c: tensor<4x4xi32>) {
  // expected-error @+1 {{'width' is not a parameter of #qdq.packing: expected one of bits, container, axis, block, order, record, at, offset, part, positive_zero}}
  %q = qdq.unpack %c packing <width = 4, container = i32, axis = 1> : (tensor<4x4xi32>) -> tensor<4x32xui4>
  return
}

// -----

// expected-error @+1 {{'block' is 0: expected at least 1}}
func.func private @no_block() attributes {p = #qdq.packing<bits = 4, block = 0>}

// -----

// expected-error @+1 {{'record' is 0: expected at least 1}}
func.func private @no_record() attributes {p = #qdq.packing<bits = 4, axis = 0, block = 8, record = 0>}

// -----

// expected-error @+1 {{'bits' is 33: expected 1 to 32}}
func.func private @many_bits() attributes {p = #qdq.packing<bits = 33>}

// -----

// expected-error @+1 {{'container' is 'i128': expected an integer of 8, 16, 32 or 64 bits}}
func.func private @wide_container() attributes {p = #qdq.packing<bits = 4, container = i128>}

// -----

// expected-error @+1 {{'container' is 'i4': expected an integer of 8, 16, 32 or 64 bits}}
func.func private @narrow_container() attributes {p = #qdq.packing<bits = 4, container = i4>}

// -----

// expected-error @+1 {{'bits' is given twice}}
func.func private @twice() attributes {p = #qdq.packing<bits = 4, bits = 4>}

// -----

// expected-error @+1 {{'code' is not a value of 'part': expected one of codes}}
func.func private @part() attributes {p = #qdq.packing<gptq-v2, part = code>}

// -----

// expected-error @+1 {{expected valid keyword or string}}
func.func private @no_word() attributes {p = #qdq.packing<4>}

// -----

// expected-error @+1 {{expected valid keyword}}
func.func private @half_a_word() attributes {p = #qdq.packing<gptq - 4>}
