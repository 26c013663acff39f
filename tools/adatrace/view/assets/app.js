// Holds everything that the user has chosen, and notifies listeners when it changes.
// @ts-check
import {getCall} from './api.js';
import {Axis} from './axis.js';
import {element} from './dom.js';
import {duration, timeLabel} from './numbers.js';
import {Pane} from './pane.js';

/** @typedef {import('./api.js').Call} Call */
/** @typedef {import('./api.js').Scope} Scope */
/** @typedef {import('./session.js').Session} Session */
/** @typedef {import('./pane.js').Hit} Hit */
/** @typedef {{pane: Pane, call: Call}} Chosen */
/** @typedef {{pane: Pane, thread: number, which: import('./api.js').Which, isChosen: Promise<boolean>}} Pending */
/** @typedef {'view' | 'selected' | 'range' | 'chosen' | 'rows' | 'row' | 'hover' | 'pane' | 'panel' | 'follow' | 'axis' | 'names' | 'theme' | 'why' | 'marked'} Change */

const FRAMES = 1000;

export class App {
  constructor() {
    /** @type {Pane[]} */
    this.panes = [];
    /** @type {Pane | null} */
    this.active = null;
    /** @type {Chosen | null} */
    this.selected = null;
    /** The call that is chosen once the server has answered. @type {Pending | null} */
    this.pending = null;
    /** The call that the chosen one is compared with. @type {Chosen | null} */
    this.marked = null;
    /** @type {{pane: Pane, from: number, to: number} | null} */
    this.range = null;
    /** @type {{pane: Pane, function: number} | null} the highlighted function */
    this.chosen = null;
    /** @type {{pane: Pane, name: string} | null} the name that chooseName waits for */
    this.awaited = null;
    /** @type {{pane: Pane, hit: Hit, x: number, y: number} | null} */
    this.hover = null;
    /** Where the chosen call's time went, once it is known. @type {import('./api.js').Why | null} */
    this.why = null;
    /** Calls that were chosen before jumps. @type {{pane: Pane, thread: number, seq: number, from: number, to: number, wait?: import('./api.js').Wait}[]} */
    this.trail = [];
    this.isCommon = true;
    this.isFollowing = false;
    /** Opens the panel that compares two calls. @type {() => void} */
    this.compare = () => {};
    /** Durations of the last drawings in milliseconds; for measurements. @type {number[]} */
    this.frames = [];
    /** @type {((what: Change) => void)[]} */
    this.listeners = [];
  }

  /** @param {(what: Change) => void} listener */
  onChange(listener) {
    this.listeners.push(listener);
  }
  /** @param {Change} what */
  changed(what) {
    for (const listener of this.listeners)
      listener(what);
  }
  /** @param {number} ms */
  drew(ms) {
    this.frames.push(ms);
    if (this.frames.length > FRAMES)
      this.frames.shift();
  }

  //===--- panes and time --------------------------------------------------===//

