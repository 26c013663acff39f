// The requests to the server and its answers (docs/developers/view.md).
// @ts-check

/** @typedef {{id: number, pid: number | null, name: string, executable: string, exit: unknown}} Process */
/** @typedef {{id: number, process: number, number: number, tid: number, name: string, events: number, knows_sched: boolean, begin_ns: number, end_ns: number}} Thread */
/**
 * @typedef {{id: number, name: string, operand: string, start_ns: number, duration_ns: number, events: number, is_live: boolean,
 *   is_gone?: boolean, resolution_ns: number, times_are_order: boolean, process_count: number, thread_count: number,
 *   processes: Process[], threads: Thread[], functions: number,
 *   index: {state: 'ready' | 'building' | 'failed', progress: number, note?: string}, warnings: string[]}} SessionInfo
 * @typedef {{id: number, name: string, file: string, line: number, waits_for?: string}} FunctionInfo
 * @typedef {{from: number, to: number, source: 'events' | 'index' | 'samples', exact: boolean, max_depth: number, depth: number[],
 *   begin: number[], end: number[], function: number[], kind: number[], seq: number[], count: number[], fill: number[]}} Timeline
 * @typedef {{seq: number, thread: number, function: number, depth: number, begin_ns: number, end_ns: number | null,
 *   end: 'return' | 'exception' | 'inferred' | 'missing' | 'open', self_ns: number | null, waiting_ns: number | null, preempted_ns: number | null,
 *   recorder_ns: number | null, unknown_ns: number | null, calls: number | null, args: string | null, result: string | null,
 *   parent: number | null, first_child: number | null, previous: number | null, next: number | null,
 *   previous_same: number | null, next_same: number | null,
 *   source_of: number, source: {file: string, line: number, text: [number, string][]} | null}} Call
 * @typedef {{thread: number, seq: number, function: number, depth: number, begin_ns: number, end_ns: number | null,
 *   args: string | null}} FoundCall
 * @typedef {{function: number, calls: number, total_ns: number, self_ns: number, recorder_ns: number, min_ns: number, max_ns: number,
 *   p50_ns: number, p99_ns: number}} FunctionFigures
 * @typedef {{function: number, parent: number, calls: number, total_ns: number, self_ns: number}} FlameNode
 * @typedef {{from_ns: number, to_ns: number, calls: number}} Bucket
 * @typedef {{processors: {processor: number, begin: number[], end: number[], thread: number[], count: number[], fill: number[]}[],
 *   unknown: number[]}} Processors threads by processor, and those of which it is not known
 * @typedef {{key: number, depth: number, is_open: boolean, command: string, count: number, failed: number, pid: number | null,
 *   exit: string | null, wall_ns: number, median_ns: number, on_cpu_ns: number | null, begin: number[], end: number[], processes: number[],
 *   fill: number[], thread: number[]}} ProcessRow a program's processes, or one of them, by boxes
 * @typedef {{row: number, key: number, thread: number, begin_ns: number, end_ns: number}} ProcessHit
 * @typedef {{processes: number, hits: number, hit?: ProcessHit, total_rows: number, first: number, rows: ProcessRow[]}} Processes
 *   `hits`: processes that match
 */
