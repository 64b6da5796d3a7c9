// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page: state in the address behind #, controls, two figures and a table. No
// arithmetic of quantization stands here; semantics.js has it.
"use strict";
const STORAGES = [
  "i2", "ui2", "i3", "ui3", "i4", "ui4", "i8", "ui8", "i16", "ui16", "i32", "ui32", ...Object.keys(TABLES.codes),
];
const REALS = ["f32", "f16", "bf16", "f64"];
const DEFAULTS = {
  profile: "onnx", beside: "mlir22", storage: "i8", scale: "0.5", zero: "3", xType: "f32", scaleType: "f32",
  view: "zero", inputs: "",
};
const VIEWS = { zero: "around zero", low: "lowest code", high: "highest code" };
const state = { ...DEFAULTS };
const byId = (id) => document.getElementById(id);

// --- state -------------------------------------------------------------------------

/** From the address: every key that is known, with a value that is. */
function readAddress() {
  Object.assign(state, DEFAULTS);
  for (const name of Object.keys(TABLES.fields)) delete state[name];
  const given = new URLSearchParams(location.hash.slice(1));
  const choices = {
    profile: Object.keys(TABLES.profiles), beside: ["", ...Object.keys(TABLES.profiles)], storage: STORAGES,
    xType: REALS, scaleType: REALS, view: Object.keys(VIEWS), ...TABLES.fields,
  };
  for (const [key, value] of given) {
    const known = key in choices ? choices[key].includes(value) : key in DEFAULTS;
    if (known) state[key] = value;
  }
}

function writeAddress() {
  const changed = Object.entries(state).filter(([key, value]) => value !== DEFAULTS[key]);
  const address = new URLSearchParams(changed).toString();
  history.replaceState(null, "", address ? `#${address}` : location.pathname + location.search);
}

/** A number as it is typed: "-0", "inf" and "nan" too; undefined for no number. */
function parseNumber(text) {
  const word = text.trim().toLowerCase();
  if (/^[-+]?(inf|infinity)$/.test(word)) return word.startsWith("-") ? -Infinity : Infinity;
  if (word === "nan") return NaN;
  return word !== "" && Number.isFinite(Number(word)) ? Number(word) : undefined;
}

const isFloatStorage = () => Semantics.boundsOf(state.storage) === null;

function operands() {
  const scale = parseNumber(state.scale);
  const zero = state.zero.trim() === "" ? null : parseNumber(state.zero);
  const bounds = Semantics.boundsOf(state.storage);
  const badScale = !(scale > 0 && Number.isFinite(Semantics.cast(scale, state.scaleType)) &&
    Semantics.cast(scale, state.scaleType) > 0);
  const badZero = zero === undefined || (zero !== null && (bounds
    ? !Number.isInteger(zero) || zero < bounds.low || zero > bounds.high
    : !Number.isFinite(zero)));
  byId("scale").setAttribute("aria-invalid", badScale);
  byId("zero").setAttribute("aria-invalid", badZero);
  return {
    scale: Semantics.cast(badScale ? 1 : scale, state.scaleType),
    zero: badZero || zero === null ? null : bounds ? zero : Semantics.cast(zero, state.scaleType),
  };
}

/** The two conversions: functions from x to what `Semantics.quantize` gives, and back. */
function conversions() {
  const { scale, zero } = operands();
  const stated = {};
  for (const name of Object.keys(TABLES.fields)) if (state[name]) stated[name] = state[name];
  const make = (fields, profile) => {
    const rules = Semantics.resolve(fields, profile);
    const common = {
      ...rules, scale, zero, scaleType: state.scaleType, storage: state.storage, zeroIsFloat: isFloatStorage(),
      domain: "stored", clamp: null, seed: 0,
    };
    return {
      rules,
      quantize: (x, index = 0) => Semantics.quantize({ ...common, x, xType: state.xType, index }),
      dequantize: (code) => Semantics.dequantize({ ...common, code, resultType: state.xType }),
    };
  };
  return { scale, zero, yours: make(stated, state.profile), beside: state.beside ? make({}, state.beside) : null };
}

// --- inputs ------------------------------------------------------------------------

const toX = (value) => Semantics.cast(value, state.xType);

/** The next value of the type of x, away from zero or towards it. */
function neighbour(x, outward) {
  if (x === 0) return x;
  const { precision, minExponent } = TABLES.formats[state.xType];
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(x))), minExponent);
  const unit = 2 ** (exponent - precision + 1);
  return toX(x + (outward === x > 0 ? unit : -unit));
}

