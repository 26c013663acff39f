// What a thread did at each time, as a thin strip above its calls: it ran, waited, was preempted, or was held up by the
// recorder. The shapes differ, too, so that the strip can be read without colours. And the legend of all this.
// @ts-check
import {isCall, KIND} from './draw.js';
import {make} from './dom.js';

/** @typedef {import('./pictures.js').Picture} Picture */
/** @typedef {import('./theme.js').Colours} Colours */
/** @typedef {import('./session.js').Session} Session */
/** @typedef {'lock' | 'event' | 'io' | 'sleep' | 'waiting'} WaitKind */
/** @typedef {'running' | WaitKind | 'preempted' | 'recorder' | 'unknown'} State */

export const STATE_HEIGHT = 6;
/** For the legend, and for tooltips. @type {Record<State, string>} */
export const STATES = {running: 'running', lock: 'waits for a lock', event: 'waits for a thread or an event', io: 'waits for a file, pipe or socket',
  sleep: 'sleeps', waiting: 'waits', preempted: 'preempted', recorder: 'held up by the recorder', unknown: 'not known'};

/** What a thread waits for, by what the function that it waits in is known for. @type {Record<string, WaitKind>} */
const WAITS = {mutex: 'lock', rwlock: 'lock', 'spin lock': 'lock', file: 'io', pipe: 'io', socket: 'io', descriptor: 'io', poll: 'io', queue: 'io', sleep: 'sleep'};
/** @param {string | null} what Session.waitsFor() */
const waitKindOf = (what) => what ? WAITS[what] ?? 'event' : null;

/**
 * The kinds of a picture's waits, by item: those of the functions in which they are drawn. Waits that are added up, or
 * whose call is not drawn, are of no known kind.
 * @param {Picture} picture @param {Session} session
 */
function kindsOf(picture, session) {
  const {count, kind, begin, end, calls, function: functions} = picture;
  /** @type {Map<number, WaitKind | null>} */
  const known = new Map();
  /** @type {number[]} */
  const places = [];
  for (let i = 0; i < count; ++i) {
    if (!isCall(kind[i]) || (kind[i] === KIND.box && calls[i] > 1))
      continue;
    let of = known.get(functions[i]);
    if (of === undefined)
      known.set(functions[i], of = waitKindOf(session.waitsFor(functions[i])));
    if (of)
      places.push(i);
  }
  places.sort((a, b) => begin[a] - begin[b]);
  /** @type {Map<number, WaitKind>} */
  const kinds = new Map();
  for (let i = 0; i < count && places.length; ++i) {
    if (kind[i] !== KIND.waiting || calls[i] > 1)
      continue;
    const middle = (begin[i] + end[i]) / 2;
    let low = 0, high = places.length; // the last one that begins before
    while (low < high) {
      const at = (low + high) >> 1;
      if (begin[places[at]] <= middle)
        low = at + 1;
      else
        high = at;
    }
    const call = low > 0 ? places[low - 1] : -1;
    if (call >= 0 && end[call] >= middle)
      kinds.set(i, /** @type {WaitKind} */ (known.get(functions[call])));
  }
  return {kinds, names: session.names};
}
/** The state that an item stands for, if it is not a call. @param {Picture} picture @param {number} i @param {Session} session @returns {State} */
export function stateOf(picture, i, session) {
  if (picture.kind[i] !== KIND.waiting)
    return picture.kind[i] === KIND.preempted ? 'preempted' : picture.kind[i] === KIND.recorder ? 'recorder' : 'unknown';
  if (!picture.waits || picture.waits.names !== session.names)
    picture.waits = kindsOf(picture, session);
  return picture.waits.kinds.get(i) ?? 'waiting';
}

/**
 * Running is a full bar. Waits are thin lines: whole for a lock, in long pieces for an event, in short ones for files, in
 * dots for sleep. Preempted: upright strokes, as if the bar were torn; recorder: two lines; not known: sparse dots.
 * @param {CanvasRenderingContext2D} context @param {State} state @param {number} x @param {number} y @param {number} wide @param {Colours} colours
 */
