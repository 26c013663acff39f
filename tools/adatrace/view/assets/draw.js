// Draws the calls of one thread on a canvas.
// @ts-check
import {HUES, SHADES, hueOf} from './theme.js';

/** @typedef {import('./pictures.js').Picture} Picture */
/** @typedef {import('./theme.js').Colours} Colours */
/** @typedef {import('./session.js').Session} Session */
/** @typedef {{from: number, to: number, width: number, top: number, height: number, level: number}} Frame the place of a row, and the visible time */

export const KIND = {call: 0, box: 1, open: 2, exception: 3, gap: 4, waiting: 5, preempted: 6, recorder: 7, unknown: 8,
  inferred: 9, missing: 10};
/** Whether an item is a call, or several. @param {number} kind */
export const isCall = (kind) => kind < KIND.gap || kind >= KIND.inferred;
/** Names of the kinds that are not calls but times in which the thread did not run its program.
 * @type {Record<number, 'waiting' | 'preempted' | 'recorder' | 'unknown'>} */
export const NOT_RUNNING = {5: 'waiting', 6: 'preempted', 7: 'recorder', 8: 'unknown'};
export const FONT = '11px system-ui, sans-serif';
const NARROWEST_NAME = 26, PADDING = 4;

/**
 * The items sorted by colour (setting a colour costs more than a rectangle), and those that may be wide enough for a
 * name, sorted by length.
 * @param {Picture} picture @param {Session} session
 */
function makeOrder(picture, session) {
  const {count, kind, calls, fill, begin, end} = picture, fills = new Uint16Array(count), starts = new Uint32Array(HUES * SHADES + 1);
  /** @type {number[]} */
  const named = [], hues = new Map(), shortest = 2 ** picture.level * NARROWEST_NAME / 4;
  for (let i = 0; i < count; ++i) {
    let shade = SHADES - 1;
    if (kind[i] === KIND.box && calls[i] > 1)
      shade = Math.min(SHADES - 1, Math.floor(fill[i] / Math.max(end[i] - begin[i], 1) * SHADES));
    let hue = hues.get(picture.function[i]);
    if (hue === undefined)
      hues.set(picture.function[i], hue = hueOf(session.name(picture.function[i])));
    fills[i] = hue * SHADES + shade;
    ++starts[fills[i] + 1];
    if (end[i] - begin[i] >= shortest)
      named.push(i);
  }
  for (let fill = 1; fill < starts.length; ++fill)
    starts[fill] += starts[fill - 1];
  const byFill = new Uint32Array(count);
  for (let i = 0; i < count; ++i)
    byFill[starts[fills[i]]++] = i;
  named.sort((a, b) => (end[b] - begin[b]) - (end[a] - begin[a]));
  return {byFill, fills, byLength: Uint32Array.from(named), names: session.names};
}

/** Names in pixels, measured once. @type {Map<string, number>} */
const widths = new Map();
/** @param {CanvasRenderingContext2D} context @param {string} text */
function widthOf(context, text) {
  let width = widths.get(text);
  if (width === undefined) {
    if (widths.size > 50000)
      widths.clear();
    widths.set(text, width = context.measureText(text).width);
  }
  return width;
}

/** As much of a name as fits, from its last part, which is the most informative. @param {CanvasRenderingContext2D} context @param {string} name @param {number} room in pixels */
export function fitted(context, name, room) {
  if (widthOf(context, name) <= room)
    return name;
  const last = /[^:.]*(?:\(\.\.\))?$/.exec(name)?.[0] || name;
  const text = last !== name && last.length > 1 ? last : name;
  const width = widthOf(context, text);
  if (width <= room)
    return text;
  const letters = Math.floor(text.length * room / width) - 2;
  return letters < 2 ? '' : `${text.slice(0, letters)}…`;
}

