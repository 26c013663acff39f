// The rows of a session: processes with their threads, in the order and with the heights that the user chose.
// @ts-check
import {STATE_HEIGHT} from './thread_states.js';

/** @typedef {import('./api.js').SessionInfo} SessionInfo */
/**
 * A process's heading or a thread.
 * @typedef {{key: string, process: number, thread: number, y: number, height: number, hiddenLevels: number, level: number}} Row
 */

export const LEVEL = 17;
const EDGE = 2, HEADING = 20, GAP = 5, SMALL_LEVEL = 4, MOST_LEVELS = 48;

export class Rows {
  constructor() {
    /** @type {string[]} keys of processes and threads, in the user's order */
    this.order = [];
    this.isMoved = false;
    /** @type {Set<number>} threads */
    this.hidden = new Set();
    /** @type {Set<number>} threads whose levels are thin, without names */
    this.small = new Set();
    /** @type {Set<number>} threads that show all levels, however many there are */
    this.tall = new Set();
    /** @type {Set<number>} processes that show only their heading */
    this.closed = new Set();
    /** @type {Map<number, number>} the largest number of levels seen so far, by thread */
    this.levels = new Map();
    /** @type {Row[]} */
    this.shown = [];
    this.height = 0;
    /** Where the calls of a row begin: below the strip of its states, if there are any. */
    this.top = EDGE;
    /** Incremented with each change. */
    this.version = 0;
  }

  /** @param {number} thread @param {number} levels @returns whether there are more than before */
  sawLevels(thread, levels) {
    if (levels <= (this.levels.get(thread) ?? 1))
      return false;
    this.levels.set(thread, levels);
    return true;
  }

  /** @param {SessionInfo} info */
  layOut(info) {
    const known = new Set(this.order);
    for (const process of info.processes)
      if (!known.has(`p${process.id}`))
        this.order.push(`p${process.id}`);
    for (const thread of info.threads)
      if (!known.has(`t${thread.id}`))
        this.order.push(`t${thread.id}`);
    const place = new Map(this.order.map((key, at) => [key, at]));
    /** @template {{id: number}} T @param {'p' | 't'} kind @param {T[]} list @returns {T[]} */
    const ordered = (kind, list) => (list.length < 2 ? list :
      list.map((one) => ({one, at: place.get(`${kind}${one.id}`) ?? 0})).sort((a, b) => a.at - b.at).map(({one}) => one));
    /** @type {Map<number, import('./api.js').Thread[]>} */
    const threadsOf = new Map();
    for (const thread of info.threads)
      if (!this.hidden.has(thread.id))
        (threadsOf.get(thread.process) ?? threadsOf.set(thread.process, []).get(thread.process))?.push(thread);
    this.shown = [];
    this.top = info.threads.some((thread) => thread.knows_sched) ? EDGE + STATE_HEIGHT + 1 : EDGE;
    let y = 0;
    for (const process of ordered('p', info.processes)) {
      const threads = ordered('t', threadsOf.get(process.id) ?? []);
      if (!threads.length)
        continue;
      this.shown.push({key: `p${process.id}`, process: process.id, thread: -1, y, height: HEADING, hiddenLevels: 0, level: 0});
      y += HEADING;
      for (const thread of this.closed.has(process.id) ? [] : threads) {
        const level = this.small.has(thread.id) ? SMALL_LEVEL : LEVEL, levels = this.levels.get(thread.id) ?? 1;
        const shown = this.tall.has(thread.id) ? levels : Math.min(levels, MOST_LEVELS);
        const height = Math.max(shown * level + (levels > shown ? LEVEL : 0), LEVEL) + GAP + this.top - EDGE;
        this.shown.push({key: `t${thread.id}`, process: process.id, thread: thread.id, y, height, hiddenLevels: levels - shown, level});
        y += height;
      }
    }
    this.height = y;
    ++this.version;
  }

  /** @param {number} y */
  at(y) {
    return this.shown.find((row) => y >= row.y && y < row.y + row.height);
  }
  /** @param {number} thread */
  ofThread(thread) {
    return this.shown.find((row) => row.thread === thread);
  }

  /** Puts a row before or after another one of its kind (and, for threads, of its process). @param {string} key @param {string} target @param {boolean} behind */
  move(key, target, behind) {
    if (key === target || key[0] !== target[0])
      return;
    this.order = this.order.filter((other) => other !== key);
    this.order.splice(this.order.indexOf(target) + (behind ? 1 : 0), 0, key);
    this.isMoved = true;
  }
  /** @param {Row} row @param {1 | -1} step */
  step(row, step) {
    const peers = this.shown.filter((other) => other.key[0] === row.key[0] && (row.thread < 0 || other.process === row.process));
    const target = peers[peers.indexOf(row) + step];
    if (target)
      this.move(row.key, target.key, step > 0);
  }
  /** @param {Row} row @param {SessionInfo} info */
  hide(row, info) {
    for (const thread of info.threads)
      if (row.thread === thread.id || (row.thread < 0 && thread.process === row.process))
        this.hidden.add(thread.id);
  }
}
