// One session on the page: its heading, the names of its rows, and the canvas with ruler and calls.
// @ts-check
import {drawArrows} from './arrows.js';
import {button, make} from './dom.js';
import {FONT, drawPicture, hatching, itemAt} from './draw.js';
import {Labels} from './labels.js';
import {counted, duration, rangesText} from './numbers.js';
import {LEVEL, Rows} from './rows.js';
import {RULER, drawRuler} from './ruler.js';
import {colours} from './theme.js';
import {drawStates} from './thread_states.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./axis.js').Axis} Axis */
/** @typedef {import('./session.js').Session} Session */
/** @typedef {import('./rows.js').Row} Row */
/** @typedef {import('./pictures.js').Picture} Picture */
/** @typedef {{row: Row, picture: Picture, item: number, gap: number}} Hit */

export class Pane {
  /** @param {App} app @param {Session} session @param {Axis} axis */
  constructor(app, session, axis) {
    this.app = app;
    this.session = session;
    this.axis = axis;
    this.rows = new Rows();
    /** @type {Row | null} the row that keys act on */
    this.row = null;
    this.labels = new Labels(this);
    this.heading = make('header', 'pane-heading');
    this.canvas = make('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'application');
    this.canvas.setAttribute('aria-label', `timeline of ${session.info.name}; press ? for the keys`);
    this.body = make('div', 'pane-body', make('div', 'side', make('div', 'corner'), this.labels.list), make('div', 'stage', this.canvas));
    this.element = make('section', 'pane', this.heading, this.body);
    this.element.setAttribute('aria-label', session.info.name);
    this.width = this.height = 1;
    this.isDirty = false;
    this.rows.layOut(session.info);
    this.row = this.rows.shown.find((row) => row.thread >= 0) || null;
    this.body.addEventListener('scroll', () => this.invalidate(), {passive: true});
    new ResizeObserver(() => this.resize()).observe(this.body);
    this.element.addEventListener('focusin', () => app.activate(this));
    this.element.addEventListener('pointerdown', () => app.activate(this));
    this.drawHeading();
  }

  //===--- rows ------------------------------------------------------------===//

  /** @param {() => void} change */
  changeRows(change) {
    change();
    this.rows.layOut(this.session.info);
    this.row = this.rows.shown.find((row) => row.key === this.row?.key) || this.rows.shown.find((row) => row.thread >= 0) || null;
    this.drawHeading();
    this.invalidate();
    this.app.changed('rows');
  }
  /** @param {Row} row */
  hide(row) {
    const next = this.rows.shown[this.rows.shown.indexOf(row) + 1];
    this.changeRows(() => {
      this.rows.hide(row, this.session.info);
      this.row = next || null;
    });
  }
  /** @param {number} [thread] default: all threads */
  show(thread) {
    this.changeRows(() => (thread === undefined ? this.rows.hidden.clear() : this.rows.hidden.delete(thread)));
  }
  /** @param {Row} row of a process */
  close(row) {
    const {closed} = this.rows;
    this.changeRows(() => (closed.has(row.process) ? closed.delete(row.process) : closed.add(row.process)));
  }
  /** @param {Row[]} rows */
  shrink(rows) {
    const {small} = this.rows, threads = rows.filter((row) => row.thread >= 0).map((row) => row.thread);
    const areSmall = threads.every((thread) => small.has(thread));
    this.changeRows(() => threads.forEach((thread) => (areSmall ? small.delete(thread) : small.add(thread))));
  }
  /** Toggles between all levels of a thread and the usual number. @param {Row} row */
  stretch(row) {
    const {tall} = this.rows;
    if (row.thread >= 0)
      this.changeRows(() => (tall.has(row.thread) ? tall.delete(row.thread) : tall.add(row.thread)));
  }
  /** @param {Row} row */
  activate(row) {
    this.row = row;
    this.reveal(row.y, row.height);
    this.invalidate();
    this.app.changed('row');
  }
  /** Scrolls a part of the rows into view. @param {number} y @param {number} height */
  reveal(y, height) {
    const top = this.body.scrollTop, room = this.body.clientHeight - RULER;
    if (y < top)
      this.body.scrollTop = y;
    else if (y + height > top + room)
      this.body.scrollTop = Math.min(y, y + height - room);
  }

  /** The threads that are shown, for a request to the server; undefined means all. */
  threadList() {
    const {hidden} = this.rows;
    return hidden.size ? rangesText(this.session.info.threads.filter(({id}) => !hidden.has(id)).map(({id}) => id), ',') : undefined;
  }

  //===--- heading ---------------------------------------------------------===//

  drawHeading() {
    const {info} = this.session, {hidden} = this.rows, facts = [];
    facts.push(duration(info.duration_ns), counted(info.events, 'event'), counted(info.thread_count, 'thread'));
    if (info.is_live)
      facts.push('live');
    if (info.is_gone)
      facts.push('its files are gone');
    if (info.times_are_order)
      facts.push('times show only the order of events');
    else if (info.resolution_ns > 1)
      facts.push(`times are exact to ${duration(info.resolution_ns)}`);
    const name = make('h2', '', info.name), text = make('span', 'facts', facts.join(' · '));
    const right = make('span', 'pane-tools');
    if (info.index.state === 'building') {
      const bar = make('progress');
      bar.value = info.index.progress;
      right.append(make('label', 'building', `drawn from samples until the index is ready: ${Math.floor(info.index.progress * 100)} %`, bar));
    } else if (info.index.state === 'failed')
      right.append(make('span', 'warning', `no index: ${info.index.note || 'the view is drawn from samples'}`));
    if (hidden.size) {
      const choice = make('select');
      choice.setAttribute('aria-label', 'hidden rows');
      choice.append(new Option(`${counted(hidden.size, 'hidden row')}`, ''), new Option('show all (X)', 'all'));
      for (const thread of hidden)
        choice.append(new Option(`show ${this.session.threadName(thread)}`, String(thread)));
      choice.addEventListener('change', () => this.show(choice.value === 'all' ? undefined : Number(choice.value)));
      right.append(choice);
    }
    if (info.warnings.length) {
      const warnings = button(counted(info.warnings.length, 'warning'), () => this.app.showLines(`Warnings: ${info.name}`, info.warnings), 'warning');
      right.append(warnings);
    }
    this.heading.replaceChildren(name, text, right);
  }

  //===--- drawing ---------------------------------------------------------===//

  resize() {
    const ratio = window.devicePixelRatio || 1, side = /** @type {HTMLElement} */ (this.body.firstElementChild).offsetWidth;
    this.width = Math.max(this.body.clientWidth - side, 50);
    this.height = Math.max(this.body.clientHeight, 50);
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.canvas.style.width = `${this.width}px`;
    this.canvas.style.height = `${this.height}px`;
    this.invalidate();
  }

  invalidate() {
    if (this.isDirty)
      return;
    this.isDirty = true;
    requestAnimationFrame(() => {
      this.isDirty = false;
      this.draw();
    });
  }

  /** The visible rows of threads. */
  visibleRows() {
    const top = this.body.scrollTop, bottom = top + this.height - RULER;
    return this.rows.shown.filter((row) => row.thread >= 0 && row.y < bottom && row.y + row.height > top);
  }

  draw() {
    const start = performance.now(), {axis, width, height, session} = this, {pictures} = session, shown = colours();
    const context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d', {alpha: false}));
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = shown.paper;
    context.fillRect(0, 0, width, height);
    const scroll = this.body.scrollTop, visible = this.visibleRows();
    const chosen = this.app.chosen?.pane === this ? this.app.chosen.function : -1;
    let isDeeper = false;
    for (const row of this.rows.shown) {
      const top = row.y - scroll + RULER;
      if (top > height || top + row.height < RULER)
        continue;
      context.fillStyle = shown.line;
      context.fillRect(0, top + row.height - 1, width, 1);
      if (row.thread < 0) {
        context.globalAlpha = 0.35;
        context.fillRect(0, top, width, row.height - 1);
        context.globalAlpha = 1;
        continue;
      }
      const layers = pictures.layers(row.thread, axis.from, axis.to, width), thread = session.thread(row.thread);
      context.save();
      context.beginPath();
      context.rect(0, top, width, row.height - 1);
      context.clip();
      if (!layers.some((picture) => picture.covers(Math.max(axis.from, 0), Math.min(axis.to, session.duration)))) {
        // Hatched, because "not known yet" must look different from "empty".
        context.fillStyle = hatching(context, shown.line);
        const from = Math.max(axis.x(0, width), 0);
        context.fillRect(from, top, Math.min(axis.x(session.duration, width), width) - from, row.height - 1);
      }
      for (const [place, picture] of layers.entries()) {
        isDeeper = this.rows.sawLevels(row.thread, picture.levels) || isDeeper;
        const from = axis.x(picture.from, width), to = axis.x(picture.to, width), isPart = from > 0 || to < width;
        if (isPart) {
          context.save();
          context.beginPath();
          context.rect(from, top, to - from, row.height - 1);
          context.clip();
        }
        if (place > 0 || isPart) {
          context.fillStyle = shown.paper;
          context.fillRect(from, top, to - from, row.height - 1);
        }
        drawPicture(context, picture, session, {from: axis.from, to: axis.to, width, top: top + this.rows.top,
          height: row.height - 1 - this.rows.top - (row.hiddenLevels ? LEVEL : 0), level: row.level}, shown, chosen);
        if (thread?.knows_sched)
          drawStates(context, picture, session, thread, {from: axis.from, to: axis.to, width, top: top + 2}, shown);
        if (isPart)
          context.restore();
      }
      if (row.hiddenLevels) {
        context.font = FONT;
        context.textBaseline = 'middle';
        context.fillStyle = shown.faint;
        context.fillText(`and ${counted(row.hiddenLevels, 'deeper level')} (key g)`, 4, top + row.height - LEVEL / 2 - 3);
      }
      context.restore();
    }
    this.drawOutlines(context, scroll);
    context.fillStyle = shown.line;
    for (const end of [0, session.duration])
      context.fillRect(Math.round(axis.x(end, width)) - (end ? 0 : 1), RULER, 1, height);
    drawRuler(context, width, axis, session.duration, shown, this.app.rangeOf(this));
    this.labels.draw(scroll, height);
    pictures.want(visible.map((row) => row.thread), axis.from, axis.to, width);
    if (isDeeper) {
      this.rows.layOut(session.info);
      this.row = this.rows.shown.find((row) => row.key === this.row?.key) || null;
      this.invalidate();
    }
    this.app.drew(performance.now() - start);
  }

  /** Outlines the chosen call, the call under the mouse, and the chosen range. @param {CanvasRenderingContext2D} context @param {number} scroll */
  drawOutlines(context, scroll) {
    const {axis, width} = this, shown = colours(), {selected, marked, hover} = this.app;
    context.save();
    context.beginPath();
    context.rect(0, RULER, width, this.height);
    context.clip();
    const range = this.app.rangeOf(this);
    if (range) {
      const from = axis.x(range.from, width), to = axis.x(range.to, width);
      context.fillStyle = shown.stripe;
      context.fillRect(from, RULER, to - from, this.height);
      context.fillStyle = shown.strong;
      context.fillRect(from, RULER, 1, this.height);
      context.fillRect(to, RULER, 1, this.height);
    }
    const outline = (/** @type {number} */ thread, /** @type {number} */ depth, /** @type {number} */ begin, /** @type {number} */ end,
        /** @type {string} */ colour, /** @type {number} */ wide) => {
      const row = this.rows.ofThread(thread);
      if (!row)
        return;
      const x = Math.max(axis.x(begin, width), -4), right = Math.min(axis.x(end, width), width + 4);
      context.strokeStyle = colour;
      context.lineWidth = wide;
      context.strokeRect(x, row.y - scroll + RULER + this.rows.top + depth * row.level, Math.max(right - x - 1, 2), row.level - 1);
    };
    if (hover?.pane === this && hover.hit.picture.kind[hover.hit.item] < 4) {
      const {picture, item, row} = hover.hit;
      outline(row.thread, picture.depth[item], picture.begin[item], picture.end[item], shown.ink, 1);
    }
    if (marked?.pane === this) {
      const {call} = marked;
      context.setLineDash([5, 3]);
      outline(call.thread, call.depth, call.begin_ns, call.end_ns ?? this.session.duration, shown.ink, 2);
      context.setLineDash([]);
    }
    if (selected?.pane === this) {
      const {call} = selected;
      outline(call.thread, call.depth, call.begin_ns, call.end_ns ?? this.session.duration, shown.strong, 2);
    }
    drawArrows(context, this);
    context.restore();
  }

  //===--- places ----------------------------------------------------------===//

  /** The item at a place on the canvas. @param {number} x @param {number} y @returns {Hit | null} */
  hitAt(x, y) {
    if (y < RULER)
      return null;
    const row = this.rows.at(y - RULER + this.body.scrollTop);
    if (!row || row.thread < 0)
      return null;
    const depth = Math.floor((y - RULER + this.body.scrollTop - row.y - this.rows.top) / row.level);
    const layers = this.session.pictures.layers(row.thread, this.axis.from, this.axis.to, this.width);
    const found = itemAt(layers, depth, this.axis.time(x, this.width), this.axis.span / this.width);
    return found && {row, ...found};
  }

  /** Moves time and, if wanted, rows to make a call visible. @param {{thread: number, depth: number, begin_ns: number, end_ns: number | null}} call */
  showCall(call, movesRows = true) {
    const {axis} = this, [from, to] = axis.goal, span = to - from, end = call.end_ns ?? this.session.duration, length = end - call.begin_ns;
    const middle = (call.begin_ns + end) / 2;
    if (length < span / this.width * 6)
      axis.jump(middle - Math.max(length, 1) * 8, middle + Math.max(length, 1) * 8);
    else if (length > span && (call.begin_ns < from || end > to))
      axis.jump(middle - length * 0.6, middle + length * 0.6);
    else if (call.begin_ns < from || end > to)
      axis.jump(middle - span / 2, middle + span / 2);
    this.invalidate();
    if (!movesRows)
      return;
    if (this.rows.hidden.has(call.thread))
      this.show(call.thread);
    const process = this.session.thread(call.thread)?.process;
    if (process !== undefined && this.rows.closed.has(process))
      this.changeRows(() => this.rows.closed.delete(process));
    let row = this.rows.ofThread(call.thread);
    if (row?.hiddenLevels && (call.depth + 2) * row.level > row.height) {
      this.stretch(row);
      row = this.rows.ofThread(call.thread);
    }
    if (row) {
      this.row = row;
      this.reveal(row.y + this.rows.top - 2 + call.depth * row.level, LEVEL + 8);
    }
  }
}
