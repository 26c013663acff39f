// Converts durations, times and counts to text and back.
// @ts-check

/** A duration as adatrace prints it: three decimals of the largest unit. @param {number} ns */
export function duration(ns) {
  if (Math.abs(ns) < 1000)
    return `${Math.round(ns)} ns`;
  const units = ['us', 'ms', 's'];
  let value = ns / 1000, unit = 0;
  while (unit < 2 && Math.abs(Number(value.toFixed(3))) >= 1000) {
    value /= 1000;
    ++unit;
  }
  return `${value.toFixed(3)} ${units[unit]}`;
}

/** How a call ended, if it is not known to have returned. @type {Record<string, string>} */
export const NOT_RETURNED = {exception: 'left by an exception', inferred: 'exit inferred', missing: 'no exit recorded'};

/** @param {number} count */
export const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

/** @param {number} count @param {string} noun */
export const counted = (count, noun, plural = `${noun}s`) => `${grouped(count)} ${count === 1 ? noun : plural}`;

/** @param {number} part @param {number} whole */
export const percent = (part, whole) => `${whole ? (100 * part / whole).toFixed(1) : '0.0'} %`;

/** @type {Record<string, number>} */
const UNITS = {ns: 1, us: 1e3, 'µs': 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9};

/** "1.5ms" in nanoseconds, as in the options of adatrace; NaN if the text is not a duration. @param {string} text */
export function parseDuration(text) {
  const parts = /^\s*([0-9.]+)\s*(ns|us|µs|ms|s|m|h)?\s*$/.exec(text);
  return parts ? Number(parts[1]) * UNITS[parts[2] || 'ns'] : NaN;
}

/**
 * The label of a time on the axis, with the digits that a step of `step` nanoseconds needs, in the unit that suits
 * `largest`.
 * @param {number} time @param {number} step @param {number} largest
 */
export function timeLabel(time, step, largest) {
  const [unit, size] = largest < 1e3 ? ['ns', 1] : largest < 1e6 ? ['us', 1e3] : largest < 1e9 ? ['ms', 1e6] : ['s', 1e9];
  const decimals = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / size) - 1e-9)));
  const [whole, part] = (time / size).toFixed(decimals).split('.');
  // Groups of three digits on both sides of the point, so that long numbers are readable.
  return `${grouped(Number(whole))}${part ? '.' + part.replace(/(\d{3})(?=\d)/g, '$1\u202f') : ''} ${unit}`;
}

/** Whole numbers as a list with ranges: "0-3,7", or with another separator. @param {Iterable<number>} list @param {string} sign */
export function rangesText(list, sign) {
  /** @type {[number, number][]} */
  const ranges = [];
  for (const number of [...list].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last[1] + 1 === number)
      last[1] = number;
    else
      ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join(sign);
}
const MOST_NUMBERS = 1e6;
/** The inverse of rangesText; invalid parts are skipped. @param {string} text @param {string} sign */
export function rangesIn(text, sign) {
  /** @type {Set<number>} */
  const numbers = new Set();
  for (const part of text.split(sign)) {
    const ends = /^(\d+)(?:-(\d+))?$/.exec(part);
    for (let number = Number(ends?.[1]); ends && number <= Number(ends[2] ?? ends[1]) && numbers.size < MOST_NUMBERS; ++number)
      numbers.add(number);
  }
  return numbers;
}

/** The distance between marks on an axis: 1, 2 or 5 times a power of ten, at least `least`. @param {number} least */
export function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5])
    if (factor * power >= least * (1 - 1e-9))
      return factor * power;
  return 10 * power;
}

/**
 * The times of a call in which the program did not run; empty if there are none, or if they are not known.
 * @param {{waiting_ns: number | null, preempted_ns: number | null, recorder_ns: number | null, unknown_ns: number | null}} call
 */
export function offCpu({waiting_ns: waiting, preempted_ns: preempted, recorder_ns: recorder, unknown_ns: unknown}) {
  const parts = [preempted ? `${duration(preempted)} preempted` : '', waiting ? `${duration(waiting)} waiting` : '',
    recorder ? `${duration(recorder)} recorder` : '', unknown ? `${duration(unknown)} unknown` : ''];
  return parts.filter((part) => part).join(', ');
}