  /** @param {Session[]} sessions */
  makePanes(sessions) {
    for (const session of sessions)
      this.panes.push(new Pane(this, session, this.newAxis(session.duration)));
    this.active = this.panes[0] || null;
    this.setCommon(this.isCommon);
    element('panes', HTMLElement).replaceChildren(...this.panes.map((pane) => pane.element));
  }
  /** @param {number} limit */
  newAxis(limit) {
    return new Axis(limit, () => {
      for (const pane of this.panes)
        pane.invalidate();
      this.changed('view');
    });
  }
  /** Uses one axis for all sessions, each from its own start, or one axis per session. @param {boolean} isCommon */
  setCommon(isCommon) {
    this.isCommon = isCommon;
    const common = this.newAxis(Math.max(...this.panes.map((pane) => pane.session.duration)));
    for (const pane of this.panes)
      pane.axis = isCommon ? common : this.newAxis(pane.session.duration);
    this.invalidate();
    this.changed('axis');
  }
  /** Adjusts the axes after sessions have grown. */
  fitAxes() {
    for (const pane of this.panes) {
      const {axis} = pane, isWhole = axis.from <= 0 && axis.to >= axis.limit;
      const sharing = this.panes.filter((other) => other.axis === axis);
      const limit = Math.max(...sharing.map((other) => other.session.duration));
      if (limit === axis.limit)
        continue;
      axis.limit = limit;
      if (this.isFollowing)
        axis.glide(isWhole ? 0 : limit - axis.span, limit);
    }
  }
  invalidate() {
    for (const pane of this.panes)
      pane.invalidate();
  }
  /** @param {Pane} pane */
  activate(pane) {
    if (this.active === pane)
      return;
    this.active = pane;
    for (const other of this.panes)
      other.element.classList.toggle('active', other === pane && this.panes.length > 1);
    this.changed('pane');
  }
  /** @param {boolean} isFollowing */
  setFollowing(isFollowing) {
    this.isFollowing = isFollowing;
    if (isFollowing)
      for (const {axis} of this.panes)
        axis.glide(axis.limit - axis.span, axis.limit);
    this.changed('follow');
  }
  stopFollowing() {
    if (this.isFollowing)
      this.setFollowing(false);
  }

  //===--- what is chosen --------------------------------------------------===//

  /** @param {{pane: Pane, call: Call} | null} selected */
  select(selected) {
    this.pending = null;
    this.selected = selected;
    this.why = null;
    this.invalidate();
    this.changed('selected');
  }
  /** @param {Chosen | null} marked */
  mark(marked) {
    this.marked = marked;
    this.invalidate();
    this.changed('marked');
  }
  swapMarked() {
    const {marked, selected} = this;
    this.marked = selected;
    this.select(marked);
    this.changed('marked');
  }
  /** @param {import('./api.js').Why} why of the chosen call */
  setWhy(why) {
    this.why = why;
    this.invalidate();
    this.changed('why');
  }
  /** Goes to another call; goBack() returns. @param {Pane} pane @param {number} thread @param {import('./api.js').Which} which @param {import('./api.js').Wait} [wait] along which */
  async go(pane, thread, which, wait) {
    const {selected} = this;
    if (selected) {
      const [from, to] = selected.pane.axis.goal;
      this.trail.push({pane: selected.pane, thread: selected.call.thread, seq: selected.call.seq, from, to, wait});
      if (this.trail.length > 100)
        this.trail.shift();
    }
    await this.selectCall(pane, thread, which, true);
    const last = this.trail.at(-1), call = this.selected?.call;
    if (selected && last && call && this.selected?.pane === last.pane && call.thread === last.thread && call.seq === last.seq)
      this.trail.pop();
  }
  async goBack() {
    const last = this.trail.pop();
    if (!last)
      return;
    this.stopFollowing();
    last.pane.axis.glide(last.from, last.to);
    await this.selectCall(last.pane, last.thread, {seq: last.seq}, false);
    last.pane.showCall(last.pane === this.selected?.pane ? this.selected.call : {thread: last.thread, depth: 0, begin_ns: last.from, end_ns: last.to});
  }
  /**
   * @param {Pane} pane @param {number} thread @param {import('./api.js').Which} which @param {boolean} isJump whether the view moves there
   * @param {string} [row] the row in which the user asked for it
   * @returns whether it was chosen: an error or a later choice prevents that
   */
  selectCall(pane, thread, which, isJump, row = pane.row?.key) {
    const pending = this.pending = {pane, thread, which, isChosen: Promise.resolve(false)};
    pending.isChosen = this.awaitCall(pending, isJump, row);
    return pending.isChosen;
  }
  /** @param {Pending} pending @param {boolean} isJump @param {string | undefined} row */
  async awaitCall(pending, isJump, row) {
    const {pane, thread, which} = pending;
    try {
      const call = await getCall(pane.session.id, thread, which);
      if (pending !== this.pending)
        return false;
      this.select({pane, call});
      if (isJump) {
        this.stopFollowing();
        // Whoever has gone to another row in the meantime stays there.
        pane.showCall(call, row === pane.row?.key);
      }
      return true;
    } catch (error) {
      if (pending === this.pending)
        this.pending = null;
      this.fail(error);
      return false;
    }
  }
  /** @param {Pane} pane @param {number} from @param {number} to */
  setRange(pane, from, to) {
    from = Math.max(0, Math.floor(from));
    to = Math.min(Math.ceil(to), Math.max(pane.session.duration, from + 1));
    this.range = to > from ? {pane, from, to} : null;
    this.invalidate();
    this.changed('range');
  }
  clearRange() {
    this.range = null;
    this.invalidate();
    this.changed('range');
  }
  /** The chosen range as it is drawn in a pane: with a common axis, every pane shows it. @param {Pane} pane */
  rangeOf(pane) {
    return this.range && (this.range.pane === pane || this.isCommon) ? this.range : null;
  }
  /** @param {Pane} pane @param {number} id -1 for none */
  choose(pane, id) {
    this.awaited = null;
    this.chosen = id < 0 ? null : {pane, function: id};
    this.invalidate();
    this.changed('chosen');
  }
  /** Chooses a function by name, which may become known later. @param {Pane} pane @param {string} name */
  chooseName(pane, name) {
    const id = pane.session.functions.findIndex((known) => known?.name === name);
    this.awaited = id < 0 ? {pane, name} : null;
    if (id >= 0)
      this.choose(pane, id);
  }
  namesChanged() {
    if (this.awaited)
      this.chooseName(this.awaited.pane, this.awaited.name);
    this.changed('names');
  }
  /** @param {Pane} pane @param {Hit | null} hit @param {number} x @param {number} y */
  setHover(pane, hit, x, y) {
    if (!hit && !this.hover)
      return;
    this.hover = hit && {pane, hit, x, y};
    pane.invalidate();
    this.changed('hover');
  }

