// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fastest kernels that we know how to write by hand, for AVX-512: what
// kernels.py compares with. Each gives the bits of profile=ort. Sizes are
// multiples of 64; the last argument says whether stores go past the caches,
// for which results begin with a cache line.

#include <cmath>
#include <cstdint>
#include <immintrin.h>

namespace {
__m128i load128(const void *p) {
  return _mm_loadu_si128(static_cast<const __m128i *>(p));
}

template <bool Stream>
void store(float *y, __m512 v) {
  Stream ? _mm512_stream_ps(y, v) : _mm512_storeu_ps(y, v);
}

template <bool Stream>
void store(void *y, __m512i v) {
  Stream ? _mm512_stream_si512(static_cast<__m512i *>(y), v)
         : _mm512_storeu_si512(y, v);
}

template <bool Stream>
void store(void *y, __m128i v) {
  Stream ? _mm_stream_si128(static_cast<__m128i *>(y), v)
         : _mm_storeu_si128(static_cast<__m128i *>(y), v);
}

/// Sixteen quotients, rounded and clamped to codes. Within the ends of the
/// codes, times the scale, a quotient is finite, and one correction of
/// `x * (1 / s)` rounds as the division does, for scales that are neither tiny
/// nor huge.
struct Divider {
  __m512 scale, reciprocal, low, high;
  bool corrects;

  Divider(float s, int first, int last)
      : scale(_mm512_set1_ps(s)), reciprocal(_mm512_set1_ps(1 / s)),
        corrects(s >= 0x1p-60f && s <= 0x1p60f) {
    low = _mm512_set1_ps(first * (corrects ? s : 1));
    high = _mm512_set1_ps(last * (corrects ? s : 1));
  }

  template <bool Correct>
  __m512i codes(const float *x) const {
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
};

/// 64 bytes of four times sixteen i32, in their order.
__m512i narrow(const __m512i *part, __m512i zero) {
  __m512i order =
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  __m512i first = _mm512_adds_epi16(_mm512_packs_epi32(part[0], part[1]), zero);
  __m512i second =
      _mm512_adds_epi16(_mm512_packs_epi32(part[2], part[3]), zero);
  return _mm512_permutexvar_epi32(order, _mm512_packs_epi16(first, second));
}

template <bool Correct, bool Stream>
void quantizeRun(const float *x, const Divider &divider, int z, void *y, long n,
                 bool isUnsigned) {
  // Unsigned codes are signed ones with 128 added.
  __m512i zero = _mm512_set1_epi16(isUnsigned ? z - 128 : z),
          flip = _mm512_set1_epi8(isUnsigned ? -128 : 0);
  for (long i = 0; i < n; i += 64) {
    __m512i part[4];
    for (int k = 0; k < 4; ++k)
      part[k] = divider.codes<Correct>(x + i + 16 * k);
    store<Stream>(static_cast<int8_t *>(y) + i,
                  _mm512_xor_si512(narrow(part, zero), flip));
  }
}

template <bool Stream>
void quantizeRows(const float *x, const float *s, const int8_t *z, int8_t *y,
                  long rows, long columns, bool isUnsigned) {
  for (long r = 0; r < rows; ++r, x += columns, y += columns) {
    int zero = z ? isUnsigned ? uint8_t(z[r]) : z[r] : 0,
        first = isUnsigned ? 0 : -128;
    Divider divider(s[r], first - zero, first + 255 - zero);
    (divider.corrects ? quantizeRun<true, Stream>
                      : quantizeRun<false, Stream>)(x, divider, zero, y,
                                                    columns, isUnsigned);
  }
}

template <bool Stream>
void quantizeColumns(const float *x, const float *s, int8_t *y, long rows,
                     long columns) {
  __m512 low = _mm512_set1_ps(-128), high = _mm512_set1_ps(127);
  for (long r = 0; r < rows; ++r)
    for (long c = 0; c < columns; c += 64, x += 64, y += 64) {
      __m512i part[4];
      for (int k = 0; k < 4; ++k) {
        __m512 q = _mm512_div_ps(_mm512_loadu_ps(x + 16 * k),
                                 _mm512_loadu_ps(s + c + 16 * k));
        part[k] =
            _mm512_cvtps_epi32(_mm512_min_ps(_mm512_max_ps(q, low), high));
      }
      store<Stream>(y, narrow(part, _mm512_setzero_si512()));
    }
}

template <bool Stream>
void dequantizeRows(const int8_t *x, const float *s, const int8_t *z, float *y,
                    long rows, long columns) {
  for (long r = 0; r < rows; ++r) {
    __m512i zero = _mm512_set1_epi32(z ? z[r] : 0);
    __m512 scale = _mm512_set1_ps(s[r]);
    for (long c = 0; c < columns; c += 16, x += 16, y += 16) {
      __m512i codes = _mm512_sub_epi32(_mm512_cvtepi8_epi32(load128(x)), zero);
      store<Stream>(y, _mm512_mul_ps(_mm512_cvtepi32_ps(codes), scale));
    }
  }
}

template <bool Stream>
void dequantizeColumns(const int8_t *x, const float *s, float *y, long rows,
                       long columns) {
  for (long r = 0; r < rows; ++r)
    for (long c = 0; c < columns; c += 16, x += 16, y += 16)
      store<Stream>(
          y, _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(load128(x))),
                           _mm512_loadu_ps(s + c)));
}