function hardInputs({ scale, zero }) {
  const bounds = Semantics.boundsOf(state.storage);
  const z = zero || 0;
  const rows = [];
  const add = (label, x) => rows.push({ label, x: toX(x) });
  for (const text of state.inputs.split(/[,;\s]+/)) {
    const x = parseNumber(text);
    if (x !== undefined) add("yours", x);
  }
  for (const k of [0.5, 1.5, 2.5, -0.5, -1.5, -2.5]) add(`tie ${spellNumber(k)} s`, k * scale);
  const tie = toX(2.5 * scale);
  add("just below 2.5 s", neighbour(tie, false));
  add("just above 2.5 s", neighbour(tie, true));
  add("2.9 s", 2.9 * scale);
  if (bounds) {
    const [low, high] = [bounds.low - z, bounds.high - z];
    add("highest code + 0.5", (high + 0.5) * scale);
    add("highest code + 1", (high + 1) * scale);
    add("lowest code − 0.5", (low - 0.5) * scale);
    add("lowest code − 1", (low - 1) * scale);
  } else {
    const largest = TABLES.formats[state.storage].maxFinite;
    add("largest value", (largest - z) * scale);
    add("1.03 × largest", (1.03 * largest - z) * scale);
    add("2 × largest", (2 * largest - z) * scale);
  }
  add("2^31 s", 2 ** 31 * scale);
  add("below −2^31 s", (-(2 ** 31) - 256) * scale);
  for (const [label, x] of [["+0", 0], ["−0", -0], ["NaN", NaN], ["+inf", Infinity], ["−inf", -Infinity]]) add(label, x);
  const { precision, minExponent } = TABLES.formats[state.xType];
  add("smallest subnormal", 2 ** Math.max(minExponent - precision + 1, -1074));
  return rows;
}

/** Near ties where yours and beside part, which the fixed inputs may miss. */
function searched({ scale, zero, yours, beside }, index) {
  if (!beside || isFloatStorage()) return [];
  const { low, high } = Semantics.boundsOf(state.storage);
  const found = [];
  const z = zero || 0;
  const reach = Math.min(400, high - low + 2);
  for (let k = 0; k <= reach && found.length < 6; ++k) {
    for (const tie of [k + 0.5, -k - 0.5]) {
      if (tie + z < low || tie + z > high) continue;
      const x = toX(tie * scale);
      for (const near of [x, neighbour(x, false), neighbour(x, true)]) {
        const at = index + found.length;
        const [a, b] = [yours.quantize(near, at), beside.quantize(near, at)];
        if (!sameCode(a, b)) {
          found.push({ label: "near a tie", x: near });
          break;
        }
      }
    }
  }
  return found;
}

const sameCode = (a, b) =>
  a.defined === b.defined && (!a.defined || Object.is(a.code, b.code));

// --- words -------------------------------------------------------------------------

function spellNumber(value, type = "f64") {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+inf" : "−inf";
  if (Object.is(value, -0)) return "−0";
  // The fewest digits that give the value again.
  const most = { f64: 17, f32: 9, f16: 5, bf16: 4 }[type] || 17;
  let text = String(value);
  for (let digits = 1; digits <= most; ++digits) {
    const short = Number(value.toPrecision(digits));
    if (Object.is(Semantics.cast(short, type === "f64" ? "f64" : type), value)) {
      text = String(short);
      break;
    }
  }
  return text.replace("-", "−").replace("e−", "e−").replace("e+", "e");
}

/** The code: a number; of float storage the bits and the value. */
function spellCode({ code, defined }) {
  if (!defined) return "anything";
  if (!isFloatStorage()) return spellNumber(code);
  const index = TABLES.codes[state.storage].findIndex((value) =>
    Object.is(typeof value === "string" ? textValue(value) : value, code));
  return `${spellNumber(code, "f32")} (0x${index.toString(16).toUpperCase().padStart(2, "0")})`;
}

const textValue = (text) => ({ nan: NaN, inf: Infinity, "-inf": -Infinity, "-0.0": -0 })[text];

// --- controls ----------------------------------------------------------------------

function fill(select, values, names = {}) {
  select.replaceChildren(...values.map((value) => new Option(names[value] ?? value, value)));
}

