// RUN: quant-opt %s --qdq-codegen-saturating-packs | FileCheck %s

// In a graph region, roundings and clamps may be made of each other, without an end.
// CHECK-NOT: pack
// CHECK: arith.trunci
// CHECK: arith.trunci
module {
  %0 = math.roundeven %1 : vector<64xf32>
  %1 = math.floor %0 : vector<64xf32>
  %2 = arith.fptosi %0 : vector<64xf32> to vector<64xi32>
  %3 = arith.trunci %2 : vector<64xi32> to vector<64xi8>
  %low = arith.constant dense<-9.0> : vector<64xf32>
  %4 = arith.cmpf ogt, %5, %low : vector<64xf32>
  %5 = arith.select %4, %5, %low : vector<64xi1>, vector<64xf32>
  %6 = arith.fptosi %5 : vector<64xf32> to vector<64xi32>
  %7 = arith.trunci %6 : vector<64xi32> to vector<64xi8>
}