/// The scale of a block: as f32, f8E8M0FNU, or f8E4M3FN
/// times a second scale.
float decode(const float *s, long b, float) { return s[b]; }

float bitsToFloat(uint32_t bits) {
  float f;
  __builtin_memcpy(&f, &bits, 4);
  return f;
}

struct E8M0 {
  uint8_t code;
};

float decode(const E8M0 *s, long b, float) {
  uint32_t code = s[b].code;
  return bitsToFloat(code == 0     ? 0x400000
                     : code == 255 ? 0x7FC00000
                                   : code << 23);
}

struct E4M3 {
  uint8_t code;
};

float decode(const E4M3 *s, long b, float second) {
  uint32_t code = s[b].code;
  float v = _cvtsh_ss((code & 0x80) << 8 | (code & 0x7F) << 7) * 256;
  return ((code & 0x7F) == 0x7F ? NAN : v) * second;
}

/// The values of the sixteen codes, before the scale.
__m512 values(bool isFloat, int zero, bool isUnsigned) {
  if (isFloat)
    return _mm512_setr_ps(0, .5f, 1, 1.5f, 2, 3, 4, 6, -0.f, -.5f, -1, -1.5f,
                          -2, -3, -4, -6);
  __m512i codes =
      _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  if (!isUnsigned) // 8 to 15 are negative.
    codes = _mm512_sub_epi32(_mm512_xor_si512(codes, _mm512_set1_epi32(8)),
                             _mm512_set1_epi32(8));
  return _mm512_cvtepi32_ps(_mm512_sub_epi32(codes, _mm512_set1_epi32(zero)));
}

/// The products of all sixteen codes, once for a block; then each code takes
/// its own.
template <bool Stream, class Scale>
void dequantizeBlocks(const uint8_t *x, const Scale *s, float second,
                      const uint8_t *z, float *y, long blocks, int block,
                      bool isFloat) {
  __m512 codes = values(isFloat, 0, false);
  __m128i low = _mm_set1_epi8(15);
  for (long b = 0; b < blocks; ++b) {
    if (z)
      codes = values(false, z[b / 2] >> (b % 2 * 4) & 15, true);
    __m512 table = _mm512_mul_ps(codes, _mm512_set1_ps(decode(s, b, second)));
    for (int i = 0; i < block; i += 16, x += 8, y += 16) {
      __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(x));
      __m128i nibbles = _mm_and_si128(
          _mm_unpacklo_epi8(bytes, _mm_srli_epi16(bytes, 4)), low);
      store<Stream>(
          y, _mm512_permutexvar_ps(_mm512_cvtepu8_epi32(nibbles), table));
    }
  }
}

template <bool Correct, bool Stream>
void quantizeBlock(const float *x, const Divider &divider, uint8_t *y,
                   int block) {
  for (int i = 0; i < block; i += 32, x += 32, y += 16) {
    __m256i codes = _mm256_and_si256(
        _mm256_set_m128i(_mm512_cvtepi32_epi8(divider.codes<Correct>(x + 16)),
                         _mm512_cvtepi32_epi8(divider.codes<Correct>(x))),
        _mm256_set1_epi8(15));
    // Pairs: the second code times sixteen, and the first.
    __m256i pairs = _mm256_maddubs_epi16(codes, _mm256_set1_epi16(0x1001));
    store<Stream>(y, _mm256_cvtepi16_epi8(pairs));
  }
}