function buildControls() {
  fill(byId("profile"), Object.keys(TABLES.profiles));
  fill(byId("beside"), ["", ...Object.keys(TABLES.profiles)], { "": "nothing" });
  fill(byId("storage"), STORAGES);
  fill(byId("xType"), REALS);
  fill(byId("scaleType"), REALS);
  for (const [name, values] of Object.entries(TABLES.fields)) {
    const label = document.createElement("label");
    const select = document.createElement("select");
    select.id = `field-${name}`;
    fill(select, values);
    select.addEventListener("change", () => {
      state[name] = select.value;
      if (select.value === TABLES.profiles[state.profile].fields[name] && name !== "compute") delete state[name];
      update();
    });
    label.append(name.replace("_", " "), select);
    byId("fields").append(label);
  }
  for (const id of ["profile", "beside", "storage", "xType", "scaleType", "scale", "zero", "inputs"]) {
    byId(id).addEventListener("input", () => {
      state[id] = byId(id).value;
      update(id);
    });
  }
  byId("scaleSlider").addEventListener("input", () => {
    const scale = 2 ** Number(byId("scaleSlider").value);
    state.scale = String(Number(scale.toPrecision(3)));
    update("scaleSlider");
  });
  byId("zeroSlider").addEventListener("input", () => {
    state.zero = byId("zeroSlider").value;
    update("zeroSlider");
  });
  byId("reset").addEventListener("click", () => {
    for (const name of Object.keys(TABLES.fields)) delete state[name];
    update();
  });
  for (const [view, name] of Object.entries(VIEWS)) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.dataset.view = view;
    button.addEventListener("click", () => {
      state.view = view;
      update();
    });
    byId("views").append(button);
  }
  window.addEventListener("hashchange", () => {
    readAddress();
    update();
  });
}

/** Fields without a part in what is shown. */
function idleFields(fields, zero) {
  const idle = new Set();
  const floats = isFloatStorage();
  if (floats) for (const name of ["order", "overflow", "nan"]) idle.add(name);
  else idle.add("float_overflow");
  if (zero === null) idle.add("order").add("fusion").add("subtract");
  if (fields.division === "exact") idle.add("fusion");
  if (!floats && fields.order === "round-then-add") idle.add("fusion");
  return idle;
}

function showControls(conversion, source) {
  for (const id of ["profile", "beside", "storage", "xType", "scaleType", "scale", "zero", "inputs"]) {
    if (source !== id) byId(id).value = state[id];
  }
  const { fields } = conversion.yours.rules;
  const idle = idleFields(fields, conversion.zero);
  for (const name of Object.keys(TABLES.fields)) {
    const select = byId(`field-${name}`);
    select.value = fields[name];
    if (name === "compute" && !state.compute) {
      const rule = conversion.yours.rules.quantizeCompute;
      select.value = TABLES.fields.compute.includes(rule) ? rule : "auto";
    }
    select.parentElement.classList.toggle("changed", name in state);
    select.parentElement.classList.toggle("idle", idle.has(name));
  }
  if (source !== "scaleSlider") byId("scaleSlider").value = Math.log2(conversion.scale);
  const bounds = Semantics.boundsOf(state.storage);
  const slider = byId("zeroSlider");
  slider.min = bounds ? bounds.low : -8;
  slider.max = bounds ? bounds.high : 8;
  if (source !== "zeroSlider") slider.value = conversion.zero ?? 0;
  for (const button of byId("views").children) {
    button.setAttribute("aria-pressed", button.dataset.view === state.view);
  }
  byId("views").hidden = !bounds;
}

