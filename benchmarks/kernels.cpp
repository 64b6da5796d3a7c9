// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fastest kernels that we know how to write by hand, for AVX-512: what
// kernels.py compares with. Each gives the bits of profile=ort.

#include <cmath>
#include <cstdint>
#include <immintrin.h>

namespace {
/// Bytes read and written from which stores past the caches are faster.
constexpr long kStreamBytes = 32l << 20;

bool isAligned(const void *p) {
  return reinterpret_cast<uintptr_t>(p) % 64 == 0;
}

template <bool Stream>
void store(float *y, __m512 v) {
  if constexpr (Stream)
    _mm512_stream_ps(y, v);
  else
    _mm512_storeu_ps(y, v);
}

/// Sixteen codes as i32, before the zero point is added. `low` and `high` are
/// the ends of the codes, times the scale: within them the quotient is finite,
/// and one correction of `x * (1 / s)` rounds as the division does.
template <bool Correct>
__m512i divide(const float *x, __m512 scale, __m512 reciprocal, __m512 low,
               __m512 high) {
  __m512 v = _mm512_loadu_ps(x);
  if constexpr (Correct) {
    v = _mm512_min_ps(_mm512_max_ps(v, low), high);
    __m512 q = _mm512_mul_ps(v, reciprocal);
    return _mm512_cvtps_epi32(
        _mm512_fnmadd_ps(_mm512_fmsub_ps(q, scale, v), reciprocal, q));
  }
  return _mm512_cvtps_epi32(
      _mm512_min_ps(_mm512_max_ps(_mm512_div_ps(v, scale), low), high));
}

template <bool Correct, bool Stream>
void quantizeAll(const float *x, float s, int z, int8_t *y, long n) {
  __m512 scale = _mm512_set1_ps(s), reciprocal = _mm512_set1_ps(1 / s);
  float unit = Correct ? s : 1;
  __m512 low = _mm512_set1_ps((-128 - z) * unit),
         high = _mm512_set1_ps((127 - z) * unit);
  __m512i zero = _mm512_set1_epi16(z),
          order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3,
                                    7, 11, 15);
  for (long i = 0; i < n; i += 64) {
    __m512i part[4];
    for (int k = 0; k < 4; ++k)
      part[k] = divide<Correct>(x + i + 16 * k, scale, reciprocal, low, high);
    __m512i first =
        _mm512_adds_epi16(_mm512_packs_epi32(part[0], part[1]), zero);
    __m512i second =
        _mm512_adds_epi16(_mm512_packs_epi32(part[2], part[3]), zero);
    __m512i codes =
        _mm512_permutexvar_epi32(order, _mm512_packs_epi16(first, second));
    if constexpr (Stream)
      _mm512_stream_si512(reinterpret_cast<__m512i *>(y + i), codes);
    else
      _mm512_storeu_si512(y + i, codes);
  }
}

template <bool Stream>
void dequantizeAll(const int8_t *x, float s, int z, float *y, long n) {
  __m512 scale = _mm512_set1_ps(s);
  __m512i zero = _mm512_set1_epi32(z);
  for (long i = 0; i < n; i += 16) {
    __m512i codes = _mm512_cvtepi8_epi32(
        _mm_loadu_si128(reinterpret_cast<const __m128i *>(x + i)));
    store<Stream>(
        y + i, _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_sub_epi32(codes, zero)),
                             scale));
  }
}

template <bool Stream>
void dequantizeRows(const int8_t *x, const float *s, float *y, long rows,
                    long columns) {
  for (long r = 0; r < rows; ++r)
    for (long c = 0; c < columns; c += 16, x += 16, y += 16) {
      __m512i codes = _mm512_cvtepi8_epi32(
          _mm_loadu_si128(reinterpret_cast<const __m128i *>(x)));
      store<Stream>(
          y, _mm512_mul_ps(_mm512_cvtepi32_ps(codes), _mm512_loadu_ps(s + c)));
    }
}

/// The products of all sixteen codes, once for a block; then each code takes
/// its own.
template <bool Stream>
void dequantizeBlocks(const uint8_t *x, const float *s, float *y, long blocks,
                      int block) {
  __m512 codes =
      _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1);
  __m128i low = _mm_set1_epi8(15);
  for (long b = 0; b < blocks; ++b) {
    __m512 table = _mm512_mul_ps(codes, _mm512_set1_ps(s[b]));
    for (int i = 0; i < block; i += 32, x += 16, y += 32) {
      __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(x));
      __m128i even = _mm_and_si128(bytes, low),
              odd = _mm_and_si128(_mm_srli_epi16(bytes, 4), low);
      store<Stream>(
          y, _mm512_permutexvar_ps(
                 _mm512_cvtepu8_epi32(_mm_unpacklo_epi8(even, odd)), table));
      store<Stream>(
          y + 16,
          _mm512_permutexvar_ps(
              _mm512_cvtepu8_epi32(_mm_unpackhi_epi8(even, odd)), table));
    }
  }
}
} // namespace

extern "C" {
/// `n` is a multiple of 64.
void quantize(const float *x, float s, int z, int8_t *y, long n) {
  bool isExact = s >= 0x1p-60f && s <= 0x1p60f,
       stream = 5 * n >= kStreamBytes && isAligned(y);
  (isExact  ? stream ? quantizeAll<true, true> : quantizeAll<true, false>
   : stream ? quantizeAll<false, true>
            : quantizeAll<false, false>)(x, s, z, y, n);
  _mm_sfence();
}

/// `n` and `columns` are multiples of 16, `block` of 32.
void dequantize(const int8_t *x, float s, int z, float *y, long n) {
  (5 * n >= kStreamBytes && isAligned(y) ? dequantizeAll<true>
                                         : dequantizeAll<false>)(x, s, z, y, n);
  _mm_sfence();
}

void dequantize_axis_1(const int8_t *x, const float *s, float *y, long rows,
                       long columns) {
  (5 * rows * columns >= kStreamBytes && isAligned(y)
       ? dequantizeRows<true>
       : dequantizeRows<false>)(x, s, y, rows, columns);
  _mm_sfence();
}

void dequantize_blocks(const uint8_t *x, const float *s, float *y, long blocks,
                       int block) {
  (5 * blocks * block >= kStreamBytes && isAligned(y)
       ? dequantizeBlocks<true>
       : dequantizeBlocks<false>)(x, s, y, blocks, block);
  _mm_sfence();
}
}