template <bool Stream>
void quantizeBlocks(const float *x, const float *s, uint8_t *y, long blocks,
                    int block) {
  for (long b = 0; b < blocks; ++b, x += block, y += block / 2) {
    Divider divider(s[b], -8, 7);
    (divider.corrects ? quantizeBlock<true, Stream>
                      : quantizeBlock<false, Stream>)(x, divider, y, block);
  }
}

/// f8E5M2 is the upper byte of f16. f8E4M3FN has the exponent of f16 less 8,
/// without infinities.
template <bool Stream, bool IsE4M3>
void dequantizeFloat8(const uint8_t *x, float s, float *y, long n) {
  __m512 scale = _mm512_set1_ps(s), unit = _mm512_set1_ps(256);
  for (long i = 0; i < n; i += 32) {
    __m512i bits = _mm512_cvtepu8_epi16(
        _mm256_loadu_si256(reinterpret_cast<const __m256i *>(x + i)));
    bits = _mm512_slli_epi16(bits, 8);
    if constexpr (IsE4M3) {
      __m512i magnitude = _mm512_and_si512(bits, _mm512_set1_epi16(0x7F00));
      __mmask32 isNaN =
          _mm512_cmpeq_epi16_mask(magnitude, _mm512_set1_epi16(0x7F00));
      bits = _mm512_and_si512(_mm512_srai_epi16(bits, 1),
                              _mm512_set1_epi16(short(0xBFFF)));
      bits = _mm512_mask_blend_epi16(isNaN, bits, _mm512_set1_epi16(0x7E00));
    }
    for (int k = 0; k < 2; ++k) {
      __m512 v = _mm512_cvtph_ps(k ? _mm512_extracti64x4_epi64(bits, 1)
                                   : _mm512_castsi512_si256(bits));
      if constexpr (IsE4M3)
        v = _mm512_mul_ps(v, unit);
      store<Stream>(y + i + 16 * k, _mm512_mul_ps(v, scale));
    }
  }
}

/// To f8E4M3FN, saturating: normal codes by adding half a unit to the bits,
/// subnormal ones by adding a number whose last place is their unit.
template <bool Stream>
void quantizeFloat8(const float *x, float s, uint8_t *y, long n) {
  __m512 scale = _mm512_set1_ps(s), most = _mm512_set1_ps(448),
         aligned = _mm512_set1_ps(16384);
  __m512i ones = _mm512_set1_epi32(1);
  for (long i = 0; i < n; i += 16) {
    __m512 q = _mm512_div_ps(_mm512_loadu_ps(x + i), scale);
    __m512 magnitude = _mm512_abs_ps(q);
    __mmask16 isNaN = _mm512_cmp_ps_mask(q, q, _CMP_UNORD_Q),
              isSmall = _mm512_cmp_ps_mask(magnitude, _mm512_set1_ps(0x1p-6f),
                                           _CMP_LT_OQ);
    magnitude = _mm512_min_ps(magnitude, most);
    __m512i bits = _mm512_castps_si512(magnitude);
    __m512i last = _mm512_and_si512(_mm512_srli_epi32(bits, 20), ones);
    __m512i code = _mm512_srli_epi32(
        _mm512_add_epi32(_mm512_add_epi32(bits, last),
                         _mm512_set1_epi32((1 << 19) - 1 - (120 << 23))),
        20);
    code = _mm512_mask_sub_epi32(
        code, isSmall, _mm512_castps_si512(_mm512_add_ps(magnitude, aligned)),
        _mm512_castps_si512(aligned));
    code = _mm512_mask_blend_epi32(isNaN, code, _mm512_set1_epi32(0x7F));
    __m512i sign = _mm512_srli_epi32(_mm512_castps_si512(q), 24);
    // The code, and of the sign its highest bit.
    code = _mm512_ternarylogic_epi32(code, sign, _mm512_set1_epi32(0x80), 0xF8);
    store<Stream>(y + i, _mm512_cvtepi32_epi8(code));
  }
}

