// Every granularity in every container, through the whole pipeline: no quant, qdq or signed type is left.
// RUN: quant-opt %s --lower-quant | FileCheck %s --implicit-check-not=quant. --implicit-check-not=qdq. --implicit-check-not=ui8
// RUN: quant-opt %s --lower-quant=profile=mlir22 | FileCheck %s --implicit-check-not=quant. --implicit-check-not=qdq. --implicit-check-not=ui8
// RUN: quant-opt %s --quant-to-llvm | FileCheck %s --check-prefix=LLVM --implicit-check-not=linalg. --implicit-check-not=memref. --implicit-check-not=unrealized

// LLVM: llvm.func @qcast_per_layer_0

// CHECK-LABEL: func.func @qcast_per_layer_0
// CHECK-SAME: ({{.*}}: f32) -> i8
// CHECK: arith.fptosi
func.func @qcast_per_layer_0(%x: f32) -> !quant.uniform<i8:f32, 2.0:10> {
  %q = quant.qcast %x : f32 to !quant.uniform<i8:f32, 2.0:10>
  return %q : !quant.uniform<i8:f32, 2.0:10>
}

// CHECK-LABEL: func.func @dcast_per_layer_0
// CHECK-SAME: ({{.*}}: i8) -> f32
// CHECK: arith.mulf
func.func @dcast_per_layer_0(%q: !quant.uniform<i8:f32, 2.0:10>) -> f32 {
  %x = quant.dcast %q : !quant.uniform<i8:f32, 2.0:10> to f32
  return %x : f32
}

// CHECK-LABEL: func.func @scast_per_layer_0
// CHECK-SAME: (%[[I:.*]]: i8) -> i8
// CHECK-NEXT: return %[[I]]
func.func @scast_per_layer_0(%i: i8) -> i8 {
  %q = quant.scast %i : i8 to !quant.uniform<i8:f32, 2.0:10>
  %j = quant.scast %q : !quant.uniform<i8:f32, 2.0:10> to i8
  return %j : i8
}

// CHECK-LABEL: func.func @qcast_per_layer_1
// CHECK-SAME: ({{.*}}: tensor<f32>) -> tensor<i8>
// CHECK: arith.fptosi
func.func @qcast_per_layer_1(%x: tensor<f32>) -> tensor<!quant.uniform<i8:f32, 2.0:10>> {
  %q = quant.qcast %x : tensor<f32> to tensor<!quant.uniform<i8:f32, 2.0:10>>
  return %q : tensor<!quant.uniform<i8:f32, 2.0:10>>
}

// CHECK-LABEL: func.func @dcast_per_layer_1
// CHECK-SAME: ({{.*}}: tensor<i8>) -> tensor<f32>
// CHECK: arith.mulf
func.func @dcast_per_layer_1(%q: tensor<!quant.uniform<i8:f32, 2.0:10>>) -> tensor<f32> {
  %x = quant.dcast %q : tensor<!quant.uniform<i8:f32, 2.0:10>> to tensor<f32>
  return %x : tensor<f32>
}

// CHECK-LABEL: func.func @scast_per_layer_1
// CHECK-SAME: (%[[I:.*]]: tensor<i8>) -> tensor<i8>
// CHECK-NEXT: return %[[I]]
func.func @scast_per_layer_1(%i: tensor<i8>) -> tensor<i8> {
  %q = quant.scast %i : tensor<i8> to tensor<!quant.uniform<i8:f32, 2.0:10>>
  %j = quant.scast %q : tensor<!quant.uniform<i8:f32, 2.0:10>> to tensor<i8>
  return %j : tensor<i8>
}

// CHECK-LABEL: func.func @qcast_per_layer_2
// CHECK-SAME: ({{.*}}: tensor<3x?x5xf32>) -> tensor<3x?x5xi8>
// CHECK: arith.fptosi
func.func @qcast_per_layer_2(%x: tensor<3x?x5xf32>) -> tensor<3x?x5x!quant.uniform<i8:f32, 2.0:10>> {
  %q = quant.qcast %x : tensor<3x?x5xf32> to tensor<3x?x5x!quant.uniform<i8:f32, 2.0:10>>
  return %q : tensor<3x?x5x!quant.uniform<i8:f32, 2.0:10>>
}

