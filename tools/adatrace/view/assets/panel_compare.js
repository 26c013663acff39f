// The panel that compares the chosen call with the one that was marked: their times, callees by path, and arguments.
// @ts-check
import {getFlame} from './api.js';
import {button, make} from './dom.js';
import {counted, duration, grouped, NOT_RETURNED} from './numbers.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./app.js').Chosen} Chosen */
/** @typedef {import('./api.js').Call} Call */
/** @typedef {{total: number, calls: number}} PathSum */
/** @typedef {{title: string, left: string, right: string, difference: string, isCode?: boolean}} Row */

const MOST_PATHS = 60;

export class ComparePanel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.id = 'compare';
    this.title = 'Compare';
    this.caption = make('p', 'caption');
    this.content = make('div', 'content');
    this.element = make('div', 'panel compare', this.caption, this.content);
    this.isOpen = false;
    this.shown = '';
    this.abort = new AbortController();
    app.onChange((what) => ['selected', 'marked', 'names'].includes(what) && void this.refresh());
  }
  /** @param {boolean} isOpen */
  open(isOpen) {
    this.isOpen = isOpen;
    void this.refresh();
  }

  async refresh() {
    const {marked, selected} = this.app;
    const wanted = !this.isOpen ? '' : JSON.stringify([marked, selected].map((chosen) => chosen && [chosen.pane.session.id, chosen.pane.session.names,
      chosen.call.thread, chosen.call.seq, chosen.call.end_ns]));
    if (wanted === this.shown)
      return;
    this.shown = wanted;
    this.abort.abort();
    this.abort = new AbortController();
    this.element.removeAttribute('aria-busy');
    if (!this.isOpen)
      return;
    if (!marked || !selected || isSame(marked, selected)) {
      this.caption.textContent = marked ? 'Choose another call to compare the marked one with.' :
        'Choose a call and press M to mark it; then choose another one. Or Shift-click another call while one is chosen.';
      this.content.replaceChildren();
      return;
    }
    const {signal} = this.abort;
    this.element.setAttribute('aria-busy', 'true');
    try {
      const [left, right] = await Promise.all([pathsOf(marked, signal), pathsOf(selected, signal)]);
      this.show(marked, selected, left, right);
    } catch (error) {
      if (signal.aborted)
        return;
      this.app.fail(error);
    }
    this.element.removeAttribute('aria-busy');
  }

  /** @param {Chosen} marked @param {Chosen} selected @param {Paths} left @param {Paths} right */
  show(marked, selected, left, right) {
    this.caption.replaceChildren(nameOf(marked) === nameOf(selected) ? `Two calls of ${nameOf(marked)}. ` : `${nameOf(marked)} and ${nameOf(selected)}. `,
      button('swap', () => this.app.swapMarked(), 'link'), ' ', button('unmark', () => this.app.mark(null), 'link'));
    const table = make('table'), body = make('tbody'), head = make('tr');
    for (const title of ['marked', 'chosen', 'difference', ''])
      head.append(make('th', '', title));
    const add = (/** @type {Row} */ {title, left, right, difference, isCode}) => {
      const row = make('tr'), className = isCode ? 'code text' : '';
      row.append(make('td', className, left), make('td', className, right), make('td', '', difference), make('td', '', title));
      body.append(row);
    };
    for (const row of timesOf(marked, selected))
      add(row);
    const paths = pathRows(left, right);
    if (paths.length)
      body.append(heading('what they called, by path'));
    for (const row of paths.slice(0, MOST_PATHS))
      add(row);
    const notes = [];
    if (paths.length > MOST_PATHS)
      notes.push(`${counted(paths.length - MOST_PATHS, 'path')} with smaller differences are left out.`);
    if (left.isCut || right.isCut)
      notes.push('Not all paths were read: a call has more than 20 million events, or too many paths.');
    table.append(make('thead', '', head), body);
    this.content.replaceChildren(table, ...notes.map((note) => make('p', 'caption', note)));
  }
}

/** @typedef {{sums: Map<string, PathSum>, isCut: boolean}} Paths */

/** @param {Chosen} a @param {Chosen} b */
export const isSame = (a, b) => a.pane === b.pane && a.call.thread === b.call.thread && a.call.seq === b.call.seq;
/** @param {Chosen} chosen */
const nameOf = ({pane, call}) => pane.session.name(call.function);
/** @param {Chosen} chosen */
const endOf = ({pane, call}) => call.end_ns ?? pane.session.duration;

/** @param {string} text */
function heading(text) {
  const cell = make('th', 'between', text);
  cell.colSpan = 4;
  return make('tr', '', cell);
}

