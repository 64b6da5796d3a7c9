/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls a function that quant-compile has compiled: see docs/AheadOfTime.md. */

#include "quantize.h"
#include <stdio.h>

int main(void) {
  const float x[2][4] = {{-1.0f, 0.5f, 1.5f, 2.9f}, {300.0f, -300.0f, 0.0f, 7.0f}};
  const float scale[4] = {0.5f, 0.5f, 0.5f, 0.1f};
  uint8_t codes[2][4];
  int failed = quantize(&x[0][0], 2, scale, 4, &codes[0][0]);
  if (failed)
    return failed;
  for (int row = 0; row < 2; ++row)
    printf("%3d %3d %3d %3d\n", codes[row][0], codes[row][1], codes[row][2], codes[row][3]);
  return 0;
}