// CHECK-LABEL: func.func @dcast_per_layer_2
// CHECK-SAME: ({{.*}}: tensor<3x?x5xi8>) -> tensor<3x?x5xf32>
// CHECK: arith.mulf
func.func @dcast_per_layer_2(%q: tensor<3x?x5x!quant.uniform<i8:f32, 2.0:10>>) -> tensor<3x?x5xf32> {
  %x = quant.dcast %q : tensor<3x?x5x!quant.uniform<i8:f32, 2.0:10>> to tensor<3x?x5xf32>
  return %x : tensor<3x?x5xf32>
}

// CHECK-LABEL: func.func @scast_per_layer_2
// CHECK-SAME: (%[[I:.*]]: tensor<3x?x5xi8>) -> tensor<3x?x5xi8>
// CHECK-NEXT: return %[[I]]
func.func @scast_per_layer_2(%i: tensor<3x?x5xi8>) -> tensor<3x?x5xi8> {
  %q = quant.scast %i : tensor<3x?x5xi8> to tensor<3x?x5x!quant.uniform<i8:f32, 2.0:10>>
  %j = quant.scast %q : tensor<3x?x5x!quant.uniform<i8:f32, 2.0:10>> to tensor<3x?x5xi8>
  return %j : tensor<3x?x5xi8>
}

// CHECK-LABEL: func.func @qcast_per_layer_3
// CHECK-SAME: ({{.*}}: tensor<*xf32>) -> tensor<*xi8>
// CHECK: arith.fptosi
func.func @qcast_per_layer_3(%x: tensor<*xf32>) -> tensor<*x!quant.uniform<i8:f32, 2.0:10>> {
  %q = quant.qcast %x : tensor<*xf32> to tensor<*x!quant.uniform<i8:f32, 2.0:10>>
  return %q : tensor<*x!quant.uniform<i8:f32, 2.0:10>>
}

// CHECK-LABEL: func.func @dcast_per_layer_3
// CHECK-SAME: ({{.*}}: tensor<*xi8>) -> tensor<*xf32>
// CHECK: arith.mulf
func.func @dcast_per_layer_3(%q: tensor<*x!quant.uniform<i8:f32, 2.0:10>>) -> tensor<*xf32> {
  %x = quant.dcast %q : tensor<*x!quant.uniform<i8:f32, 2.0:10>> to tensor<*xf32>
  return %x : tensor<*xf32>
}

// CHECK-LABEL: func.func @scast_per_layer_3
// CHECK-SAME: (%[[I:.*]]: tensor<*xi8>) -> tensor<*xi8>
// CHECK-NEXT: return %[[I]]
func.func @scast_per_layer_3(%i: tensor<*xi8>) -> tensor<*xi8> {
  %q = quant.scast %i : tensor<*xi8> to tensor<*x!quant.uniform<i8:f32, 2.0:10>>
  %j = quant.scast %q : tensor<*x!quant.uniform<i8:f32, 2.0:10>> to tensor<*xi8>
  return %j : tensor<*xi8>
}

// CHECK-LABEL: func.func @qcast_per_layer_unsigned_0
// CHECK-SAME: ({{.*}}: f32) -> i8
// CHECK: arith.fpto{{[su]}}i
func.func @qcast_per_layer_unsigned_0(%x: f32) -> !quant.uniform<u8:f32, 2.0:200> {
  %q = quant.qcast %x : f32 to !quant.uniform<u8:f32, 2.0:200>
  return %q : !quant.uniform<u8:f32, 2.0:200>
}

// CHECK-LABEL: func.func @dcast_per_layer_unsigned_0
// CHECK-SAME: ({{.*}}: i8) -> f32
// CHECK: arith.mulf
func.func @dcast_per_layer_unsigned_0(%q: !quant.uniform<u8:f32, 2.0:200>) -> f32 {
  %x = quant.dcast %q : !quant.uniform<u8:f32, 2.0:200> to f32
  return %x : f32
}

// CHECK-LABEL: func.func @scast_per_layer_unsigned_0
// CHECK-SAME: (%[[I:.*]]: i8) -> i8
// CHECK-NEXT: return %[[I]]
func.func @scast_per_layer_unsigned_0(%i: i8) -> i8 {
  %q = quant.scast %i : i8 to !quant.uniform<u8:f32, 2.0:200>
  %j = quant.scast %q : !quant.uniform<u8:f32, 2.0:200> to i8
  return %j : i8
}

