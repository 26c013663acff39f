// One session as the page knows it: the server's description, its functions and its pictures.
// @ts-check
import {getFunctions} from './api.js';
import {Pictures} from './pictures.js';

/** @typedef {import('./api.js').SessionInfo} SessionInfo */
/** @typedef {import('./api.js').FunctionInfo} FunctionInfo */

export class Session {
  /** @param {SessionInfo} info @param {{arrived: () => void, failed: (text: string) => void}} listener */
  constructor(info, listener) {
    this.info = info;
    this.listener = listener;
    // Functions become known while a trace is read, so a picture may contain new ones.
    const sawFunction = (/** @type {number} */ id) => id >= this.functions.length && void this.fetchFunctions();
    this.pictures = new Pictures(info.id, {...listener, sawFunction});
    this.pictures.refresh(info.duration_ns, false);
    /** @type {FunctionInfo[]} */
    this.functions = [];
    this.isFetching = this.isStale = false;
    /** Incremented when names become known. */
    this.names = 0;
  }

  get id() {
    return this.info.id;
  }
  get duration() {
    return Math.max(this.info.duration_ns, 1);
  }

  /** @param {SessionInfo} info */
  update(info) {
    // The session was recorded again into the same place, so nothing known about it is valid.
    if (info.start_ns !== this.info.start_ns || info.events < this.info.events)
      this.pictures.clear();
    const isBetter = info.index.state === 'ready' && this.info.index.state !== 'ready';
    this.info = info;
    this.pictures.refresh(info.duration_ns, isBetter);
    if (info.functions > this.functions.length)
      void this.fetchFunctions();
  }

  async fetchFunctions() {
    if (this.isFetching) {
      this.isStale = true;
      return;
    }
    this.isFetching = true;
    this.isStale = false;
    try {
      const {functions} = await getFunctions(this.id, this.functions.length);
      for (const known of functions)
        this.functions[known.id] = known;
      if (functions.length)
        ++this.names;
      this.listener.arrived();
    } catch (error) {
      this.listener.failed(error instanceof Error ? error.message : String(error));
    } finally {
      this.isFetching = false;
    }
    if (this.isStale)
      void this.fetchFunctions();
  }

  /** @param {number} id */
  name(id) {
    return id === -1 ? '(small paths)' : id < 0 ? '(recorder)' : this.functions[id]?.name ?? `function ${id}`;
  }
  /** What a function waits for, as `adatrace waits` says it, if it is known to. @param {number} id */
  waitsFor(id) {
    return this.functions[id]?.waits_for ?? null;
  }
  /** @param {number} id */
  place(id) {
    const known = this.functions[id];
    return known?.file ? `${known.file}${known.line ? `:${known.line}` : ''}` : '';
  }
  /** @param {number} id */
  thread(id) {
    return this.info.threads.find((thread) => thread.id === id);
  }
  /** @param {number} id */
  processName(id) {
    const process = this.info.processes.find((other) => other.id === id);
    return process?.name || `process ${id}`;
  }
  /** @param {number} id */
  threadName(id) {
    const thread = this.thread(id);
    return thread ? thread.name || `thread ${thread.tid}` : `thread ${id}`;
  }
}