// --- figures -----------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";
function draw(parent, tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

const WIDTH = 900;
/** What the lines showed last, by their place: from there they move. */
let shownEnds = new Map();

/** The part of the rails that is shown: codes (values of float codes) from `first`, `span` of them. */
function shownPart({ zero }) {
  const bounds = Semantics.boundsOf(state.storage);
  if (!bounds) return { first: -4.5, span: 9 };
  const span = 12;
  if (state.view === "low") return { first: bounds.low - 4, span };
  if (state.view === "high") return { first: bounds.high - span + 4, span };
  return { first: (zero || 0) - span / 2, span };
}

function drawRails(conversion) {
  const { scale, zero, yours, beside } = conversion;
  const svg = document.createElementNS(SVG, "svg");
  const height = 190;
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", "inputs and their codes");
  const bounds = Semantics.boundsOf(state.storage);
  const z = zero || 0;
  const { first, span } = shownPart(conversion);
  const place = (code) => 30 + ((code - first) / span) * (WIDTH - 60);
  const [top, bottom] = [44, height - 44];
  draw(svg, "line", { x1: 8, x2: WIDTH - 8, y1: top, y2: top, class: "rail" });
  draw(svg, "line", { x1: 8, x2: WIDTH - 8, y1: bottom, y2: bottom, class: "rail" });
  draw(svg, "text", { x: 8, y: 14 }, "x / s");
  draw(svg, "text", { x: 8, y: height - 6 }, bounds ? "code" : "value of the code");
  const marks = bounds
    ? Array.from({ length: span + 1 }, (_, i) => Math.ceil(first) + i)
    : TABLES.codes[state.storage].filter((v) => typeof v === "number" && v >= first && v <= first + span);
  for (const mark of marks) {
    const x = place(mark);
    draw(svg, "line", { x1: x, x2: x, y1: bottom - 5, y2: bottom + 5, class: "rail" });
    // All codes have a mark; of floats, those with room a number.
    const named = bounds ? mark >= bounds.low && mark <= bounds.high : mark % 0.5 === 0;
    if (named) draw(svg, "text", { x, y: bottom + 21, "text-anchor": "middle", class: "code" }, spellNumber(mark, "f32"));
    if (bounds) {
      draw(svg, "line", { x1: x, x2: x, y1: top - 5, y2: top + 5, class: "rail" });
      draw(svg, "text", { x, y: top - 11, "text-anchor": "middle" }, spellNumber(mark - z));
    }
  }
  const inputs = bounds
    ? Array.from({ length: span * 4 + 1 }, (_, i) => (Math.ceil(first * 4) + i) / 4 - z)
    : Array.from({ length: 73 }, (_, i) => (Math.ceil(first * 8) + i) / 8 - z);
  const ends = new Map();
  const lines = [];
  for (const [index, ratio] of inputs.entries()) {
    const x = toX(ratio * scale);
    const a = yours.quantize(x, index);
    const b = beside && beside.quantize(x, index);
    const isTie = bounds && Math.abs(ratio % 1) === 0.5;
    if (beside && !sameCode(a, b)) lines.push(["b", ratio, b, isTie]);
    lines.push(["a", ratio, a, isTie]);
  }
  for (const [which, ratio, result, isTie] of lines) {
    const from = place(ratio + z);
    if (!result.defined || Number.isNaN(result.code)) {
      draw(svg, "line", { x1: from, x2: from, y1: top, y2: top + 10, class: `move ${which}${isTie ? " tie" : ""}` });
      continue;
    }
    const to = place(Math.min(Math.max(result.code, first - 2), first + span + 2));
    const key = `${which} ${ratio}`;
    ends.set(key, to);
    const line = draw(svg, "line", {
      x1: from, x2: shownEnds.get(key) ?? to, y1: top, y2: bottom, class: `move ${which}${isTie ? " tie" : ""}`,
    });
    line.dataset.to = to;
  }
  byId("rails").replaceChildren(svg);
  shownEnds = ends;
  glide(svg);
}

/** Moves the ends of lines to where they belong, in a third of a second. */
function glide(svg) {
  const moving = [...svg.querySelectorAll("line[data-to]")].filter(
    (line) => Math.abs(line.dataset.to - line.getAttribute("x2")) > 0.01);
  const starts = moving.map((line) => Number(line.getAttribute("x2")));
  if (!moving.length) return;
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    for (const line of moving) line.setAttribute("x2", line.dataset.to);
    return;
  }
  const begin = performance.now();
  const frame = (now) => {
    if (!svg.isConnected) return;
    const t = Math.min((now - begin) / 350, 1);
    const eased = t < 0.5 ? 2 * t * t : 1 - (2 - 2 * t) ** 2 / 2;
    moving.forEach((line, i) =>
      line.setAttribute("x2", starts[i] + (line.dataset.to - starts[i]) * eased));
    if (t < 1) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

/** (back - x) / s over the same part. */
function drawErrors(conversion) {
  const { scale, zero, yours, beside } = conversion;
  const svg = document.createElementNS(SVG, "svg");
  const height = 120;
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", "error of what comes back");
  const { first, span } = shownPart(conversion);
  const z = zero || 0;
  const reach = 1.2;
  const px = (place) => 30 + ((place - first) / span) * (WIDTH - 60);
  const py = (error) => height / 2 - (error / reach) * (height / 2 - 8);
  for (const error of [-1, -0.5, 0, 0.5, 1]) {
    draw(svg, "line", { x1: 30, x2: WIDTH - 30, y1: py(error), y2: py(error), class: "tick" });
    draw(svg, "text", { x: 24, y: py(error) + 4, "text-anchor": "end" }, spellNumber(error));
  }
  const columns = 1680;
  for (const [which, one] of [["a", yours], ["b", beside]]) {
    if (!one) continue;
    let path = "";
    let last = null;
    for (let column = 0; column <= columns; ++column) {
      const place = first + (span * column) / columns;
      const x = toX((place - z) * scale);
      const { code, defined } = one.quantize(x, column);
      const error = defined ? (one.dequantize(code).value - x) / scale : NaN;
      const shown = Math.abs(error) <= reach;
      // A jump between two codes is no line.
      const joined = shown && last !== null && Math.abs(error - last) < 0.1;
      if (shown) path += `${joined ? "L" : "M"}${px(place).toFixed(2)} ${py(error).toFixed(2)}`;
      last = shown ? error : null;
    }
    draw(svg, "path", { d: path || "M0 0", class: `step ${which}` });
  }
  byId("errors").replaceChildren(svg);
}

function drawStairs({ scale, zero, yours, beside }) {
  const svg = document.createElementNS(SVG, "svg");
  const height = 230;
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", "code of every x, over the range of the storage and beyond it");
  const bounds = Semantics.boundsOf(state.storage);
  const z = zero || 0;
  const largest = bounds ? 0 : TABLES.formats[state.storage].maxFinite;
  const low = bounds ? bounds.low : -largest;
  const high = bounds ? bounds.high : largest;
  const margin = (high - low) * 0.3;
  const [from, to] = [(low - margin - z) * scale, (high + margin - z) * scale];
  const [left, right, top, bottom] = [64, WIDTH - 12, 14, height - 30];
  const px = (x) => left + ((x - from) / (to - from)) * (right - left);
  const py = (code) => bottom - ((code - low) / (high - low)) * (bottom - top);
  for (const code of bounds ? [low, z, high] : [low, 0, high]) {
    draw(svg, "line", { x1: left, x2: right, y1: py(code), y2: py(code), class: "tick" });
    draw(svg, "text", { x: left - 6, y: py(code) + 4, "text-anchor": "end" }, spellNumber(code, "f32"));
  }
  for (const x of [from, 0, to]) {
    const anchor = x === from ? "start" : x === to ? "end" : "middle";
    draw(svg, "line", { x1: px(x), x2: px(x), y1: top, y2: bottom, class: "tick" });
    draw(svg, "text", { x: px(x), y: height - 10, "text-anchor": anchor },
      x === 0 ? "x = 0" : spellNumber(Number(x.toPrecision(4))));
  }
  for (const [which, conversion] of [["a", yours], ["b", beside]]) {
    if (!conversion) continue;
    let path = "";
    let pen = false;
    let last = null;
    for (let column = 0; column <= 1600; ++column) {
      const x = toX(from + ((to - from) * column) / 1600);
      const { code, defined } = conversion.quantize(x, column);
      const y = defined && Number.isFinite(code) ? Math.min(Math.max(py(code), top - 8), bottom + 8) : null;
      if (y === null) pen = false;
      else if (!pen) path += `M${px(x).toFixed(2)} ${y.toFixed(2)}`;
      else if (y !== last) path += `H${px(x).toFixed(2)}V${y.toFixed(2)}`;
      else if (column === 1600) path += `H${px(x).toFixed(2)}`;
      pen = y !== null;
      last = y;
      if (pen && column % 40 === 39) path += `H${px(x).toFixed(2)}`;
    }
    draw(svg, "path", { d: path || "M0 0", class: `step ${which}` });
  }
  byId("stairs").replaceChildren(svg);
}

// --- table, steps, words ------------------------------------------------------------

let chosenLabel = "tie 1.5 s";

function showTable(conversion) {
  const { yours, beside } = conversion;
  const rows = hardInputs(conversion);
  rows.push(...searched(conversion, rows.length));
  const body = byId("table").tBodies[0];
  let differing = 0;
  const made = rows.map(({ label, x }, index) => {
    const a = yours.quantize(x, index);
    const b = beside && beside.quantize(x, index);
    const row = document.createElement("tr");
    const differs = beside && !sameCode(a, b);
    differing += differs ? 1 : 0;
    row.classList.toggle("differs", Boolean(differs));
    const back = a.defined && !Number.isNaN(a.code) ? yours.dequantize(a.code).value : NaN;
    const cells = [
      [label], [spellNumber(x, state.xType)], [spellNumber(a.steps.ratio, a.steps.compute)], [spellCode(a), "yours"],
      [a.defined ? spellNumber(back, state.xType) : "–"], [b ? spellCode(b) : ""],
    ];
    for (const [text, kind] of cells) {
      const cell = row.insertCell();
      cell.textContent = text;
      if (kind) cell.className = kind;
    }
    row.dataset.x = String(x);
    const choose = () => {
      chosenLabel = label;
      for (const other of body.rows) other.classList.toggle("chosen", other === row);
      showSteps(a, b);
    };
    row.addEventListener("pointerenter", choose);
    row.addEventListener("focus", choose);
    row.tabIndex = 0;
    return { label, row, choose };
  });
  body.replaceChildren(...made.map(({ row }) => row));
  (made.find(({ label }) => label === chosenLabel) || made[0]).choose();
  return { differing, total: rows.length };
}

function showSteps(a, b) {
  const table = document.createElement("table");
  const column = (result) => {
    if (!result) return {};
    const { steps } = result;
    const type = steps.compute;
    const { zero } = operands();
    const list = {
      "computed in": type,
      "x, s": `${spellNumber(steps.x, type)}, ${spellNumber(steps.scale, type)}`,
    };
    if (steps.reciprocal !== null) list["1 / s"] = spellNumber(steps.reciprocal, type);
    list[steps.reciprocal === null ? "x / s" : "x · (1 / s)"] = spellNumber(steps.ratio, type);
    if (zero !== null && !steps.addsAfter) list["+ zero point"] = spellNumber(steps.real, type);
    if (steps.draw !== null) list.draw = spellNumber(steps.draw, "f32");
    list.rounded = spellNumber(steps.rounded);
    if (steps.addsAfter) list["+ zero point, then"] = spellNumber(steps.beforeClamp);
    list.code = spellCode(result);
    return list;
  };
  const [left, right] = [column(a), column(b)];
  const head = table.createTHead().insertRow();
  for (const [text, kind] of [["", ""], ["yours", "a"], ["beside", "b"]].slice(0, b ? 3 : 2)) {
    const cell = document.createElement("th");
    cell.textContent = text;
    cell.className = kind;
    head.append(cell);
  }
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])].filter((name) => name !== "code");
  const order = ["computed in", "x, s", "1 / s", "x / s", "x · (1 / s)", "+ zero point", "draw", "rounded",
    "+ zero point, then"];
  names.sort((one, other) => order.indexOf(one) - order.indexOf(other));
  const body = table.createTBody();
  for (const name of [...names, "code"]) {
    const row = body.insertRow();
    row.insertCell().textContent = name.replace(", then", "");
    row.insertCell().textContent = left[name] ?? "";
    if (b) row.insertCell().textContent = right[name] ?? "";
  }
  byId("steps").replaceChildren(table);
}