/**
 * The part of the trace that an analysis has read; `too_long`: nothing, because it would take too long.
 * @typedef {{state: 'ready' | 'too_long', is_whole: boolean, from_ns: number, to_ns: number}} Analysed
 * @typedef {{kind: string, text: string, total_ns: number, thread: number, in_ns: number, holders?: WhyPart[], parts?: WhyPart[],
 *   other_parts?: number, other_ns?: number}} WhyPart a part of a call's time, or (with `parts`) a thread that it waited for
 * @typedef {{from_ns: number, to_ns: number, kind: string, thread: number | null, woken_ns: number | null, depth: number | null}} Wait `depth`: of the call that took the lock
 * @typedef {Analysed & {has_sched: boolean, total_ns: number, parts: WhyPart[], other_parts: number, other_ns: number, waits: Wait[]}} Why
 * @typedef {{kind: string, what: string, how: string, of_call_ns: number, explains_ns: number, p_value: number, of_slow: number,
 *   of_ordinary: number, sure: 'certain' | 'likely' | ''}} Factor
 * @typedef {Analysed & {calls: number, slow_calls: number, ordinary_calls: number, calls_needed: number, slow_from_ns: number,
 *   ordinary_from_ns: number, ordinary_to_ns: number, slower_calls: number, ordinary_mean_ns: number, extra_ns: number, is_slow: boolean,
 *   verdict: 'certain' | 'likely' | 'nothing' | 'too few calls', factors: Factor[]}} Outliers
 * @typedef {{kind: string, function: string | null, object: string | null, stake_ns: number, of_ns: number, sure: 'certain' | 'likely', text: string,
 *   evidence: string[], command: string | null, place: {thread: number, seq?: number, at?: number} | null}} Finding `place`: a call that shows it,
 *   by its number, or as the innermost one at a time
 * @typedef {{state: 'ready' | 'too_long', requests: string[], request_calls: number, total_ns: number, run_ns: number, findings: Finding[],
 *   cannot_say: {what: string, command: string | null}[]}} Findings
 */
/** A part of a session: a range of time and some threads (all, if there is no list). @typedef {{session: number, from: number, to: number, threads?: string}} Scope */
/** @typedef {Record<string, string | number | undefined>} Parameters */

/** The server's error message, as one line. */
export class ServerError extends Error {}

let pending = 0;
/** Whether an answer of the server is awaited, other than that of a search for findings. */
export const isAsking = () => pending > 0;

/** @param {string} path @param {Parameters} parameters @param {AbortSignal} [signal] @returns {Promise<any>} */
async function ask(path, parameters, signal) {
  if (path === 'findings')
    return answerOf(path, parameters, signal);
  ++pending;
  try {
    return await answerOf(path, parameters, signal);
  } finally {
    --pending;
  }
}
/** @param {string} path @param {Parameters} parameters @param {AbortSignal} [signal] @returns {Promise<any>} */
async function answerOf(path, parameters, signal) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined)
      query.set(name, String(value));
  let response;
  try {
    // Beside this file: the folder in the address is the token.
    response = await fetch(new URL(`api/${path}?${query}`, import.meta.url), {signal});
  } catch (error) {
    if (signal?.aborted)
      throw error;
    throw new ServerError('The server does not answer. Is `adatrace view` still running?');
  }
  const answer = await response.json().catch(() => null);
  if (!response.ok)
    throw new ServerError(answer?.error || `The server answered with status ${response.status}.`);
  return answer;
}

/** @typedef {{processes: Process[], threads: Thread[]}} Members */
/** By session, those that /api/sessions leaves out, and which state of it they are of. @type {Map<number, Members & {state: string}>} */
const further = new Map();
/** @param {SessionInfo} info */
export const isPartial = (info) => info.processes.length < info.process_count || info.threads.length < info.thread_count;
/**
 * The sessions with their first processes and threads, or with all of them.
 * @param {boolean} areWhole @returns {Promise<{sessions: SessionInfo[]}>}
 */
export async function getSessions(areWhole) {
  /** @type {{sessions: SessionInfo[]}} */
  const answer = await ask('sessions', {});
  for (const info of answer.sessions.filter((one) => areWhole && isPartial(one))) {
    const {processes, threads} = info, state = `${info.start_ns} ${info.events} ${info.is_live}`;
    const old = further.get(info.id), known = old?.state === state ? old : {processes: [], threads: [], state};
    const use = () => void (info.processes = processes.concat(known.processes), info.threads = threads.concat(known.threads));
    for (use(); isPartial(info); use()) {
      /** @type {Members} */
      const more = await ask('members', {session: info.id, processes: info.processes.length, threads: info.threads.length});
      if (!more.processes.length && !more.threads.length)
        break; // the session was replaced
      known.processes = known.processes.concat(more.processes);
      known.threads = known.threads.concat(more.threads);
    }
    further.set(info.id, known);
  }
  return answer;
}
/** @param {number} session @param {number} since @returns {Promise<{functions: FunctionInfo[]}>} */
export const getFunctions = (session, since) => ask('functions', {session, since});
/**
 * @param {Scope & {pixels: number}} scope @param {AbortSignal} [signal]
 * @returns {Promise<{from: number, to: number, threads: {thread: number, timeline: Timeline}[]}>}
 */
