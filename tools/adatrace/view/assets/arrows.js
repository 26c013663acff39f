// Arrows of the chosen call's waits: from a wait to what the thread that held the lock was doing, and from the call that
// woke the thread to the end of the wait. Each can be followed.
// @ts-check
import {RULER} from './ruler.js';
import {colours} from './theme.js';

/** @typedef {import('./pane.js').Pane} Pane */
/** @typedef {import('./api.js').Wait} Wait */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{thread: number, wait: Wait}} Link the waiting thread, and its wait */
/** @typedef {Link & {from: Point, to: Point}} Arrow in the direction in which it is drawn */

// Shorter waits, and more of them, would only hide what is below.
const NARROWEST = 2, MOST = 30, NEAR = 5, HEAD = 7;

/** Where the other thread was: when the wait began, or when it woke the waiting thread (or ended). @param {Wait} wait */
export const otherEnd = (wait) => (wait.woken_ns === null ? wait.from_ns : wait.kind === 'join' ? wait.woken_ns - 1 : wait.woken_ns);

/** The waits of the chosen call, and the one along which the user came here. @param {Pane} pane @returns {Link[]} */
function linksOf(pane) {
  const {app} = pane, {selected, why} = app, last = app.trail.at(-1);
  /** @type {Link[]} */
  const links = selected?.pane === pane && why ? why.waits.map((wait) => ({thread: selected.call.thread, wait})) : [];
  return last?.wait && last.pane === pane ? [...links, {thread: last.thread, wait: last.wait}] : links;
}

/** The middle of the call at a depth, or else of the innermost one that is drawn at a time.
 * @param {Pane} pane @param {number} thread @param {number} time @param {number | null} depth @returns {Point | null} */
function pointAt(pane, thread, time, depth) {
  const {axis, width, session} = pane, row = pane.rows.ofThread(thread);
  if (!row)
    return null;
  let deepest = depth ?? 0;
  for (const {begin, end, kind, depth: depths, count} of session.pictures.layers(thread, axis.from, axis.to, width))
    for (let i = 0; i < count; ++i)
      if (depth === null && kind[i] < 4 && depths[i] > deepest && begin[i] <= time && end[i] > time)
        deepest = depths[i];
  const y = row.y - pane.body.scrollTop + RULER + pane.rows.top + Math.min((deepest + 0.5) * row.level, row.height - 2 - pane.rows.top);
  return {x: axis.x(time, width), y};
}

/** The arrows of what is visible, the longest waits first. @param {Pane} pane @returns {Arrow[]} */
export function arrowsOf(pane) {
  const {axis, width} = pane, shortest = axis.span / width * NARROWEST;
  const links = linksOf(pane).filter(({wait}) => wait.thread !== null && wait.to_ns - wait.from_ns >= shortest && wait.from_ns < axis.to && wait.to_ns > axis.from);
  links.sort((a, b) => (b.wait.to_ns - b.wait.from_ns) - (a.wait.to_ns - a.wait.from_ns));
  return links.slice(0, MOST).flatMap((link) => {
    const {wait, thread} = link, isWoken = wait.woken_ns !== null;
    const here = pointAt(pane, thread, isWoken ? wait.to_ns - 1 : wait.from_ns, null);
    const there = pointAt(pane, /** @type {number} */ (wait.thread), otherEnd(wait), wait.depth);
    return here && there ? [isWoken ? {...link, from: there, to: here} : {...link, from: here, to: there}] : [];
  });
}

/** The control point of the curve between the ends, which bends to the left. @param {Arrow} arrow @returns {Point} */
export const bend = ({from, to}) => ({x: (from.x + to.x) / 2 - Math.min(40, 12 + Math.abs(to.y - from.y) / 6), y: (from.y + to.y) / 2});

/** @param {CanvasRenderingContext2D} context @param {Pane} pane */
export function drawArrows(context, pane) {
  const arrows = arrowsOf(pane), shown = colours();
  for (const arrow of arrows) {
    const {from, to} = arrow, middle = bend(arrow), angle = Math.atan2(to.y - middle.y, to.x - middle.x);
    // A wide line in the colour of the paper below keeps it apart from the calls that it crosses.
    for (const [colour, wide] of /** @type {[string, number][]} */ ([[shown.paper, 4.5], [shown.ink, 1.6]])) {
      context.strokeStyle = context.fillStyle = colour;
      context.lineWidth = wide;
      context.beginPath();
      context.moveTo(from.x, from.y);
      context.quadraticCurveTo(middle.x, middle.y, to.x - HEAD * 0.7 * Math.cos(angle), to.y - HEAD * 0.7 * Math.sin(angle));
      context.stroke();
      context.beginPath();
      context.arc(from.x, from.y, wide, 0, 2 * Math.PI);
      context.fill();
    }
    context.beginPath();
    context.moveTo(to.x, to.y);
    for (const side of [-0.42, 0.42])
      context.lineTo(to.x - HEAD * 1.3 * Math.cos(angle + side), to.y - HEAD * 1.3 * Math.sin(angle + side));
    context.fill();
  }
}

/** The arrow at a place on the canvas. @param {Pane} pane @param {number} x @param {number} y @returns {Arrow | null} */
export function arrowAt(pane, x, y) {
  for (const arrow of arrowsOf(pane)) {
    const {from, to} = arrow, middle = bend(arrow), steps = 32;
    for (let step = 0; step <= steps; ++step) {
      const part = step / steps, rest = 1 - part;
      const at = (/** @type {'x' | 'y'} */ axis) => rest * rest * from[axis] + 2 * rest * part * middle[axis] + part * part * to[axis];
      if (Math.hypot(at('x') - x, at('y') - y) < NEAR)
        return arrow;
    }
  }
  return null;
}

/**
 * Goes to the other end: to the thread that held the lock or woke the waiting one, or back to the wait.
 * @param {Pane} pane @param {Link} link
 */
export function follow(pane, {thread, wait}) {
  const {app} = pane;
  if (app.selected?.call.thread === thread && app.selected.pane === pane && app.why?.waits.includes(wait))
    void app.go(pane, /** @type {number} */ (wait.thread), {at: otherEnd(wait), depth: wait.depth ?? undefined}, wait);
  else
    void app.goBack();
}
/** Follows the longest wait of the chosen call whose other thread is known. @param {import('./app.js').App} app */
export function followLongest(app) {
  const {selected, why} = app;
  const waits = why?.waits.filter(({thread}) => thread !== null).sort((a, b) => (b.to_ns - b.from_ns) - (a.to_ns - a.from_ns)) ?? [];
  if (selected && waits.length)
    follow(selected.pane, {thread: selected.call.thread, wait: waits[0]});
}
