// The panel that shows which thread ran on which processor, under the same time axis as the timeline.
// @ts-check
import {getProcessors} from './api.js';
import {ROW, boxAt, drawBoxes, rangeAround, startChart} from './chart.js';
import {make} from './dom.js';
import {counted, duration, percent} from './numbers.js';
import {ScopePanel} from './panel.js';
import {HUES, colours, hueOf} from './theme.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./pane.js').Pane} Pane */
/** @typedef {import('./api.js').Processors} Processors */
/** @typedef {{lane: number, box: number}} Place */

/** @extends {ScopePanel<Processors>} */
export class ProcessorsPanel extends ScopePanel {
  /** @param {App} app */
  constructor(app) {
    super(app, 'processors', 'Processors');
    this.side = make('div', 'side names');
    this.canvas = make('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'application');
    this.canvas.setAttribute('aria-label', 'threads by processor; arrow keys move between them, Enter goes to the thread');
    this.content.append(this.side, this.canvas);
    this.details = make('p', 'details');
    this.details.setAttribute('role', 'status');
    this.element.append(this.details);
    /** @type {Place | null} */
    this.at = null;
    this.listen();
    // The drawing moves with the timeline at once; the answer for the new range comes later.
    app.onChange((what) => what === 'view' && this.isOpen && this.draw());
  }

  // All threads share the processors, so hidden rows count, too; and the visible range, because the axis is that of the timeline.
  /** @param {import('./app.js').Change} what */
  changes(what) {
    return ['view', 'pane', 'axis', 'names'].includes(what);
  }
  extra() {
    const pane = this.pane();
    return [pane.session.id, pane.axis.from, pane.axis.to, pane.width];
  }
  pane() {
    return this.app.active || this.app.panes[0];
  }
  /** @param {Pane} pane @param {import('./api.js').Scope} scope @param {AbortSignal} signal @returns {Promise<Processors>} */
  ask(pane, scope, signal) {
    return getProcessors(rangeAround(this.pane()), signal);
  }
  /** @param {Pane} _pane @param {Processors} answer */
  show(_pane, answer) {
    const {session} = this.pane(), unknown = answer.unknown.length;
    this.at = null;
    this.details.textContent = '';
    this.caption.textContent = !answer.processors.length ? 'Where threads ran is not known here: ' +
      (unknown === session.info.threads.length ? 'the trace has no scheduling records. `adatrace record` takes them where the system allows it.' : 'no thread was on-CPU in the visible range.') :
      `${counted(answer.processors.length, 'processor')} in the visible range` + (unknown ? `; not known of ${counted(unknown, 'thread')} without scheduling records` : '');
    this.draw();
  }

  /** The colour of a thread, and its name. @param {number} thread */
  named(thread) {
    return this.pane().session.threadName(thread);
  }

  draw() {
    const lanes = this.shown?.answer.processors ?? [], pane = this.pane(), {axis, width} = pane;
    this.side.replaceChildren(...lanes.map(({processor}) => make('div', 'name', `processor ${processor}`)));
    const context = startChart(this.canvas, width, lanes.length);
    const chosen = this.app.selected?.pane === pane ? this.app.selected.call.thread : pane.row?.thread;
    lanes.forEach((lane, at) => drawBoxes(context, at, lane, pane, {hue: (box) => this.hue(lane.thread[box]),
      name: (box) => this.named(lane.thread[box]), isMarked: (box) => lane.thread[box] === chosen}));
    if (this.at && lanes[this.at.lane]) {
      const {begin, end} = lanes[this.at.lane], left = axis.x(begin[this.at.box], width), right = axis.x(end[this.at.box], width);
      context.strokeStyle = colours().ink;
      context.lineWidth = 2;
      context.strokeRect(left + 1, this.at.lane * ROW + 1, Math.max(right - left - 2, 2), ROW - 3);
    }
  }
  /** Threads of the same name have different colours. @param {number} thread */
  hue(thread) {
    return (hueOf(this.named(thread)) + thread * 5) % HUES;
  }

  /** @param {Place | null} at */
  moveTo(at) {
    this.at = at;
    const lane = at && this.shown?.answer.processors[at.lane];
    this.details.textContent = !at || !lane ? '' : `processor ${lane.processor}: ${this.named(lane.thread[at.box])}, ` +
      (lane.count[at.box] > 1 ? `${counted(lane.count[at.box], 'run')}, most of them this thread's, fill ${percent(lane.fill[at.box], lane.end[at.box] - lane.begin[at.box])} of ` : '') +
      duration(lane.end[at.box] - lane.begin[at.box]);
    this.draw();
  }
  go() {
    const lane = this.at && this.shown?.answer.processors[this.at.lane], pane = this.pane();
    if (!this.at || !lane)
      return;
    const row = pane.rows.ofThread(lane.thread[this.at.box]), {axis} = pane;
    if (row)
      pane.activate(row);
    const time = (Math.max(lane.begin[this.at.box], axis.from) + Math.min(lane.end[this.at.box], axis.to)) / 2;
    void this.app.go(pane, lane.thread[this.at.box], {at: Math.floor(time)});
  }
  /** @param {MouseEvent} event @returns {Place | null} */
  placeAt(event) {
    const box = this.canvas.getBoundingClientRect(), {axis, width} = this.pane(), time = axis.time(event.clientX - box.left, width), slack = axis.span / width;
    const lane = Math.floor((event.clientY - box.top) / ROW), shown = this.shown?.answer.processors[lane];
    const found = shown ? boxAt(shown, time, slack) : -1;
    return found < 0 ? null : {lane, box: found};
  }

  listen() {
    this.canvas.addEventListener('mousemove', (event) => {
      const at = this.placeAt(event);
      this.canvas.style.cursor = at ? 'pointer' : 'default';
      if (at?.lane !== this.at?.lane || at?.box !== this.at?.box)
        this.moveTo(at);
    });
    this.canvas.addEventListener('click', (event) => {
      this.moveTo(this.placeAt(event));
      this.go();
    });
    this.canvas.addEventListener('keydown', (event) => {
      const lanes = this.shown?.answer.processors ?? [], {axis} = this.pane();
      const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0, up = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
      if (event.key === 'Enter' && this.at) {
        event.preventDefault();
        this.go();
      } else if ((step || up) && lanes.length && !event.shiftKey) {
        event.preventDefault();
        const isVisible = (/** @type {number} */ lane, /** @type {number} */ box) => lanes[lane].end[box] > axis.from && lanes[lane].begin[box] < axis.to;
        const first = (/** @type {number} */ lane, /** @type {number} */ time) =>
          lanes[lane].begin.findIndex((_, box) => isVisible(lane, box) && lanes[lane].end[box] > time);
        const {lane, box} = this.at ?? {lane: 0, box: -1}, next = Math.max(0, Math.min(lanes.length - 1, lane + (this.at ? up : 0)));
        const wanted = !this.at || up ? first(next, this.at ? lanes[lane].begin[box] : axis.from) : box + step;
        if (wanted >= 0 && wanted < lanes[next].begin.length && isVisible(next, wanted))
          this.moveTo({lane: next, box: wanted});
      }
    });
  }
}