function drawState(context, state, x, y, wide, colours) {
  const colour = colours.states[state];
  context.fillStyle = colours.paper;
  context.fillRect(x, y, wide, STATE_HEIGHT);
  context.fillStyle = colour;
  /** @type {[step: number, length: number, top: number, height: number]} */
  const [step, length, top, height] = state === 'running' ? [0, 0, 0, STATE_HEIGHT] : state === 'lock' || state === 'waiting' ? [0, 0, 4, 2] :
    state === 'event' ? [12, 9, 4, 2] : state === 'io' ? [7, 4, 4, 2] : state === 'sleep' ? [5, 2, 4, 2] :
    state === 'preempted' ? [4, 2, 0, STATE_HEIGHT] : state === 'recorder' ? [0, 0, 0, 2] : [9, 2, 2, 2];
  if (state === 'recorder')
    context.fillRect(x, y + STATE_HEIGHT - 2, wide, 2);
  if (!step || wide <= length) {
    context.fillRect(x, y + top, wide, height);
    return;
  }
  // Pieces stay where they are when the view moves little: they begin at multiples of the step.
  for (let at = Math.floor(x / step) * step; at < x + wide; at += step) {
    const from = Math.max(at, x), to = Math.min(at + length, x + wide);
    if (to > from)
      context.fillRect(from, y + top, to - from, height);
  }
}

/**
 * Draws the strip of a thread whose scheduling is known. The caller has clipped to what the picture knows.
 * @param {CanvasRenderingContext2D} context @param {Picture} picture @param {Session} session @param {import('./api.js').Thread} thread
 * @param {{from: number, to: number, width: number, top: number}} frame @param {Colours} colours
 */
export function drawStates(context, picture, session, thread, {from, to, width, top}, colours) {
  const scale = width / (to - from), x = (/** @type {number} */ time) => Math.min(Math.max((time - from) * scale, -20), width + 20);
  const begin = x(thread.begin_ns), end = x(thread.end_ns);
  if (end <= begin)
    return;
  drawState(context, 'running', begin, top, end - begin, colours);
  const {kind, begin: begins, end: ends, fill, count} = picture;
  for (let i = 0; i < count; ++i) {
    if (isCall(kind[i]) || kind[i] === KIND.gap || ends[i] < from || begins[i] > to || begins[i] > thread.end_ns)
      continue;
    const left = Math.max(x(begins[i]), begin), wide = Math.max(Math.min(x(ends[i]), end) - left, 0.8), share = Math.min(1, fill[i] / Math.max(ends[i] - begins[i], 1));
    // Several short times: what is left of the bar is as high as the share in which the thread ran.
    if (share < 0.95) {
      const high = Math.round(share * STATE_HEIGHT);
      context.fillStyle = colours.paper;
      context.fillRect(left, top, wide, high);
      context.fillStyle = colours.states[stateOf(picture, i, session)];
      context.fillRect(left, top, wide, Math.min(high, 1));
    } else
      drawState(context, stateOf(picture, i, session), left, top, wide, colours);
  }
}

/** @param {HTMLElement} list @param {boolean} isShown whether any thread has a strip @param {Colours} colours */
export function drawLegend(list, isShown, colours) {
  list.hidden = !isShown;
  const ratio = window.devicePixelRatio || 1, wide = 26, high = 10;
  list.replaceChildren(...!isShown ? [] : /** @type {State[]} */ (Object.keys(STATES)).map((state) => {
    const swatch = make('canvas');
    swatch.width = wide * ratio;
    swatch.height = high * ratio;
    swatch.style.width = `${wide}px`;
    swatch.style.height = `${high}px`;
    const context = /** @type {CanvasRenderingContext2D} */ (swatch.getContext('2d', {alpha: false}));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, wide, high);
    drawState(context, state, 0, 2, wide, colours);
    return make('li', '', swatch, STATES[state]);
  }));
}