// CHECK-LABEL: func.func @qcast_per_layer_unsigned_1
// CHECK-SAME: ({{.*}}: tensor<f32>) -> tensor<i8>
// CHECK: arith.fpto{{[su]}}i
func.func @qcast_per_layer_unsigned_1(%x: tensor<f32>) -> tensor<!quant.uniform<u8:f32, 2.0:200>> {
  %q = quant.qcast %x : tensor<f32> to tensor<!quant.uniform<u8:f32, 2.0:200>>
  return %q : tensor<!quant.uniform<u8:f32, 2.0:200>>
}

// CHECK-LABEL: func.func @dcast_per_layer_unsigned_1
// CHECK-SAME: ({{.*}}: tensor<i8>) -> tensor<f32>
// CHECK: arith.mulf
func.func @dcast_per_layer_unsigned_1(%q: tensor<!quant.uniform<u8:f32, 2.0:200>>) -> tensor<f32> {
  %x = quant.dcast %q : tensor<!quant.uniform<u8:f32, 2.0:200>> to tensor<f32>
  return %x : tensor<f32>
}

// CHECK-LABEL: func.func @scast_per_layer_unsigned_1
// CHECK-SAME: (%[[I:.*]]: tensor<i8>) -> tensor<i8>
// CHECK-NEXT: return %[[I]]
func.func @scast_per_layer_unsigned_1(%i: tensor<i8>) -> tensor<i8> {
  %q = quant.scast %i : tensor<i8> to tensor<!quant.uniform<u8:f32, 2.0:200>>
  %j = quant.scast %q : tensor<!quant.uniform<u8:f32, 2.0:200>> to tensor<i8>
  return %j : tensor<i8>
}

// CHECK-LABEL: func.func @qcast_per_layer_unsigned_2
// CHECK-SAME: ({{.*}}: tensor<3x?x5xf32>) -> tensor<3x?x5xi8>
// CHECK: arith.fpto{{[su]}}i
func.func @qcast_per_layer_unsigned_2(%x: tensor<3x?x5xf32>) -> tensor<3x?x5x!quant.uniform<u8:f32, 2.0:200>> {
  %q = quant.qcast %x : tensor<3x?x5xf32> to tensor<3x?x5x!quant.uniform<u8:f32, 2.0:200>>
  return %q : tensor<3x?x5x!quant.uniform<u8:f32, 2.0:200>>
}

// CHECK-LABEL: func.func @dcast_per_layer_unsigned_2
// CHECK-SAME: ({{.*}}: tensor<3x?x5xi8>) -> tensor<3x?x5xf32>
// CHECK: arith.mulf
func.func @dcast_per_layer_unsigned_2(%q: tensor<3x?x5x!quant.uniform<u8:f32, 2.0:200>>) -> tensor<3x?x5xf32> {
  %x = quant.dcast %q : tensor<3x?x5x!quant.uniform<u8:f32, 2.0:200>> to tensor<3x?x5xf32>
  return %x : tensor<3x?x5xf32>
}

// CHECK-LABEL: func.func @scast_per_layer_unsigned_2
// CHECK-SAME: (%[[I:.*]]: tensor<3x?x5xi8>) -> tensor<3x?x5xi8>
// CHECK-NEXT: return %[[I]]
func.func @scast_per_layer_unsigned_2(%i: tensor<3x?x5xi8>) -> tensor<3x?x5xi8> {
  %q = quant.scast %i : tensor<3x?x5xi8> to tensor<3x?x5x!quant.uniform<u8:f32, 2.0:200>>
  %j = quant.scast %q : tensor<3x?x5x!quant.uniform<u8:f32, 2.0:200>> to tensor<3x?x5xi8>
  return %j : tensor<3x?x5xi8>
}

// CHECK-LABEL: func.func @qcast_per_layer_unsigned_3
// CHECK-SAME: ({{.*}}: tensor<*xf32>) -> tensor<*xi8>
// CHECK: arith.fpto{{[su]}}i
func.func @qcast_per_layer_unsigned_3(%x: tensor<*xf32>) -> tensor<*x!quant.uniform<u8:f32, 2.0:200>> {
  %q = quant.qcast %x : tensor<*xf32> to tensor<*x!quant.uniform<u8:f32, 2.0:200>>
  return %q : tensor<*x!quant.uniform<u8:f32, 2.0:200>>
}

