// The panel of the chosen call: its figures, arguments and result, the calls around it, and its source.
// @ts-check
import {CallReasons} from './call_reasons.js';
import {button, make} from './dom.js';
import {counted, duration, NOT_RETURNED, offCpu, timeLabel} from './numbers.js';
import {colourOf} from './theme.js';
import {walk} from './walk.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./walk.js').Step} Step */

export class CallPanel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.id = 'call';
    this.title = 'Call';
    this.element = make('div', 'panel call');
    this.reasons = new CallReasons(app);
    app.onChange((what) => (what === 'selected' || what === 'names' || what === 'theme') && this.draw());
    this.draw();
  }
  /** @param {boolean} isOpen */
  open(isOpen) {
    this.reasons.open(isOpen);
  }

  draw() {
    const {selected} = this.app;
    if (!selected) {
      this.element.replaceChildren(make('p', 'caption', 'Click a call or press an arrow key to see its details.'));
      return;
    }
    const {call, pane} = selected, {session} = pane, end = call.end_ns ?? session.duration;
    const name = make('h3', '', make('span', 'swatch'), session.name(call.function));
    /** @type {HTMLElement} */ (name.firstElementChild).style.background = colourOf(session.name(call.function));
    const facts = make('dl', 'facts');
    const fact = (/** @type {string} */ title, /** @type {string} */ text, className = '') =>
      facts.append(make('div', '', make('dt', '', title), make('dd', className, text)));
    if (call.args)
      fact('arguments', call.args, 'code');
    if (call.result)
      fact('result', call.result, 'code');
    fact('total', call.end_ns === null ? `${duration(end - call.begin_ns)}, still open` : duration(end - call.begin_ns));
    if (call.self_ns !== null && call.self_ns !== undefined)
      fact('self', duration(call.self_ns));
    if (offCpu(call))
      fact('off-CPU', offCpu(call));
    fact('begin', timeLabel(call.begin_ns, 1, Math.max(call.begin_ns, 1)));
    fact('end', call.end_ns === null ? 'open' : timeLabel(call.end_ns, 1, Math.max(call.end_ns, 1)), call.end === 'exception' ? 'bad' : '');
    if (call.end in NOT_RETURNED)
      fact('how it ended', NOT_RETURNED[call.end], call.end === 'exception' ? 'bad' : '');
    if (call.calls !== null && call.calls !== undefined)
      fact('made', counted(call.calls, 'call'));
    fact('thread', session.threadName(call.thread));
    fact('depth', String(call.depth));
    if (session.place(call.function))
      fact('source', session.place(call.function), 'code');
    /** @type {[Step, string, string][]} */
    const steps = [['parent', '↑ caller', '↑'], ['first_child', '↓ first call', '↓'], ['previous', '← previous', '←'], ['next', 'next →', '→'],
      ['previous_same', '⇤ same', ','], ['next_same', 'same ⇥', '.']];
    const tools = make('div', 'tools', ...steps.map(([step, text, key]) => {
      const made = button(text, () => void walk(this.app, step));
      made.title = step.endsWith('same') ? `of the same function (key ${key})` : `key ${key}`;
      made.disabled = call[step] === null || call[step] === undefined;
      return made;
    }), button('compare', () => {
      this.app.mark(selected);
      this.app.compare();
    }), button('range', () => this.app.setRange(pane, call.begin_ns, end)),
      button('highlight', () => this.app.choose(pane, this.app.chosen?.function === call.function ? -1 : call.function)));
    const left = make('div', 'about', name, tools, facts);
    this.element.replaceChildren(left, this.reasons.element);
    if (call.source?.text.length) {
      const lines = call.source.text.map(([number, text]) => {
        const line = make('div', number === call.source?.line ? 'line marked' : 'line', make('span', 'number', String(number)), make('code', '', text || ' '));
        return line;
      });
      const source = make('div', 'source', make('p', 'caption', call.source_of === call.function ? call.source.file : `its caller, ${session.name(call.source_of)}: ${call.source.file}`), ...lines);
      source.tabIndex = 0;
      source.setAttribute('aria-label', 'source');
      this.element.append(source);
      const marked = source.querySelector('.marked');
      if (marked instanceof HTMLElement)
        source.scrollTop = Math.max(0, marked.offsetTop - source.offsetTop - 40);
    }
  }
}
