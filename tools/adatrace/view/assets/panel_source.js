// The panel with a source file, and beside the lines of its functions what their calls in the range cost.
// @ts-check
import {getSource, getStatistics} from './api.js';
import {button, make} from './dom.js';
import {counted, duration, grouped} from './numbers.js';
import {ScopePanel} from './panel.js';

/** @typedef {import('./api.js').FunctionFigures} Figures */
/** @typedef {import('./api.js').SourceText} SourceText */
/** @typedef {import('./pane.js').Pane} Pane */
/** @typedef {{file: string, source: SourceText | null, functions: Figures[], is_complete: boolean}} Annotated */
/** @typedef {{calls: number, total: number, p99: number, functions: number[]}} LineFigures */

const MOST_LINES = 6000, CONTEXT = 12;

/** @extends {ScopePanel<Annotated>} */
export class SourcePanel extends ScopePanel {
  /** @param {import('./app.js').App} app */
  constructor(app) {
    super(app, 'annotate', 'Source');
    this.files = make('select');
    this.files.setAttribute('aria-label', 'source file');
    this.files.addEventListener('change', () => {
      this.file = this.files.value;
      void this.refresh();
    });
    this.caption.after(make('div', 'tools', this.files));
    /** The file that was asked for; otherwise, that of the chosen function. */
    this.file = '';
    this.function = -1;
    /** @type {Map<string, SourceText>} */
    this.texts = new Map();
  }

  /** @param {import('./app.js').Change} what */
  changes(what) {
    if (what === 'chosen' || what === 'selected')
      this.follow();
    return super.changes(what) || what === 'chosen' || what === 'selected';
  }
  /** Another function was chosen: shows its file. */
  follow() {
    // Of a library's function, the program's own code that called it.
    const {pane} = this.app.scope(), {selected} = this.app, chosen = this.app.functionOf(pane);
    const id = selected?.pane === pane && selected.call.function === chosen ? selected.call.source_of : chosen;
    if (id >= 0 && id !== this.function)
      this.file = pane.session.functions[id]?.file || '';
    this.function = id;
  }
  /** @param {boolean} isOpen */
  open(isOpen) {
    if (isOpen && this.app.panes.length)
      this.follow();
    super.open(isOpen);
  }
  /** @param {Pane} pane */
  extra(pane) {
    return [pane.session.id, this.file, this.function];
  }

  /** @param {Pane} pane @param {import('./api.js').Scope} scope @param {AbortSignal} signal @returns {Promise<Annotated>} */
  async ask(pane, scope, signal) {
    const {functions, is_complete} = await getStatistics(scope, signal), {session} = pane;
    // Without a choice, the file of the function with the most time of its own.
    const best = functions.filter(({function: id}) => session.functions[id]?.file).sort((a, b) => b.self_ns - a.self_ns)[0];
    const file = this.file || (best ? session.functions[best.function].file : ''), key = `${session.id} ${file}`;
    let source = this.texts.get(key) ?? null;
    if (file && !source)
      this.texts.set(key, source = await getSource(session.id, file, signal));
    return {file, source, functions, is_complete};
  }

  /** @param {Pane} pane @param {Annotated} answer */
  show(pane, {file, source, functions, is_complete}) {
    const {session} = pane, known = [...new Set(session.functions.map((about) => about?.file).filter(Boolean))].sort();
    this.files.replaceChildren(...known.map((name) => new Option(name, name, false, name === file)));
    this.files.hidden = !known.length;
    if (!file) {
      this.caption.textContent = 'The trace does not know in which files its functions are: they have no debug information.';
      this.content.replaceChildren();
      return;
    }
    /** @type {Map<number, LineFigures>} */
    const lines = new Map();
    for (const about of session.functions)
      if (about?.file === file && about.line) {
        const at = lines.get(about.line) ?? {calls: 0, total: 0, p99: 0, functions: []};
        at.functions.push(about.id);
        lines.set(about.line, at);
      }
    for (const {function: id, calls, total_ns, p99_ns} of functions) {
      const at = session.functions[id]?.file === file ? lines.get(session.functions[id].line) : undefined;
      if (at) {
        at.calls += calls;
        at.total += total_ns;
        at.p99 = Math.max(at.p99, p99_ns);
      }
    }
    const text = source?.lines ?? [];
    this.caption.append(source?.note ? `: ${source.note}` : `: ${counted(lines.size, 'line')} with functions`, is_complete ? '' : ' (not all calls were counted)');
    const chosen = session.functions[this.function], marked = chosen?.file === file ? chosen.line : 0;
    const most = Math.max(1, ...[...lines.values()].map(({total}) => total));
    const body = make('tbody');
    let shown = 0, last = 0;
    // Long files only have the lines around their functions.
    const isNear = (/** @type {number} */ line) => [...Array(2 * CONTEXT + 1).keys()].some((i) => lines.has(line + i - CONTEXT));
    const all = text.length ? text.map((_, at) => at + 1) : [...lines.keys()].sort((a, b) => a - b);
    for (const line of all.length > MOST_LINES ? all.filter(isNear).slice(0, MOST_LINES) : all) {
      if (text.length && line > last + 1)
        body.append(make('tr', 'cut', make('td'), make('td'), make('td'), make('td', 'number', '⋮'), make('td')));
      last = line;
      body.append(this.row(pane, line, text[line - 1], lines.get(line), most, line === marked));
      ++shown;
    }
    const head = make('tr', '', ...['calls', 'total', '99 %', 'line', ''].map((title) => make('th', '', title)));
    this.content.replaceChildren(make('table', 'lines', make('thead', '', head), body));
    if (shown < text.length)
      this.content.append(make('p', 'caption', `${grouped(shown)} of ${grouped(text.length)} lines: those near functions.`));
    const row = body.querySelector('.marked');
    if (row instanceof HTMLElement)
      this.content.scrollTop = Math.max(0, row.offsetTop - this.content.clientHeight / 3);
  }

  /** @param {Pane} pane @param {number} line @param {string | undefined} text @param {LineFigures | undefined} figures @param {number} most @param {boolean} isMarked */
  row(pane, line, text, figures, most, isMarked) {
    const row = make('tr', isMarked ? 'marked' : ''), {session} = pane, names = figures?.functions.map((id) => session.name(id)) ?? [];
    const cell = (/** @type {string} */ shown) => make('td', '', shown), code = make('td', 'code', text ?? '');
    if (figures?.calls) {
      const total = cell(duration(figures.total));
      total.style.background = `color-mix(in srgb, var(--strong) ${Math.round(45 * figures.total / most)}%, transparent)`;
      row.append(cell(grouped(figures.calls)), total, cell(duration(figures.p99)));
    } else
      row.append(cell(figures ? '0' : ''), cell(''), cell(''));
    row.append(make('td', 'number', String(line)), code);
    if (figures) {
      const go = button(text === undefined ? names.join(', ') : '▸', () => this.app.choose(pane, figures.functions[0]), 'link');
      go.title = `highlight ${names.join(', ')}`;
      go.setAttribute('aria-label', go.title);
      code.prepend(go, text === undefined ? '' : ' ');
    }
    return row;
  }
}