function showSpelling({ yours }) {
  const stated = Object.keys(TABLES.fields).filter((name) => name in state);
  const options = [`profile=${state.profile}`];
  for (const name of stated) options.push(`${name.replace("_", "-")}=${state[name]}`);
  const quoted = options.length > 1 ? `"${options.join(" ")}"` : options[0];
  const fields = Object.entries(yours.rules.fields).map(([name, value]) =>
    `${name} = ${name === "compute" ? computeOf(yours.rules) : value}`);
  byId("spelling").textContent = `quant-opt --lower-quant=${quoted}\n\n#qdq.semantics<${fields.join(", ")}>`;
}

const computeOf = ({ quantizeCompute }) =>
  Semantics.quantizeComputeType(quantizeCompute, state.xType, state.scaleType);

function showSummary({ differing, total }) {
  const text = byId("summary");
  if (!state.beside) {
    text.textContent = "Choose a profile under “Beside” to see on which inputs two systems part.";
    return;
  }
  const count = document.createElement("strong");
  count.textContent = `${differing} of ${total}`;
  const [mine, other] = [document.createElement("span"), document.createElement("span")];
  const changed = Object.keys(TABLES.fields).some((name) => name in state);
  mine.textContent = `${state.profile}${changed ? " with your fields" : ""}`;
  mine.className = "a";
  other.textContent = state.beside;
  other.className = "b";
  text.replaceChildren(count, " hard inputs become another code under ", mine, " than under ", other, ".");
}

function update(source) {
  const conversion = conversions();
  showControls(conversion, source);
  drawRails(conversion);
  drawErrors(conversion);
  drawStairs(conversion);
  showSummary(showTable(conversion));
  showSpelling(conversion);
  writeAddress();
}

buildControls();
readAddress();
update();
