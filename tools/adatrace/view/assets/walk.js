// Moves from one call to the next.
// @ts-check
import {find} from './api.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {'next' | 'previous' | 'parent' | 'first_child' | 'next_same' | 'previous_same'} Step */

let steps = 0;
/** Whether an answer is pending; held keys wait for it. */
export const isWalking = () => steps > 0;

/** @param {App} app @param {Step} step */
export async function walk(app, step) {
  const row = (app.pending || app.selected)?.pane.row?.key;
  ++steps;
  try {
    // A step goes on from the call that the key before it chose.
    while (app.pending)
      if (!await app.pending.isChosen)
        return;
    const {selected} = app;
    if (!selected)
      await enter(app);
    else if (selected.call[step] !== null && selected.call[step] !== undefined)
      await app.selectCall(selected.pane, selected.call.thread, {seq: /** @type {number} */ (selected.call[step])}, true, row);
  } finally {
    --steps;
  }
}

/**
 * Starts at the first call in the row that begins in the visible range, otherwise at the innermost call that continues
 * there.
 * @param {App} app
 */
async function enter(app) {
  const pane = app.active || app.panes[0], {row, axis} = pane;
  const thread = row && row.thread >= 0 ? row.thread : pane.visibleRows()[0]?.thread;
  if (thread === undefined)
    return;
  try {
    const {calls} = await find({session: pane.session.id, threads: String(thread), from: Math.max(0, Math.floor(axis.from)),
      to: Math.ceil(axis.to), order: 'time', limit: 1});
    const seq = calls.length ? calls[0].seq : innermost(pane, thread);
    if (seq >= 0)
      await app.selectCall(pane, thread, {seq}, true);
  } catch (error) {
    app.fail(error);
  }
}
/** @param {import('./pane.js').Pane} pane @param {number} thread @returns the number of a call, or -1 */
function innermost({session, axis, width}, thread) {
  let seq = -1, deepest = -1;
  for (const picture of session.pictures.layers(thread, axis.from, axis.to, width))
    for (let i = 0; i < picture.count; ++i)
      if (picture.seq[i] >= 0 && picture.depth[i] > deepest && picture.begin[i] < axis.to && picture.end[i] > axis.from)
        [seq, deepest] = [picture.seq[i], picture.depth[i]];
  return seq;
}