/** @typedef {'rising' | 'falling' | 'flat' | 'dots'} Hatch the direction of the lines */
/** Made once for each colour and kind. @type {Map<string, CanvasPattern>} */
const hatches = new Map();
/** @param {CanvasRenderingContext2D} context @param {string} colour @param {Hatch} [kind] @param {number} [size] the distance between lines */
export function hatching(context, colour, kind = 'rising', size = 6) {
  const key = `${colour} ${kind} ${size}`, known = hatches.get(key);
  if (known)
    return known;
  const tile = document.createElement('canvas'), half = size / 2;
  tile.width = tile.height = size;
  const pen = /** @type {CanvasRenderingContext2D} */ (tile.getContext('2d'));
  pen.strokeStyle = pen.fillStyle = colour;
  pen.lineWidth = 1.3;
  if (kind === 'flat')
    pen.fillRect(0, half, size, 1.3);
  else if (kind === 'dots')
    pen.fillRect(half, half, 1.5, 1.5);
  else {
    pen.beginPath();
    for (const x of [-half, half, half + size]) {
      pen.moveTo(x - half, kind === 'rising' ? size + half : -half);
      pen.lineTo(x + size + half, kind === 'rising' ? -half : size + half);
    }
    pen.stroke();
  }
  const pattern = context.createPattern(tile, 'repeat');
  if (pattern)
    hatches.set(key, pattern);
  return pattern || colour;
}

/** How times look in which a thread did not run its program: how much of the calls below is left, and lines over it.
 * @type {Record<'waiting' | 'preempted' | 'recorder' | 'unknown', [veil: number, kind: Hatch, size: number]>} */
const HOLLOW = {waiting: [0.86, 'rising', 10], preempted: [0.86, 'falling', 8], recorder: [0.86, 'flat', 5], unknown: [0.86, 'dots', 6]};

/**
 * Draws the items of a picture. The caller has cleared the area.
 * @param {CanvasRenderingContext2D} context @param {Picture} picture @param {Session} session @param {Frame} frame @param {Colours} colours
 * @param {number} chosen the highlighted function, or -1
 */
export function drawPicture(context, picture, session, frame, colours, chosen) {
  if (!picture.order || picture.order.names !== session.names)
    picture.order = makeOrder(picture, session);
  const {begin, end, depth, kind, function: functions} = picture, {byFill, fills, byLength} = picture.order;
  const {top, level, width, from} = frame, scale = width / (frame.to - from);
  const deepest = Math.floor(frame.height / level) - 1, high = level > 6 ? level - 1 : level - 0.5;
  // A rectangle that is wide enough ends a pixel early, to keep neighbours distinct.
  const left = (/** @type {number} */ i) => Math.max((begin[i] - from) * scale, -1);
  const right = (/** @type {number} */ i) => Math.min((end[i] - from) * scale, width + 1);
  const isShown = (/** @type {number} */ i) => end[i] >= from && begin[i] <= frame.to && depth[i] <= deepest;

  let last = -1;
  for (let at = 0; at < byFill.length; ++at) {
    const i = byFill[at];
    if (!isCall(kind[i]) || !isShown(i))
      continue;
    const fill = chosen < 0 || functions[i] === chosen ? fills[i] : fills[i] - fills[i] % SHADES;
    if (fill !== last)
      context.fillStyle = colours.fills[last = fill];
    const x = left(i), wide = right(i) - x;
    context.fillRect(x, top + depth[i] * level, wide > 3 ? wide - 1 : Math.max(wide, 0.8), high);
  }
  drawMarks(context, picture, frame, colours, left, right, isShown, high, Math.min((session.duration - from) * scale, width + 1));
  if (level < 10)
    return;
  context.font = FONT;
  context.textBaseline = 'middle';
  context.fillStyle = colours.ink;
  for (let at = 0; at < byLength.length; ++at) {
    const i = byLength[at];
    if ((end[i] - begin[i]) * scale < NARROWEST_NAME)
      break;
    if (!isCall(kind[i]) || !isShown(i))
      continue;
    const x = left(i), room = right(i) - Math.max(x, 0) - 2 * PADDING;
    if (room < NARROWEST_NAME - 2 * PADDING)
      continue;
    const isBox = kind[i] === KIND.box && picture.calls[i] > 1;
    const name = session.name(functions[i]), text = fitted(context, isBox ? `${picture.calls[i]} × ${name}` : name, room);
    if (text)
      context.fillText(text, Math.max(x, 0) + PADDING, top + depth[i] * level + high / 2 + 0.5);
  }
}

