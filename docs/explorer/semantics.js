// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/Semantics.md for one element, in JavaScript. Held to mlir_qdq.reference and
// to the conformance corpus by test/python/test_explorer.py. `TABLES` comes from
// make.py: fields, profiles and float formats of mlir_qdq.reference.
//
// A value of any type is kept in a Number, which is a float64. Operations of f32,
// f16 and bf16 are made in float64 and then narrowed: that rounds once in effect,
// since 53 bits are more than twice 24, plus two.
"use strict";
const Semantics = (() => {
  const { fields: FIELDS, profiles: PROFILES, formats: FORMATS } = TABLES;
  const view = new DataView(new ArrayBuffer(8));

  // --- float64 in pieces ---------------------------------------------------------

  function bitsOf(value) {
    view.setFloat64(0, value);
    return view.getBigUint64(0);
  }
  function fromBits(bits) {
    view.setBigUint64(0, bits);
    return view.getFloat64(0);
  }
  const isNegative = (value) => value < 0 || Object.is(value, -0);
  const withSign = (magnitude, sign) =>
    isNegative(sign) ? -Math.abs(magnitude) : Math.abs(magnitude);
  /** 2^n for a normal n. */
  const powerOfTwo = (n) => fromBits(BigInt(n + 1023) << 52n);

  /** floor(log2 |value|) of a finite value; -1 for zero. */
  function exponentOf(value) {
    if (value === 0) return -1;
    const exponent = Number((bitsOf(value) >> 52n) & 0x7ffn);
    return exponent ? exponent - 1023 : exponentOf(value * powerOfTwo(54)) - 54;
  }

  // --- rounding ------------------------------------------------------------------

  function roundToInteger(value, mode) {
    // Magnitude and sign apart: the fraction of a magnitude is exact.
    const magnitude = Math.abs(value);
    const below = Math.floor(magnitude);
    const fraction = magnitude - below; // NaN for an infinity: nothing below holds
    const negative = isNegative(value);
    const odd = below % 2 === 1;
    const tie = fraction === 0.5;
    const inexact = fraction > 0;
    const up = {
      "nearest-even": fraction > 0.5 || (tie && odd),
      "nearest-away": fraction > 0.5 || tie,
      "nearest-up": fraction > 0.5 || (tie && !negative),
      "nearest-down": fraction > 0.5 || (tie && negative),
      "toward-zero": false,
      floor: inexact && negative,
      ceil: inexact && !negative,
      "away-from-zero": inexact,
      "to-odd": inexact && !odd,
    }[mode];
    return withSign(below + (up ? 1 : 0), value);
  }

  /** floor(value) + (draw < frac); frac in f32, or f64 for compute f64. */
  function roundStochastically(value, draw, compute) {
    const below = Math.floor(value);
    let fraction = value - below;
    if (compute !== "f64") fraction = Math.fround(fraction);
    return withSign(below + (draw < fraction ? 1 : 0), value);
  }

  function round(value, mode, draw, compute) {
    return mode === "stochastic"
      ? roundStochastically(value, draw, compute)
      : roundToInteger(value, mode);
  }

  /** To the precision of a format, with an exponent that has no upper bound. */
  function roundToPrecision(value, format, mode, draw, compute) {
    if (!Number.isFinite(value)) return value;
    const unit =
      Math.max(exponentOf(value), format.minExponent) - (format.precision - 1);
    const scaled = value * powerOfTwo(-unit);
    return round(scaled, mode, draw, compute) * powerOfTwo(unit);
  }

  /** One rounding to nearest even, infinite beyond the type. */
  function cast(value, type) {
    if (type === "f64") return value;
    if (type === "f32") return Math.fround(value);
    const format = FORMATS[type];
    const rounded = roundToPrecision(value, format, "nearest-even");
    return Math.abs(rounded) > format.maxFinite ? withSign(Infinity, value) : rounded;
  }

  // --- operations in a type --------------------------------------------------------

  const add = (a, b, type) => cast(a + b, type);
  const multiply = (a, b, type) => cast(a * b, type);
  const divide = (a, b, type) => cast(a / b, type);

  /** The sum rounded to odd: no later rounding to fewer bits sees a tie in it. */
  function addToOdd(a, b) {
    const total = a + b;
    const part = total - a;
    const error = a - (total - part) + (b - part);
    if (!Number.isFinite(error) || error === 0 || bitsOf(total) & 1n) return total;
    const away = isNegative(total) === isNegative(error);
    return fromBits(bitsOf(total) + (away ? 1n : -1n));
  }

  /** A finite value as [m, e], m * 2^e. */
  function parts(value) {
    const bits = bitsOf(value);
    const exponent = Number((bits >> 52n) & 0x7ffn);
    const fraction = bits & 0xfffffffffffffn;
    const m = exponent ? fraction | (1n << 52n) : fraction;
    return [bits >> 63n ? -m : m, (exponent || 1) - 1075];
  }

  /** m * 2^e as the nearest float64, ties to even. */
  function nearest(m, e) {
    if (m === 0n) return 0;
    const sign = m < 0n ? -1 : 1;
    if (m < 0n) m = -m;
    let cut = Math.max(m.toString(2).length - 53, -1074 - e);
    if (cut > 0) {
      const half = 1n << BigInt(cut - 1);
      const rest = m & ((1n << BigInt(cut)) - 1n);
      m >>= BigInt(cut);
      if (rest > half || (rest === half && m & 1n)) m += 1n;
      e += cut;
    }
    if (e > 971) return sign * Infinity;
    // Two steps, of which at most the exact one leaves the normal range.
    const lower = Math.max(e, -1022);
    return sign * Number(m) * powerOfTwo(lower) * (e < lower ? powerOfTwo(e - lower) : 1);
  }

  function fusedMultiplyAdd(a, b, c, type) {
    if (type !== "f64") return cast(addToOdd(a * b, c), type); // a * b is exact
    if (Number.isFinite(a) && Number.isFinite(b) && !Number.isFinite(c)) return c;
    if (![a, b, c].every(Number.isFinite) || a === 0 || b === 0) return a * b + c;
    const [ma, ea] = parts(a);
    const [mb, eb] = parts(b);
    const [mc, ec] = parts(c);
    const e = Math.min(ea + eb, ec);
    return nearest(
      ((ma * mb) << BigInt(ea + eb - e)) + (mc << BigInt(ec - e)), e);
  }

  // --- stochastic rounding: Philox4x32-10 --------------------------------------------

  function uniform(index, seed) {
    const mask = 0xffffffffn;
    const bits = BigInt.asUintN(64, BigInt(seed));
    let [k0, k1] = [bits & mask, bits >> 32n];
    let [c0, c1, c2, c3] = [BigInt(index) & mask, BigInt(index) >> 32n, 0n, 0n];
    for (let i = 0; i < 10; ++i) {
      const p0 = 0xd2511f53n * c0;
      const p1 = 0xcd9e8d57n * c2;
      [c0, c1, c2, c3] = [(p1 >> 32n) ^ c1 ^ k0, p1 & mask, (p0 >> 32n) ^ c3 ^ k1, p0 & mask];
      k0 = (k0 + 0x9e3779b9n) & mask;
      k1 = (k1 + 0xbb67ae85n) & mask;
    }
    return Number(c0 >> 8n) * powerOfTwo(-24);
  }

  // --- fields ---------------------------------------------------------------------

  /** Every field, from what is stated, then the profile, then the defaults; and the
   *  rules from which the compute types follow. */
  function resolve(stated, profile) {
    const base = profile ? PROFILES[profile] : null;
    const fields = {};
    for (const name of Object.keys(FIELDS)) {
      fields[name] = stated[name] || (base ? base.fields[name] : FIELDS[name][0]);
    }
    const fixed = stated.compute;
    return {
      fields,
      quantizeCompute: fixed || (base ? base.quantizeCompute : "auto"),
      dequantizeCompute: fixed || (base ? base.dequantizeCompute : "auto"),
    };
  }

  const EXPRESSED = ["f16", "bf16", "f32", "f64"];
  const isExpressed = (type) => EXPRESSED.includes(type);

  function quantizeComputeType(rule, x, scale) {
    const expressed = isExpressed(x) ? x : "f32"; // an integer x counts as f32
    if (isExpressed(rule)) return rule;
    return rule === "expressed" || !isExpressed(scale) ? expressed : scale;
  }

  function dequantizeComputeType(rule, scale, result) {
    if (isExpressed(rule)) return rule;
    if (rule === "expressed") return result;
    if (rule === "wide-expressed") return result === "f64" ? "f64" : "f32";
    if (rule === "scale") return isExpressed(scale) ? scale : result;
    return scale === "f64" || result === "f64" ? "f64" : "f32";
  }

  /** Bounds of an integer storage; null of a float. */
  function boundsOf(storage) {
    const spelling = /^(si|ui|i)(\d+)$/.exec(storage);
    if (!spelling) return null;
    const bits = Number(spelling[2]);
    return spelling[1] === "ui"
      ? { bits, low: 0, high: 2 ** bits - 1 }
      : { bits, low: -(2 ** (bits - 1)), high: 2 ** (bits - 1) - 1 };
  }

  // --- quantize -------------------------------------------------------------------

  /** `op`: x and scale with their types xType and scaleType; zero (or null), with
   *  zeroIsFloat, domain; storage, clamp (or null), index and seed of a draw; fields and
   *  quantizeCompute of `resolve`. Returns the code (of float storage: its value), whether
   *  it is defined, and the steps. */
  function quantize(op) {
    const { fields } = op;
    const compute = quantizeComputeType(op.quantizeCompute, op.xType, op.scaleType);
    const draw = fields.rounding === "stochastic" ? uniform(op.index || 0, op.seed || 0) : null;
    let xc = cast(op.x, compute);
    const sc = cast(op.scale, compute);
    let z = op.zero;
    const expressed = op.domain === "expressed";
    if (z !== null && expressed) {
      xc = add(xc, -cast(z, compute), compute);
      z = null;
    }
    const reciprocal = fields.division === "reciprocal";
    const k = reciprocal ? divide(1, sc, compute) : null;
    const ratio = reciprocal ? multiply(xc, k, compute) : divide(xc, sc, compute);
    let sum = ratio;
    if (z !== null) {
      const zc = cast(z, compute);
      sum = fields.fusion === "fma" && reciprocal
        ? fusedMultiplyAdd(xc, k, zc, compute)
        : add(ratio, zc, compute);
    }
    const steps = { compute, x: xc, scale: sc, reciprocal: k, ratio, draw };
    const result = boundsOf(op.storage)
      ? toInteger(op, z, ratio, sum, draw, compute, steps)
      : toFloat(op, sum, draw, compute, steps);
    return { ...result, steps };
  }

  function toInteger(op, z, ratio, sum, draw, compute, steps) {
    const { fields } = op;
    const type = boundsOf(op.storage);
    const [low, high] = op.clamp || [type.low, type.high];
    const addsAfter =
      fields.order === "round-then-add" && z !== null && !op.zeroIsFloat;
    const real = addsAfter ? ratio : sum;
    const addend = addsAfter ? z : 0;
    const rounded = round(real, fields.rounding, draw, compute);
    // Bounds and zero points stay below 2^33: this changes no comparison.
    let v = Math.min(Math.max(Number.isNaN(rounded) ? 0 : rounded, -(2 ** 40)), 2 ** 40) + addend;
    let noCode = Number.isNaN(real);
    let defined = true;
    if (fields.overflow === "wrap") {
      noCode = noCode || !Number.isFinite(real);
      const modulus = 2 ** type.bits;
      v = ((noCode ? 0 : rounded % modulus) + addend - type.low) % modulus;
      v = ((v + modulus) % modulus) + type.low;
    } else if (fields.overflow === "undefined") {
      defined = noCode || (v >= type.low && v <= type.high);
    }
    if (fields.nan === "undefined" && fields.overflow !== "saturate") {
      defined = defined && !noCode;
    }
    Object.assign(steps, { real, addsAfter, rounded, beforeClamp: noCode ? NaN : v });
    const clamped = Math.min(Math.max(v, low), high) + 0;
    return { code: noCode ? nanCode(op, z, low, high, draw, compute) : clamped, defined };
  }

  function nanCode(op, z, low, high, draw, compute) {
    const { nan, rounding } = op.fields;
    const clamp = (v) => Math.min(Math.max(v, low), high) + 0;
    if (nan === "highest") return high;
    if (nan === "zero" || (nan === "zero-point" && z === null)) return clamp(0);
    if (nan === "zero-point") {
      const zero = op.zeroIsFloat ? round(cast(z, compute), rounding, draw, compute) : z;
      return Number.isNaN(zero) ? low : clamp(zero);
    }
    return low;
  }

  function roundsTowardZero(mode, t) {
    if (mode === "toward-zero" || mode === "to-odd") return true;
    return mode === "floor" ? !isNegative(t) : mode === "ceil" && isNegative(t);
  }

  function toFloat(op, t, draw, compute, steps) {
    const format = FORMATS[op.storage];
    const mode = op.fields.rounding;
    let q = roundToPrecision(t, format, mode, draw, compute);
    Object.assign(steps, { real: t, addsAfter: false, rounded: q, beforeClamp: q });
    if (Math.abs(q) > format.maxFinite) {
      const largest = withSign(format.maxFinite, t);
      const inward = Number.isFinite(t) && roundsTowardZero(mode, t);
      if (op.fields.float_overflow === "saturate" || inward) q = largest;
      else if (format.hasInfinity) q = withSign(Infinity, t);
      else q = format.hasNaN ? NaN : largest;
    }
    if (Number.isNaN(t)) q = format.hasNaN ? NaN : format.maxFinite;
    if (!format.hasNegativeZero && q === 0) q = 0;
    return { code: q, defined: true };
  }

  // --- dequantize -----------------------------------------------------------------

  /** `op`: code (of float storage: its value), storage, scale, scaleType, zero (or null),
   *  zeroIsFloat, domain, resultType; fields and dequantizeCompute of `resolve`. */
  function dequantize(op) {
    const { fields } = op;
    const compute = dequantizeComputeType(op.dequantizeCompute, op.scaleType, op.resultType);
    const real = fields.subtract === "output" ? op.resultType : compute;
    const expressed = op.domain === "expressed";
    const z = expressed ? null : op.zero;
    let d;
    if (z === null) {
      d = cast(op.code, real);
    } else if (boundsOf(op.storage) && !op.zeroIsFloat && fields.subtract === "wide") {
      d = cast(op.code - z, compute);
    } else if (boundsOf(op.storage) && !op.zeroIsFloat && fields.subtract === "wrap32") {
      d = cast((op.code - z) | 0, compute);
    } else {
      d = add(cast(op.code, real), -cast(z, real), real);
    }
    d = cast(d, compute);
    const sc = cast(op.scale, compute);
    let p;
    if (op.zero === null || !expressed) {
      p = multiply(d, sc, compute);
    } else if (fields.fusion === "fma") {
      p = fusedMultiplyAdd(d, sc, cast(op.zero, compute), compute);
    } else {
      p = add(multiply(d, sc, compute), cast(op.zero, compute), compute);
    }
    return { value: cast(p, op.resultType), steps: { compute, difference: d } };
  }

  return {
    FIELDS, PROFILES, FORMATS, boundsOf, cast, dequantize, dequantizeComputeType, isNegative,
    quantize, quantizeComputeType, resolve,
  };
})();