// CHECK-LABEL: func.func @dcast_per_layer_unsigned_3
// CHECK-SAME: ({{.*}}: tensor<*xi8>) -> tensor<*xf32>
// CHECK: arith.mulf
func.func @dcast_per_layer_unsigned_3(%q: tensor<*x!quant.uniform<u8:f32, 2.0:200>>) -> tensor<*xf32> {
  %x = quant.dcast %q : tensor<*x!quant.uniform<u8:f32, 2.0:200>> to tensor<*xf32>
  return %x : tensor<*xf32>
}

// CHECK-LABEL: func.func @scast_per_layer_unsigned_3
// CHECK-SAME: (%[[I:.*]]: tensor<*xi8>) -> tensor<*xi8>
// CHECK-NEXT: return %[[I]]
func.func @scast_per_layer_unsigned_3(%i: tensor<*xi8>) -> tensor<*xi8> {
  %q = quant.scast %i : tensor<*xi8> to tensor<*x!quant.uniform<u8:f32, 2.0:200>>
  %j = quant.scast %q : tensor<*x!quant.uniform<u8:f32, 2.0:200>> to tensor<*xi8>
  return %j : tensor<*xi8>
}

// CHECK-LABEL: func.func @qcast_per_layer_bounds_0
// CHECK-SAME: ({{.*}}: f32) -> i8
// CHECK: arith.fptosi
func.func @qcast_per_layer_bounds_0(%x: f32) -> !quant.uniform<i8<-5:10>:f32, 2.0> {
  %q = quant.qcast %x : f32 to !quant.uniform<i8<-5:10>:f32, 2.0>
  return %q : !quant.uniform<i8<-5:10>:f32, 2.0>
}

// CHECK-LABEL: func.func @dcast_per_layer_bounds_0
// CHECK-SAME: ({{.*}}: i8) -> f32
// CHECK: arith.mulf
func.func @dcast_per_layer_bounds_0(%q: !quant.uniform<i8<-5:10>:f32, 2.0>) -> f32 {
  %x = quant.dcast %q : !quant.uniform<i8<-5:10>:f32, 2.0> to f32
  return %x : f32
}