/// The limit of memory: so many lines of 64 bytes read and written, evenly
/// mixed.
template <bool Stream>
void copy(const uint8_t *x, uint8_t *y, long reads, long writes) {
  __m512i sum = _mm512_setzero_si512();
  long read = 0, written = 0;
  while (read < reads || written < writes) {
    // As far behind as the other, in parts of the whole.
    if (read * writes <= written * reads)
      sum = _mm512_xor_si512(sum, _mm512_loadu_si512(x + 64 * read++));
    else
      store<Stream>(y + 64 * written++, sum);
  }
}
} // namespace

/// The function for both kinds of stores.
#define DISPATCH(function, ...)                                                \
  if (stream) {                                                                \
    function<true>(__VA_ARGS__);                                               \
    _mm_sfence();                                                              \
  } else {                                                                     \
    function<false>(__VA_ARGS__);                                              \
  }

extern "C" {
/// An empty call, whose time is none of a kernel's.
void nothing(const void *, const void *, const void *, long, long, int) {}

void copy_lines(const uint8_t *x, uint8_t *y, long reads, long writes,
                int stream) {
  DISPATCH(copy, x, y, reads / 64, writes / 64)
}

/// A scale and a zero point, or null, for each row.
void quantize_i8(const float *x, const float *s, const int8_t *z, int8_t *y,
                 long rows, long columns, int stream) {
  DISPATCH(quantizeRows, x, s, z, y, rows, columns, false)
}

void quantize_u8(const float *x, const float *s, const int8_t *z, int8_t *y,
                 long rows, long columns, int stream) {
  DISPATCH(quantizeRows, x, s, z, y, rows, columns, true)
}

void dequantize_i8(const int8_t *x, const float *s, const int8_t *z, float *y,
                   long rows, long columns, int stream) {
  DISPATCH(dequantizeRows, x, s, z, y, rows, columns)
}

/// A scale for each column.
void quantize_i8_axis_1(const float *x, const float *s, const void *, int8_t *y,
                        long rows, long columns, int stream) {
  DISPATCH(quantizeColumns, x, s, y, rows, columns)
}

void dequantize_i8_axis_1(const int8_t *x, const float *s, const void *,
                          float *y, long rows, long columns, int stream) {
  DISPATCH(dequantizeColumns, x, s, y, rows, columns)
}

/// `blocks` of `block` codes of 4 bits, a scale each; z: null, or zero points
/// of unsigned codes, of 4 bits as well.
void dequantize_i4(const uint8_t *x, const float *s, const uint8_t *z, float *y,
                   long blocks, long block, int stream) {
  DISPATCH(dequantizeBlocks, x, s, 1, z, y, blocks, block, false)
}

void dequantize_f4(const uint8_t *x, const float *s, const void *, float *y,
                   long blocks, long block, int stream) {
  DISPATCH(dequantizeBlocks, x, s, 1, nullptr, y, blocks, block, true)
}

void dequantize_mxfp4(const uint8_t *x, const E8M0 *s, const void *, float *y,
                      long blocks, long block, int stream) {
  DISPATCH(dequantizeBlocks, x, s, 1, nullptr, y, blocks, block, true)
}

void dequantize_nvfp4(const uint8_t *x, const E4M3 *s, const float *second,
                      float *y, long blocks, long block, int stream) {
  DISPATCH(dequantizeBlocks, x, s, *second, nullptr, y, blocks, block, true)
}

void quantize_i4(const float *x, const float *s, const void *, uint8_t *y,
                 long blocks, long block, int stream) {
  DISPATCH(quantizeBlocks, x, s, y, blocks, block)
}

void quantize_f8E4M3FN(const float *x, const float *s, const void *, uint8_t *y,
                       long rows, long columns, int stream) {
  DISPATCH(quantizeFloat8, x, *s, y, rows * columns)
}

void dequantize_f8E4M3FN(const uint8_t *x, const float *s, const void *,
                         float *y, long rows, long columns, int stream) {
  if (stream) {
    dequantizeFloat8<true, true>(x, *s, y, rows * columns);
    _mm_sfence();
  } else {
    dequantizeFloat8<false, true>(x, *s, y, rows * columns);
  }
}

void dequantize_f8E5M2(const uint8_t *x, const float *s, const void *, float *y,
                       long rows, long columns, int stream) {
  if (stream) {
    dequantizeFloat8<true, false>(x, *s, y, rows * columns);
    _mm_sfence();
  } else {
    dequantizeFloat8<false, false>(x, *s, y, rows * columns);
  }
}
}