export const getPicture = (scope, signal) => ask('picture', scope, signal);
/** A call by its number, or the call that is open at a time and a depth; without a depth, the innermost one.
 * @typedef {{seq: number} | {at: number, depth?: number}} Which */
/** @param {number} session @param {number} thread @param {Which} which @returns {Promise<Call>} */
export const getCall = (session, thread, which) => ask('call', {session, thread, ...which});
/**
 * A function's name as a glob that matches it (and its overloads). Globs match names without what is shown as `(..)`
 * and `<..>`.
 * @param {string} name
 */
export function globOf(name) {
  const plain = name.replace(/\(\.\.\)(?: const)?$/, '').replaceAll('<..>', '');
  return plain.replace(/[\\*?[\]{},|]/g, '\\$&').replaceAll('(..)', '*') || '*';
}
/** @param {Parameters} what @param {AbortSignal} [signal] @returns {Promise<{calls: FoundCall[], is_complete: boolean}>} */
export const find = (what, signal) => ask('find', what, signal);
/**
 * @param {Scope} scope @param {AbortSignal} [signal]
 * @returns {Promise<{functions: FunctionFigures[], calls: number, is_complete: boolean}>}
 */
export const getStatistics = (scope, signal) => ask('statistics', scope, signal);
/** @param {Scope} scope @param {AbortSignal} [signal] @returns {Promise<{nodes: FlameNode[], is_cut: boolean}>} */
export const getFlame = (scope, signal) => ask('flame', scope, signal);
/**
 * @param {Scope & {function: number}} scope @param {AbortSignal} [signal]
 * @returns {Promise<{buckets: Bucket[], calls: number, min_ns: number, max_ns: number, is_complete: boolean}>}
 */
export const getHistogram = (scope, signal) => ask('histogram', scope, signal);

/** @param {Scope & {pixels: number}} scope @param {AbortSignal} [signal] @returns {Promise<Processors>} */
export const getProcessors = (scope, signal) => ask('processors', scope, signal);
/**
 * @param {Scope & {pixels: number, first: number, rows: number, open: string, match?: string, hit?: number}} scope @param {AbortSignal} [signal]
 * @returns {Promise<Processes>}
 */
export const getProcesses = (scope, signal) => ask('processes', scope, signal);
/** The lines of a file that the trace names; `note` says why there are none. @typedef {{file: string, lines: string[], note: string}} SourceText */
/** @param {number} session @param {string} file @param {AbortSignal} [signal] @returns {Promise<SourceText>} */
export const getSource = (session, file, signal) => ask('source', {session, file}, signal);
/**
 * Asks again until the analysis is done. The server stops it soon after nobody asks any more.
 * @param {string} what @param {Parameters} parameters @param {AbortSignal} signal @param {(progress: number) => void} tell
 */
async function analyse(what, parameters, signal, tell) {
  for (;;) {
    const answer = await ask(what, parameters, signal);
    if (answer.state !== 'running')
      return answer;
    tell(answer.progress);
  }
}
/**
 * @param {{session: number, thread: number, seq: number}} call @param {AbortSignal} signal @param {(progress: number) => void} tell
 * @returns {Promise<Why>}
 */
export const getWhy = (call, signal, tell) => analyse('why', call, signal, tell);
/**
 * @param {{session: number, thread: number, seq: number}} call @param {AbortSignal} signal @param {(progress: number) => void} tell
 * @returns {Promise<Outliers>}
 */
export const getOutliers = (call, signal, tell) => analyse('outliers', call, signal, tell);
/**
 * What is wrong. `of` names the state of the session: answers are kept by it.
 * @param {{session: number, of: string}} session @param {AbortSignal} signal @param {(progress: number) => void} tell
 * @returns {Promise<Findings>}
 */
export const getFindings = (session, signal, tell) => analyse('findings', session, signal, tell);
