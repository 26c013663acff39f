// Draws the axis above the rows: the position of the view in the session, marks with times, and the chosen range.
// @ts-check
import {duration, niceStep, timeLabel} from './numbers.js';

/** @typedef {import('./theme.js').Colours} Colours */
/** @typedef {import('./axis.js').Axis} Axis */

export const RULER = 34;
export const STRIP_HEIGHT = 6;
const MARK = 96;

/**
 * @param {CanvasRenderingContext2D} context @param {number} width @param {Axis} axis @param {number} end of the session
 * @param {Colours} colours @param {{from: number, to: number} | null} range
 */
export function drawRuler(context, width, axis, end, colours, range) {
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, width, RULER);
  // The whole session, and its visible part.
  context.fillStyle = colours.line;
  context.fillRect(0, 0, width, STRIP_HEIGHT);
  context.fillStyle = colours.faint;
  const x = axis.from / axis.limit * width, wide = axis.span / axis.limit * width;
  context.fillRect(Math.min(x, width - 3), 0, Math.max(wide, 3), STRIP_HEIGHT);
  if (range) {
    const from = axis.x(range.from, width), to = axis.x(range.to, width);
    context.fillStyle = colours.stripe;
    context.fillRect(from, STRIP_HEIGHT, to - from, RULER - STRIP_HEIGHT);
  }
  const step = Math.max(niceStep(axis.span / width * MARK), 1);
  context.font = '10.5px system-ui, sans-serif';
  context.textBaseline = 'alphabetic';
  for (let time = Math.max(0, Math.ceil(axis.from / step)) * step; time <= Math.min(axis.to, end + step); time += step) {
    const at = Math.round(axis.x(time, width)) + 0.5;
    context.fillStyle = colours.faint;
    context.fillRect(at - 0.5, RULER - 6, 1, 6);
    context.fillText(timeLabel(time, step, axis.to), at + 3, RULER - 8);
  }
  if (range)
    drawRange(context, width, axis, colours, range);
  context.fillStyle = colours.line;
  context.fillRect(0, RULER - 1, width, 1);
}

/** Draws the length of the range between its ends. @param {CanvasRenderingContext2D} context @param {number} width @param {Axis} axis @param {Colours} colours @param {{from: number, to: number}} range */
function drawRange(context, width, axis, colours, range) {
  const from = axis.x(range.from, width), to = axis.x(range.to, width);
  if (to < 0 || from > width)
    return;
  const text = duration(range.to - range.from), room = context.measureText(text).width + 10;
  const middle = Math.min(Math.max((Math.max(from, 0) + Math.min(to, width)) / 2, room / 2), width - room / 2);
  context.fillStyle = colours.strong;
  context.fillRect(from, STRIP_HEIGHT, 1, RULER);
  context.fillRect(to, STRIP_HEIGHT, 1, RULER);
  context.fillRect(from, RULER - 3, to - from, 2);
  context.fillRect(middle - room / 2, STRIP_HEIGHT + 2, room, 15);
  context.fillStyle = colours.paper;
  context.textAlign = 'center';
  context.fillText(text, middle, STRIP_HEIGHT + 13.5);
  context.textAlign = 'left';
}