  /** The part of a session that panels show: the chosen or else the visible range, of the threads that are shown. */
  scope() {
    const pane = this.rangeOf(this.active || this.panes[0]) ? this.active || this.panes[0] : this.range?.pane || this.active || this.panes[0];
    const range = this.rangeOf(pane), {axis, session} = pane, end = Math.ceil(session.duration);
    const from = range ? range.from : Math.max(0, Math.floor(axis.from)), to = range ? Math.min(range.to, end + 1) : Math.min(end + 1, Math.ceil(axis.to));
    /** @type {Scope} */
    const scope = {session: session.id, from, to: Math.max(to, from + 1), threads: pane.threadList()};
    const length = Math.min(to, end) - from, where = timeLabel(from, Math.max(length / 1000, 1), to);
    const hidden = pane.rows.hidden.size ? ', without hidden rows' : '', which = this.panes.length > 1 ? `${session.info.name}: ` : '';
    return {pane, scope, text: `${which}${range ? 'chosen range' : 'visible range'}, ${duration(length)} from ${where}${hidden}`};
  }
  /** The function that the sandwich and the histogram show. @param {Pane} pane */
  functionOf(pane) {
    return this.chosen?.pane === pane ? this.chosen.function : this.selected?.pane === pane ? this.selected.call.function : -1;
  }

  //===--- messages --------------------------------------------------------===//

  /** @param {unknown} error */
  fail(error) {
    if (error instanceof DOMException && error.name === 'AbortError')
      return;
    element('error', HTMLElement).textContent = error instanceof Error ? error.message : String(error);
  }
  succeed() {
    element('error', HTMLElement).textContent = '';
  }
  /** @param {string} title @param {string[]} lines */
  showLines(title, lines) {
    element('lines-title', HTMLElement).textContent = title;
    element('lines-text', HTMLElement).textContent = lines.join('\n');
    element('lines', HTMLDialogElement).showModal();
  }
}
