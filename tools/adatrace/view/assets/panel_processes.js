// The panel that shows processes as a Gantt chart, under the same time axis as the timeline: a row for each program, which
// opens into its processes. The server makes only the rows that are visible.
// @ts-check
import {getProcesses} from './api.js';
import {ROW, boxAt, drawBoxes, rangeAround, startChart} from './chart.js';
import {button, make} from './dom.js';
import {counted, duration, grouped} from './numbers.js';
import {ScopePanel} from './panel.js';
import {colours, hueOf} from './theme.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./pane.js').Pane} Pane */
/** @typedef {import('./api.js').Processes} Processes */
/** @typedef {import('./api.js').ProcessRow} ProcessRow */
/** A row of the answer, and one of its boxes or -1. @typedef {{row: number, box: number}} Place */

const SPARE_ROWS = 30;

/** @extends {ScopePanel<Processes>} */
export class ProcessesPanel extends ScopePanel {
  /** @param {App} app */
  constructor(app) {
    super(app, 'processes', 'Processes');
    this.side = make('div', 'side names');
    this.canvas = make('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'application');
    this.canvas.setAttribute('aria-label', 'processes; up and down move between rows, Enter opens a program or goes to a process');
    this.part = make('div', 'part', this.side, this.canvas);
    this.content.append(this.part);
    this.search = make('input');
    this.search.name = 'process';
    this.search.placeholder = 'program, command line or PID';
    this.search.size = 30;
    this.search.autocomplete = 'off';
    this.search.spellcheck = false;
    this.tools = make('div', 'tools', make('label', '', 'search ', this.search), button('previous', () => this.step(-1)), button('next', () => this.step(1)));
    this.element.prepend(this.tools);
    this.details = make('p', 'details');
    this.details.setAttribute('role', 'status');
    this.element.append(this.details);
    /** @type {Set<number>} keys of rows that are open */
    this.opened = new Set();
    /** @type {Place | null} */
    this.at = null;
    /** The number of the process that was gone to among those that match, and its row; -1 for none. */
    this.hit = this.hitRow = -1;
    this.listen();
    this.listenToSearch();
    // The drawing moves with the timeline at once; the answer for the new range comes later.
    app.onChange((what) => what === 'view' && this.isOpen && this.draw());
  }

  /** @param {import('./app.js').Change} what */
  changes(what) {
    return ['view', 'pane', 'axis'].includes(what);
  }
  /** The first row to ask for, and how many: the visible ones, and some on both sides. */
  wanted() {
    const first = Math.max(0, Math.floor(this.content.scrollTop / ROW / SPARE_ROWS) * SPARE_ROWS - SPARE_ROWS);
    return {first, rows: Math.ceil(this.content.clientHeight / ROW) + 3 * SPARE_ROWS};
  }
  extra() {
    const pane = this.pane();
    return [pane.session.id, pane.axis.from, pane.axis.to, pane.width, [...this.opened], this.match, this.wanted()];
  }
  get match() {
    return this.search.value.trim();
  }
  pane() {
    return this.app.active || this.app.panes[0];
  }
  /** @param {Pane} _pane @param {import('./api.js').Scope} _scope @param {AbortSignal} signal @returns {Promise<Processes>} */
  ask(_pane, _scope, signal) {
    return getProcesses({...this.question(), ...this.wanted()}, signal);
  }
  question() {
    return {...rangeAround(this.pane()), open: [...this.opened].join(','), match: this.match || undefined};
  }
  /** @param {Pane} _pane @param {Processes} answer */
  show(_pane, answer) {
    const all = counted(answer.processes, 'process', 'processes'), rows = counted(answer.total_rows, 'row');
    this.caption.textContent = !this.match ? `${all} in ${rows}` : `${grouped(answer.hits)} of ${all} match, in ${rows}`;
    this.part.style.top = `${answer.first * ROW}px`;
    this.content.style.setProperty('--height', `${answer.total_rows * ROW}px`);
    this.at = null;
    this.details.textContent = '';
    this.side.replaceChildren(...answer.rows.map((row, at) => this.label(row, at)));
    const chosen = this.hitRow - answer.first;
    this.moveTo(this.hitRow >= 0 && answer.rows[chosen] ? {row: chosen, box: -1} : null);
  }
  /** @param {ProcessRow} row @param {number} at */
  label(row, at) {
    const text = `${row.command}${row.count > 1 ? ` ×${grouped(row.count)}` : ''}`, item = make('div', 'name');
    item.style.paddingLeft = `${8 + 12 * row.depth}px`;
    item.title = text;
    if (row.count > 1)
      item.append(button(`${row.is_open ? '▾' : '▸'} ${text}`, () => this.toggle(row), 'link'));
    else
      item.append(text);
    item.classList.toggle('failed', row.failed > 0);
    item.addEventListener('mouseenter', () => this.moveTo({row: at, box: -1}));
    return item;
  }
  /** @param {ProcessRow} row */
  toggle(row) {
    if (!this.opened.delete(row.key))
      this.opened.add(row.key);
    this.hitRow = -1; // it may be in another row now
    void this.refresh();
  }

  /** Goes to the next or the previous process that matches. @param {1 | -1} by */
  async step(by) {
    await this.refresh();
    const hits = this.shown?.answer.hits ?? 0;
    if (!hits)
      return;
    this.hit = this.hit < 0 ? (by > 0 ? 0 : hits - 1) : (this.hit + by + hits) % hits;
    const {hit} = await getProcesses({...this.question(), first: 0, rows: 0, hit: this.hit});
    if (!hit)
      return;
    this.opened.add(hit.key);
    this.hitRow = hit.row;
    await this.refresh(); // now there is room to scroll to it
    this.content.scrollTop = hit.row * ROW - this.content.clientHeight / 2;
    await this.refresh();
    this.render();
    this.goTo(hit.thread, hit.begin_ns, hit.end_ns);
  }

  draw() {
    const rows = this.shown?.answer.rows ?? [], pane = this.pane(), context = startChart(this.canvas, pane.width, rows.length);
    rows.forEach((row, at) => {
      const {command, begin, end, processes} = row, hue = hueOf(command.split(' ')[0]);
      drawBoxes(context, at, {...row, count: processes}, pane,
        {hue: () => hue, name: (box) => (processes[box] > 1 ? `${processes[box]}` : duration(end[box] - begin[box]))});
    });
    if (this.at && rows[this.at.row]) {
      context.strokeStyle = colours().ink;
      context.lineWidth = 1;
      context.strokeRect(0.5, this.at.row * ROW + 0.5, pane.width - 1, ROW - 2);
    }
  }

  /** @param {Place | null} at */
  moveTo(at) {
    this.at = at;
    const row = at && this.shown?.answer.rows[at.row];
    this.details.textContent = !at || !row ? '' : [row.command, row.count > 1 ? counted(row.count, 'process', 'processes') : `pid ${row.pid}`,
      row.count > 1 ? `together ${duration(row.wall_ns)}, median ${duration(row.median_ns)}` : duration(row.wall_ns),
      row.on_cpu_ns === null ? '' : `on-CPU ${duration(row.on_cpu_ns)}`, row.exit ? `exit ${row.exit}` : row.failed ? `${row.failed} failed` : '',
      at.box >= 0 && row.processes[at.box] > 1 ? `here ${row.processes[at.box]}` : ''].filter(Boolean).join(' · ');
    this.draw();
  }
  /** Opens the row of a program, or goes to the main thread of a process. */
  go() {
    const row = this.at && this.shown?.answer.rows[this.at.row];
    if (!this.at || !row)
      return;
    if (row.count > 1) {
      this.toggle(row);
      return;
    }
    if (row.begin.length)
      this.goTo(row.thread[Math.max(this.at.box, 0)], row.begin[0], row.end[0]);
  }
  /** @param {number} thread @param {number} from @param {number} to */
  goTo(thread, from, to) {
    const pane = this.pane(), line = pane.rows.ofThread(thread);
    if (line)
      pane.activate(line);
    pane.axis.glide(from, Math.max(to, from + 1));
  }
  /** @param {MouseEvent} event @returns {Place | null} */
  placeAt(event) {
    const area = this.canvas.getBoundingClientRect(), {axis, width} = this.pane(), time = axis.time(event.clientX - area.left, width), slack = axis.span / width;
    const row = Math.floor((event.clientY - area.top) / ROW), shown = this.shown?.answer.rows[row];
    return shown ? {row, box: boxAt(shown, time, slack)} : null;
  }

  listenToSearch() {
    this.search.addEventListener('input', () => {
      this.hit = this.hitRow = -1;
      this.content.scrollTop = 0;
      this.later();
    });
    this.search.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') {
        event.preventDefault();
        void this.step(event.shiftKey ? -1 : 1);
      } else if (event.key === 'Escape') {
        event.preventDefault();
        this.canvas.focus();
      }
    });
  }
  listen() {
    this.content.addEventListener('scroll', () => this.later(), {passive: true});
    this.canvas.addEventListener('mousemove', (event) => {
      const at = this.placeAt(event);
      if (at?.row !== this.at?.row || at?.box !== this.at?.box)
        this.moveTo(at);
    });
    this.canvas.addEventListener('click', (event) => {
      this.moveTo(this.placeAt(event));
      this.go();
    });
    this.canvas.addEventListener('keydown', (event) => {
      const rows = this.shown?.answer.rows ?? [], step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
      if (event.key === 'Enter' && this.at) {
        event.preventDefault();
        this.go();
      } else if (step && rows.length) {
        event.preventDefault();
        this.moveTo({row: this.at ? Math.max(0, Math.min(rows.length - 1, this.at.row + step)) : 0, box: -1});
        const y = this.part.offsetTop + (this.at?.row ?? 0) * ROW;
        if (y < this.content.scrollTop || y + ROW > this.content.scrollTop + this.content.clientHeight)
          this.content.scrollTop = y - this.content.clientHeight / 2;
      }
    });
  }
}