// CHECK-LABEL: func.func @qcast_per_layer_bounds_1
// CHECK-SAME: ({{.*}}: tensor<4xf32>) -> tensor<4xi8>
// CHECK: arith.fptosi
func.func @qcast_per_layer_bounds_1(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<i8<-5:10>:f32, 2.0>> {
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8<-5:10>:f32, 2.0>>
  return %q : tensor<4x!quant.uniform<i8<-5:10>:f32, 2.0>>
}

// CHECK-LABEL: func.func @dcast_per_layer_bounds_1
// CHECK-SAME: ({{.*}}: tensor<4xi8>) -> tensor<4xf32>
// CHECK: arith.mulf
func.func @dcast_per_layer_bounds_1(%q: tensor<4x!quant.uniform<i8<-5:10>:f32, 2.0>>) -> tensor<4xf32> {
  %x = quant.dcast %q : tensor<4x!quant.uniform<i8<-5:10>:f32, 2.0>> to tensor<4xf32>
  return %x : tensor<4xf32>
}

// CHECK-LABEL: func.func @qcast_per_layer_unsigned_bounds_0
// CHECK-SAME: ({{.*}}: f32) -> i8
// CHECK: arith.fpto{{[su]}}i
func.func @qcast_per_layer_unsigned_bounds_0(%x: f32) -> !quant.uniform<u8<2:10>:f32, 2.0> {
  %q = quant.qcast %x : f32 to !quant.uniform<u8<2:10>:f32, 2.0>
  return %q : !quant.uniform<u8<2:10>:f32, 2.0>
}

// CHECK-LABEL: func.func @dcast_per_layer_unsigned_bounds_0
// CHECK-SAME: ({{.*}}: i8) -> f32
// CHECK: arith.mulf
func.func @dcast_per_layer_unsigned_bounds_0(%q: !quant.uniform<u8<2:10>:f32, 2.0>) -> f32 {
  %x = quant.dcast %q : !quant.uniform<u8<2:10>:f32, 2.0> to f32
  return %x : f32
}

// CHECK-LABEL: func.func @qcast_per_layer_unsigned_bounds_1
// CHECK-SAME: ({{.*}}: tensor<4xf32>) -> tensor<4xi8>
// CHECK: arith.fpto{{[su]}}i
func.func @qcast_per_layer_unsigned_bounds_1(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<u8<2:10>:f32, 2.0>> {
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<u8<2:10>:f32, 2.0>>
  return %q : tensor<4x!quant.uniform<u8<2:10>:f32, 2.0>>
}

// CHECK-LABEL: func.func @dcast_per_layer_unsigned_bounds_1
// CHECK-SAME: ({{.*}}: tensor<4xi8>) -> tensor<4xf32>
// CHECK: arith.mulf
func.func @dcast_per_layer_unsigned_bounds_1(%q: tensor<4x!quant.uniform<u8<2:10>:f32, 2.0>>) -> tensor<4xf32> {
  %x = quant.dcast %q : tensor<4x!quant.uniform<u8<2:10>:f32, 2.0>> to tensor<4xf32>
  return %x : tensor<4xf32>
}

// CHECK-LABEL: func.func @qcast_per_axis_0
// CHECK-SAME: ({{.*}}: tensor<4x?x?x5xf32>) -> tensor<4x?x?x5xi8>
// CHECK: arith.fptosi
func.func @qcast_per_axis_0(%x: tensor<4x?x?x5xf32>) -> tensor<4x?x?x5x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>> {
  %q = quant.qcast %x : tensor<4x?x?x5xf32> to tensor<4x?x?x5x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>>
  return %q : tensor<4x?x?x5x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>>
}

// CHECK-LABEL: func.func @dcast_per_axis_0
// CHECK-SAME: ({{.*}}: tensor<4x?x?x5xi8>) -> tensor<4x?x?x5xf32>
// CHECK: arith.mulf
func.func @dcast_per_axis_0(%q: tensor<4x?x?x5x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>>) -> tensor<4x?x?x5xf32> {
  %x = quant.dcast %q : tensor<4x?x?x5x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>> to tensor<4x?x?x5xf32>
  return %x : tensor<4x?x?x5xf32>
}

// CHECK-LABEL: func.func @scast_per_axis_0
// CHECK-SAME: (%[[I:.*]]: tensor<4x?x?x5xi8>) -> tensor<4x?x?x5xi8>
// CHECK-NEXT: return %[[I]]
func.func @scast_per_axis_0(%i: tensor<4x?x?x5xi8>) -> tensor<4x?x?x5xi8> {
  %q = quant.scast %i : tensor<4x?x?x5xi8> to tensor<4x?x?x5x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>>
  %j = quant.scast %q : tensor<4x?x?x5x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>> to tensor<4x?x?x5xi8>
  return %j : tensor<4x?x?x5xi8>
}

// CHECK-LABEL: func.func @qcast_per_axis_1
// CHECK-SAME: ({{.*}}: tensor<4x2x5xf32>) -> tensor<4x2x5xi8>
// CHECK: arith.fptosi
func.func @qcast_per_axis_1(%x: tensor<4x2x5xf32>) -> tensor<4x2x5x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>> {
  %q = quant.qcast %x : tensor<4x2x5xf32> to tensor<4x2x5x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>>
  return %q : tensor<4x2x5x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>>
}

// CHECK-LABEL: func.func @dcast_per_axis_1
// CHECK-SAME: ({{.*}}: tensor<4x2x5xi8>) -> tensor<4x2x5xf32>
// CHECK: arith.mulf
func.func @dcast_per_axis_1(%q: tensor<4x2x5x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>>) -> tensor<4x2x5xf32> {
  %x = quant.dcast %q : tensor<4x2x5x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>> to tensor<4x2x5xf32>
  return %x : tensor<4x2x5xf32>
}

// CHECK-LABEL: func.func @scast_per_axis_1
// CHECK-SAME: (%[[I:.*]]: tensor<4x2x5xi8>) -> tensor<4x2x5xi8>
// CHECK-NEXT: return %[[I]]
func.func @scast_per_axis_1(%i: tensor<4x2x5xi8>) -> tensor<4x2x5xi8> {
  %q = quant.scast %i : tensor<4x2x5xi8> to tensor<4x2x5x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>>
  %j = quant.scast %q : tensor<4x2x5x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>> to tensor<4x2x5xi8>
  return %j : tensor<4x2x5xi8>
}

// CHECK-LABEL: func.func @qcast_per_axis_2
// CHECK-SAME: ({{.*}}: tensor<*xf32>) -> tensor<*xi8>
// CHECK: arith.fptosi
func.func @qcast_per_axis_2(%x: tensor<*xf32>) -> tensor<*x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>> {
  %q = quant.qcast %x : tensor<*xf32> to tensor<*x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>>
  return %q : tensor<*x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>>
}

// CHECK-LABEL: func.func @dcast_per_axis_2
// CHECK-SAME: ({{.*}}: tensor<*xi8>) -> tensor<*xf32>
// CHECK: arith.mulf
func.func @dcast_per_axis_2(%q: tensor<*x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>>) -> tensor<*xf32> {
  %x = quant.dcast %q : tensor<*x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>> to tensor<*xf32>
  return %x : tensor<*xf32>
}

// CHECK-LABEL: func.func @scast_per_axis_2
// CHECK-SAME: (%[[I:.*]]: tensor<*xi8>) -> tensor<*xi8>
// CHECK-NEXT: return %[[I]]
func.func @scast_per_axis_2(%i: tensor<*xi8>) -> tensor<*xi8> {
  %q = quant.scast %i : tensor<*xi8> to tensor<*x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>>
  %j = quant.scast %q : tensor<*x!quant.uniform<i8:f32:1, {2.0:10, 3.0:20}>> to tensor<*xi8>
  return %j : tensor<*xi8>
}

// CHECK-LABEL: func.func @qcast_sub_channel_0
// CHECK-SAME: ({{.*}}: tensor<2x?x?x4xf32>) -> tensor<2x?x?x4xi8>
// CHECK: arith.fptosi
func.func @qcast_sub_channel_0(%x: tensor<2x?x?x4xf32>) -> tensor<2x?x?x4x!quant.uniform<i8:f32:{0:1, 3:2}, {{{{2.0:10, 3.0:20}}}, {{{4.0:30, 5.0:40}}}}>> {
  %q = quant.qcast %x : tensor<2x?x?x4xf32> to tensor<2x?x?x4x!quant.uniform<i8:f32:{0:1, 3:2}, {{{{2.0:10, 3.0:20}}}, {{{4.0:30, 5.0:40}}}}>>
  return %q : tensor<2x?x?x4x!quant.uniform<i8:f32:{0:1, 3:2}, {{{{2.0:10, 3.0:20}}}, {{{4.0:30, 5.0:40}}}}>>
}

// CHECK-LABEL: func.func @dcast_sub_channel_0
// CHECK-SAME: ({{.*}}: tensor<2x?x?x4xi8>) -> tensor<2x?x?x4xf32>
// CHECK: arith.mulf
func.func @dcast_sub_channel_0(%q: tensor<2x?x?x4x!quant.uniform<i8:f32:{0:1, 3:2}, {{{{2.0:10, 3.0:20}}}, {{{4.0:30, 5.0:40}}}}>>) -> tensor<2x?x?x4xf32> {
  %x = quant.dcast %q : tensor<2x?x?x4x!quant.uniform<i8:f32:{0:1, 3:2}, {{{{2.0:10, 3.0:20}}}, {{{4.0:30, 5.0:40}}}}>> to tensor<2x?x?x4xf32>
  return %x : tensor<2x?x?x4xf32>
}

// CHECK-LABEL: func.func @scast_sub_channel_0
// CHECK-SAME: (%[[I:.*]]: tensor<2x?x?x4xi8>) -> tensor<2x?x?x4xi8>
// CHECK-NEXT: return %[[I]]
func.func @scast_sub_channel_0(%i: tensor<2x?x?x4xi8>) -> tensor<2x?x?x4xi8> {
  %q = quant.scast %i : tensor<2x?x?x4xi8> to tensor<2x?x?x4x!quant.uniform<i8:f32:{0:1, 3:2}, {{{{2.0:10, 3.0:20}}}, {{{4.0:30, 5.0:40}}}}>>
  %j = quant.scast %q : tensor<2x?x?x4x!quant.uniform<i8:f32:{0:1, 3:2}, {{{{2.0:10, 3.0:20}}}, {{{4.0:30, 5.0:40}}}}>> to tensor<2x?x?x4xi8>
  return %j : tensor<2x?x?x4xi8>
}

// CHECK-LABEL: func.func @qcast_sub_channel_1
// CHECK-SAME: ({{.*}}: tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xi8>
// CHECK: arith.fptosi
func.func @qcast_sub_channel_1(%x: tensor<2x3x5x4xf32>) -> tensor<2x3x5x4x!quant.uniform<i8:f32:{0:1, 3:2}, {{{{2.0:10, 3.0:20}}}, {{{4.0:30, 5.0:40}}}}>> {
  %q = quant.qcast %x : tensor<2x3x5x4xf32> to tensor<2x3x5x4x!quant.uniform<i8:f32:{0:1, 3:2}, {{{{2.0:10, 3.0:20}}}, {{{4.0:30, 5.0:40}}}}>>
  return %q : tensor<2x3x5x4x!quant.uniform<i8:f32:{0:1, 3:2}, {{{{2.0:10, 3.0:20}}}, {{{4.0:30, 5.0:40}}}}>>
}

// CHECK-LABEL: func.func @dcast_sub_channel_1
// CHECK-SAME: ({{.*}}: tensor<2x3x5x4xi8>) -> tensor<2x3x5x4xf32>
// CHECK: arith.mulf
func.func @dcast_sub_channel_1(%q: tensor<2x3x5x4x!quant.uniform<i8:f32:{0:1, 3:2}, {{{{2.0:10, 3.0:20}}}, {{{4.0:30, 5.0:40}}}}>>) -> tensor<2x3x5x4xf32> {
  %x = quant.dcast %q : tensor<2x3x5x4x!quant.uniform<i8:f32:{0:1, 3:2}, {{{{2.0:10, 3.0:20}}}, {{{4.0:30, 5.0:40}}}}>> to tensor<2x3x5x4xf32>
  return %x : tensor<2x3x5x4xf32>
}

// CHECK-LABEL: func.func @scast_sub_channel_1
// CHECK-SAME: (%[[I:.*]]: tensor<2x3x5x4xi8>) -> tensor<2x3x5x4xi8>
// CHECK-NEXT: return %[[I]]
func.func @scast_sub_channel_1(%i: tensor<2x3x5x4xi8>) -> tensor<2x3x5x4xi8> {
  %q = quant.scast %i : tensor<2x3x5x4xi8> to tensor<2x3x5x4x!quant.uniform<i8:f32:{0:1, 3:2}, {{{{2.0:10, 3.0:20}}}, {{{4.0:30, 5.0:40}}}}>>
  %j = quant.scast %q : tensor<2x3x5x4x!quant.uniform<i8:f32:{0:1, 3:2}, {{{{2.0:10, 3.0:20}}}, {{{4.0:30, 5.0:40}}}}>> to tensor<2x3x5x4xi8>
  return %j : tensor<2x3x5x4xi8>
}

// CHECK-LABEL: func.func @qcast_f16_0
// CHECK-SAME: ({{.*}}: tensor<4xf16>) -> tensor<4xi16>
// CHECK: arith.fptosi
func.func @qcast_f16_0(%x: tensor<4xf16>) -> tensor<4x!quant.uniform<i16:f16, 2.0:10>> {
  %q = quant.qcast %x : tensor<4xf16> to tensor<4x!quant.uniform<i16:f16, 2.0:10>>
  return %q : tensor<4x!quant.uniform<i16:f16, 2.0:10>>
}

// CHECK-LABEL: func.func @dcast_f16_0
// CHECK-SAME: ({{.*}}: tensor<4xi16>) -> tensor<4xf16>
// CHECK: arith.mulf
func.func @dcast_f16_0(%q: tensor<4x!quant.uniform<i16:f16, 2.0:10>>) -> tensor<4xf16> {
  %x = quant.dcast %q : tensor<4x!quant.uniform<i16:f16, 2.0:10>> to tensor<4xf16>
  return %x : tensor<4xf16>
}

// CHECK-LABEL: func.func @scast_f16_0
// CHECK-SAME: (%[[I:.*]]: tensor<4xi16>) -> tensor<4xi16>
// CHECK-NEXT: return %[[I]]
func.func @scast_f16_0(%i: tensor<4xi16>) -> tensor<4xi16> {
  %q = quant.scast %i : tensor<4xi16> to tensor<4x!quant.uniform<i16:f16, 2.0:10>>
  %j = quant.scast %q : tensor<4x!quant.uniform<i16:f16, 2.0:10>> to tensor<4xi16>
  return %j : tensor<4xi16>
}

// Rounding is not identity: the pair is two generics, also after the canonicalizer.
// CHECK-LABEL: func.func @pair
// CHECK: math.{{roundeven|trunc}}
// CHECK: arith.mulf
func.func @pair(%x: tensor<4xf32>) -> tensor<4xf32> {
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 2.0:10>>
  %y = quant.dcast %q : tensor<4x!quant.uniform<i8:f32, 2.0:10>> to tensor<4xf32>
  return %y : tensor<4xf32>
}
