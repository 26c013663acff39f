// Fetches pictures in a worker, so that parsing megabytes of JSON never delays the page's drawing.
// @ts-check
import {ServerError, getPicture} from './api.js';

/** @typedef {import('./api.js').Timeline} Timeline */
/**
 * A timeline with its columns as typed arrays.
 * @typedef {{thread: number, exact: boolean, levels: number, depth: Int32Array, begin: Float64Array, end: Float64Array,
 *   function: Int32Array, kind: Uint8Array, seq: Float64Array, count: Float64Array, fill: Float64Array, lastFunction: number}} Columns
 * @typedef {{id: number, scope?: import('./api.js').Scope & {pixels: number}}} Task without a scope: the task with this id is called off
 * @typedef {{id: number, threads?: Columns[], error?: string}} Result without threads and error: the task was called off
 */

/** @type {Map<number, AbortController>} */
const running = new Map();

/** @param {number} thread @param {Timeline} timeline @returns {Columns} */
function columnsOf(thread, timeline) {
  return {thread, exact: timeline.exact, levels: timeline.max_depth, depth: Int32Array.from(timeline.depth), begin: Float64Array.from(timeline.begin),
    end: Float64Array.from(timeline.end), function: Int32Array.from(timeline.function), kind: Uint8Array.from(timeline.kind),
    seq: Float64Array.from(timeline.seq), count: Float64Array.from(timeline.count), fill: Float64Array.from(timeline.fill),
    lastFunction: timeline.function.reduce((a, b) => Math.max(a, b), -1)};
}

/** @param {Result} result */
const post = (result) => {
  const buffers = (result.threads ?? []).flatMap((columns) => Object.values(columns).filter((value) => ArrayBuffer.isView(value)).map((view) => view.buffer));
  self.postMessage(result, {transfer: buffers});
};

self.addEventListener('message', async (/** @type {MessageEvent<Task>} */ {data: {id, scope}}) => {
  if (!scope) {
    running.get(id)?.abort();
    return;
  }
  const abort = new AbortController();
  running.set(id, abort);
  try {
    const {threads} = await getPicture(scope, abort.signal);
    post({id, threads: threads.map(({thread, timeline}) => columnsOf(thread, timeline))});
  } catch (error) {
    post(abort.signal.aborted ? {id} : {id, error: error instanceof ServerError ? error.message : `The picture can't be read: ${error}`});
  } finally {
    running.delete(id);
  }
});