/**
 * Draws exceptions, open calls, gaps, and times in which the thread was off-CPU.
 * @param {CanvasRenderingContext2D} context @param {Picture} picture @param {Frame} frame @param {Colours} colours
 * @param {(i: number) => number} left @param {(i: number) => number} right @param {(i: number) => boolean} isShown @param {number} high
 * @param {number} last where the session ends
 */
function drawMarks(context, picture, frame, colours, left, right, isShown, high, last) {
  const {kind, depth, count, begin, end: ends} = picture, {top, level} = frame;
  for (let i = 0; i < count; ++i) {
    if (kind[i] < KIND.open || !isShown(i))
      continue;
    const x = left(i), end = right(i), wide = Math.max(end - x, 1), y = top + depth[i] * level;
    if (kind[i] === KIND.exception || kind[i] >= KIND.inferred) { // fainter if no hook saw the end
      context.fillStyle = kind[i] === KIND.exception ? colours.bad : colours.faint;
      context.fillRect(Math.max(end - 3, x), y, Math.min(wide, 3), high);
    } else if (kind[i] === KIND.open) {
      // An arrowhead means that the call continues. In samples, the ends of calls are not known.
      if (!picture.isExact)
        continue;
      context.fillStyle = colours.ink;
      context.beginPath();
      context.moveTo(end - 1, y + high / 2);
      context.lineTo(end - 6, y + 2);
      context.lineTo(end - 6, y + high - 2);
      context.fill();
    } else if (kind[i] === KIND.gap) {
      context.fillStyle = hatching(context, colours.bad);
      context.fillRect(x, top, Math.max(wide, 2), frame.height);
    } else {
      // Hollow: the colour of the paper over the calls, and lines. Of several times in a box, as much as they fill of it.
      const what = NOT_RUNNING[kind[i]], [veil, hatch, size] = HOLLOW[what], share = Math.min(1, picture.fill[i] / Math.max(ends[i] - begin[i], 1));
      const far = Math.min(wide, last - x);
      if (far <= 0)
        continue;
      context.globalAlpha = veil * share;
      context.fillStyle = colours.paper;
      context.fillRect(x, top, far, frame.height);
      context.globalAlpha = share;
      context.fillStyle = hatching(context, colours[what], hatch, size);
      context.fillRect(x, top, far, frame.height);
      context.globalAlpha = 1;
    }
  }
}

/**
 * The item at a place of a row. Layers are searched from top to bottom.
 * @param {Picture[]} layers @param {number} depth @param {number} time @param {number} slack in nanoseconds
 */
export function itemAt(layers, depth, time, slack) {
  for (const picture of [...layers].reverse()) {
    if (time < picture.from || time > picture.to)
      continue;
    const {begin, end, kind, count} = picture;
    let best = -1, rest = -1, gap = -1;
    for (let i = 0; i < count; ++i) {
      if (time < begin[i] - slack || time > end[i] + slack)
        continue;
      if (kind[i] === KIND.gap)
        gap = i;
      if (!isCall(kind[i]))
        rest = i;
      else if (picture.depth[i] === depth && (best < 0 || distance(picture, i, time) < distance(picture, best, time)))
        best = i;
    }
    const item = best >= 0 ? best : rest;
    return item >= 0 ? {picture, item, gap} : null;
  }
  return null;
}
/**
 * How to ask the server for the call at a place. Samples don't have call numbers, and a box is not a single call.
 * @param {{picture: Picture, item: number}} hit @param {number} time of the place @returns {import('./api.js').Which | null}
 */
export function whichCall({picture, item}, time) {
  if (picture.seq[item] >= 0)
    return {seq: picture.seq[item]};
  if (!isCall(picture.kind[item]) || (picture.kind[item] === KIND.box && picture.calls[item] > 1))
    return null;
  return {at: Math.max(picture.begin[item], Math.min(Math.floor(time), picture.end[item] - 1)), depth: picture.depth[item]};
}
/** @param {Picture} picture @param {number} i @param {number} time */
const distance = (picture, i, time) => Math.max(picture.begin[i] - time, time - picture.end[i], 0);
