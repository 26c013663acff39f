// Charts of boxes in rows, under the same time axis as the timeline: of processes, and of processors.
// @ts-check
import {FONT, fitted} from './draw.js';
import {SHADES, colours} from './theme.js';

/** @typedef {import('./pane.js').Pane} Pane */
/** @typedef {{begin: number[], end: number[], count: number[], fill: number[]}} Boxes how many things each stands for, and the time that they fill */

export const ROW = 18;
const NARROWEST_NAME = 26, PADDING = 4;

/** The range to ask for, with half of the visible one on both sides, because the drawing moves at once. @param {Pane} pane */
export function rangeAround({axis, session, width}) {
  const end = Math.ceil(session.duration) + 1, from = Math.min(end - 1, Math.max(0, Math.floor(axis.from - axis.span / 2)));
  const to = Math.max(from + 1, Math.min(end, Math.ceil(axis.to + axis.span / 2)));
  return {session: session.id, from, to, pixels: Math.max(1, Math.min(10000, Math.round((to - from) / axis.span * width)))};
}

/** Empties the canvas, with room for rows. @param {HTMLCanvasElement} canvas @param {number} width @param {number} rows */
export function startChart(canvas, width, rows) {
  const height = Math.max(rows * ROW, 1), ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', {alpha: false}));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = colours().paper;
  context.fillRect(0, 0, width, height);
  context.font = FONT;
  context.textBaseline = 'middle';
  return context;
}

/**
 * Draws a row of boxes, paler where they are not filled.
 * @param {CanvasRenderingContext2D} context @param {number} row @param {Boxes} boxes @param {Pane} pane
 * @param {{hue: (box: number) => number, name: (box: number) => string, isMarked?: (box: number) => boolean}} look
 */
export function drawBoxes(context, row, {begin, end, count, fill}, {axis, width}, {hue, name, isMarked}) {
  const y = row * ROW, shown = colours();
  for (let i = 0; i < begin.length; ++i) {
    const left = Math.max(axis.x(begin[i], width), -1), right = Math.min(axis.x(end[i], width), width + 1);
    if (right < 0 || left > width)
      continue;
    const shade = count[i] > 1 ? Math.min(SHADES - 1, Math.floor(fill[i] / Math.max(end[i] - begin[i], 1) * SHADES)) : SHADES - 1;
    context.fillStyle = shown.fills[hue(i) * SHADES + shade];
    context.fillRect(left, y, Math.max(right - left > 3 ? right - left - 1 : right - left, 0.8), ROW - 1);
    if (isMarked?.(i)) {
      context.fillStyle = shown.strong;
      context.fillRect(left, y + ROW - 3, Math.max(right - left, 0.8), 2);
    }
    const room = right - Math.max(left, 0) - 2 * PADDING, text = room < NARROWEST_NAME - 2 * PADDING ? '' : fitted(context, name(i), room);
    context.fillStyle = shown.ink;
    if (text)
      context.fillText(text, Math.max(left, 0) + PADDING, y + ROW / 2);
  }
  context.fillStyle = shown.line;
  context.fillRect(0, y + ROW - 1, width, 1);
}

/** The box of a row at a time, or -1. @param {{begin: number[], end: number[]}} boxes @param {number} time @param {number} slack */
export const boxAt = ({begin, end}, time, slack) => begin.findIndex((from, i) => time >= from - slack && time <= end[i] + slack);