/** The totals of what a call called, by path. @param {Chosen} chosen @param {AbortSignal} signal @returns {Promise<Paths>} */
async function pathsOf(chosen, signal) {
  const {pane, call} = chosen, {session} = pane;
  const {nodes, is_cut} = await getFlame({session: session.id, threads: String(call.thread), from: Math.max(0, call.begin_ns), to: endOf(chosen)}, signal);
  /** @type {number[]} */
  const depth = [];
  nodes.forEach((node, at) => {
    depth[at] = node.parent < 0 ? 0 : depth[node.parent] + 1;
  });
  // The call itself is the longest path of its depth and function: the range is its own.
  let top = -1;
  nodes.forEach((node, at) => {
    if (node.function === call.function && depth[at] === call.depth && (top < 0 || node.total_ns > nodes[top].total_ns))
      top = at;
  });
  /** @type {Map<string, PathSum>} */
  const sums = new Map();
  /** @type {(string | undefined)[]} */
  const paths = [];
  nodes.forEach((node, at) => {
    const above = node.parent === top ? '' : node.parent < 0 ? undefined : paths[node.parent];
    if (top < 0 || above === undefined)
      return;
    paths[at] = above ? `${above} › ${session.name(node.function)}` : session.name(node.function);
    // Two functions of the same name are one here.
    const sum = sums.get(paths[at] ?? '') ?? {total: 0, calls: 0};
    sums.set(paths[at] ?? '', {total: sum.total + node.total_ns, calls: sum.calls + node.calls});
  });
  return {sums, isCut: is_cut || top < 0};
}

/** @param {Paths} left @param {Paths} right @returns {Row[]} the largest differences first */
function pathRows(left, right) {
  const none = {total: 0, calls: 0}, text = (/** @type {PathSum} */ {total, calls}) => (calls || total ? `${duration(total)} · ${grouped(calls)} ×` : '—');
  const rows = [...new Set([...left.sums.keys(), ...right.sums.keys()])].map((path) => {
    const [a, b] = [left.sums.get(path) ?? none, right.sums.get(path) ?? none];
    return {by: Math.abs(b.total - a.total), title: path, left: text(a), right: text(b), difference: signed(b.total - a.total)};
  });
  return rows.sort((a, b) => b.by - a.by || (a.title < b.title ? -1 : 1));
}

/** @param {number} ns */
const signed = (ns) => (ns > 0 ? `+${duration(ns)}` : ns < 0 ? `−${duration(-ns)}` : '0 ns');

/** @param {Chosen} a @param {Chosen} b @returns {Row[]} */
function timesOf(a, b) {
  /** @type {[string, (chosen: Chosen) => number | null | undefined][]} */
  const times = [
    ['total', (chosen) => endOf(chosen) - chosen.call.begin_ns],
    ['self', ({call}) => call.self_ns],
    ['on-CPU', (chosen) => onCpu(chosen)],
    ['waiting', ({call}) => call.waiting_ns],
    ['preempted', ({call}) => call.preempted_ns],
    ['held up by the recorder', ({call}) => call.recorder_ns],
    ['unknown', ({call}) => call.unknown_ns],
  ];
  /** @type {Row[]} */
  const rows = [];
  for (const [title, get] of times) {
    const [left, right] = [get(a), get(b)].map((value) => value ?? null);
    const isPlain = title === 'total' || title === 'self' || title === 'on-CPU' || title === 'waiting';
    if (isPlain || left || right)
      rows.push({title, left: left === null ? 'not known' : duration(left), right: right === null ? 'not known' : duration(right),
        difference: left === null || right === null ? '' : signed(right - left)});
  }
  const calls = [a.call.calls, b.call.calls];
  rows.push({title: 'calls that it made', left: calls[0] === null ? 'not known' : grouped(calls[0]), right: calls[1] === null ? 'not known' : grouped(calls[1]),
    difference: calls[0] === null || calls[1] === null ? '' : `${calls[1] > calls[0] ? '+' : calls[1] < calls[0] ? '−' : ''}${grouped(Math.abs(calls[1] - calls[0]))}`});
  const texts = (/** @type {string} */ title, /** @type {string} */ left, /** @type {string} */ right, isCode = false) => {
    if (left || right)
      rows.push({title, left: left || 'not recorded', right: right || 'not recorded', difference: left === right ? 'the same' : 'different', isCode});
  };
  texts('arguments', a.call.args ?? '', b.call.args ?? '', true);
  texts('result', a.call.result ?? '', b.call.result ?? '', true);
  const ending = (/** @type {Call} */ call) => NOT_RETURNED[call.end] ?? (call.end_ns === null ? 'not yet' : 'returned');
  texts('how it ended', ending(a.call), ending(b.call));
  texts('thread', a.pane.session.threadName(a.call.thread), b.pane.session.threadName(b.call.thread));
  return rows;
}
/** @param {Chosen} chosen */
function onCpu(chosen) {
  const {call} = chosen;
  return call.waiting_ns === null ? null :
    endOf(chosen) - call.begin_ns - call.waiting_ns - (call.preempted_ns ?? 0) - (call.recorder_ns ?? 0) - (call.unknown_ns ?? 0);
}
