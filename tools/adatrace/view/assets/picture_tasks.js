// The page's side of picture_worker.js.
// @ts-check

/** @typedef {import('./picture_worker.js').Columns} Columns */
/** @typedef {import('./picture_worker.js').Result} Result */

const worker = new Worker(new URL('picture_worker.js', import.meta.url), {type: 'module'});
/** @type {Map<number, (result: Result) => void>} */
const waiting = new Map();
let last = 0;

worker.addEventListener('message', (/** @type {MessageEvent<Result>} */ {data}) => {
  waiting.get(data.id)?.(data);
  waiting.delete(data.id);
});

/**
 * Starts a task and returns its number at once. If the task is called off, its result is null.
 * @param {import('./api.js').Scope & {pixels: number}} scope
 * @returns {{id: number, result: Promise<Columns[] | null>}}
 */
export function askPicture(scope) {
  const id = ++last;
  /** @type {Promise<Result>} */
  const answered = new Promise((resolve) => waiting.set(id, resolve));
  worker.postMessage({id, scope});
  return {id, result: answered.then(({threads, error}) => {
    if (error)
      throw new Error(error);
    return threads ?? null;
  })};
}
/** @param {number} id */
export const callOff = (id) => worker.postMessage({id});
