// The panel with the figures of every function in the chosen range.
// @ts-check
import {getStatistics} from './api.js';
import {button, make} from './dom.js';
import {counted, duration, grouped, percent} from './numbers.js';
import {ScopePanel} from './panel.js';
import {colourOf} from './theme.js';

/** @typedef {import('./api.js').FunctionFigures} Figures */
/** @typedef {{functions: Figures[], calls: number, is_complete: boolean}} Statistics */
/** @typedef {import('./pane.js').Pane} Pane */

/** @type {[key: Exclude<keyof Figures, 'function'>, title: string][]} */
const COLUMNS = [['self_ns', 'self'], ['total_ns', 'total'], ['calls', 'calls'], ['min_ns', 'min'], ['p50_ns', 'median'], ['p99_ns', '99 %'], ['max_ns', 'max']];
const MOST_ROWS = 500;

/** @extends {ScopePanel<Statistics>} */
export class StatisticsPanel extends ScopePanel {
  /** @param {import('./app.js').App} app @param {(pane: Pane, name: string) => void} slowest */
  constructor(app, slowest) {
    super(app, 'statistics', 'Statistics');
    this.slowest = slowest;
    /** @type {Exclude<keyof Figures, 'function'>} */
    this.sort = 'self_ns';
    this.filter = make('input');
    this.filter.type = 'search';
    this.filter.placeholder = 'part of a name';
    this.filter.setAttribute('aria-label', 'only functions with this in their name');
    this.filter.addEventListener('input', () => this.draw());
    this.caption.after(make('div', 'tools', this.filter));
    /** @type {{pane: Pane, answer: Statistics} | null} */
    this.last = null;
    app.onChange((what) => what === 'chosen' && this.isOpen && this.draw());
  }

  /** @param {Pane} pane @param {import('./api.js').Scope} scope @param {AbortSignal} signal */
  ask(pane, scope, signal) {
    return getStatistics(scope, signal);
  }
  /** @param {Pane} pane @param {Statistics} answer */
  show(pane, answer) {
    this.last = {pane, answer};
    this.caption.append(`: ${counted(answer.calls, 'call')} of ${counted(answer.functions.length, 'function')} begin here`,
      answer.is_complete ? '' : ' (not all were counted)');
    this.draw();
  }

  draw() {
    if (!this.last)
      return;
    const {pane, answer} = this.last, {session} = pane, part = this.filter.value.toLowerCase();
    const selves = answer.functions.reduce((sum, {self_ns}) => sum + self_ns, 0);
    const head = make('tr', '', ...COLUMNS.map(([key, title]) => {
      const cell = make('th', '', button(title, () => {
        this.sort = key;
        this.draw();
      }));
      if (key === this.sort)
        cell.setAttribute('aria-sort', 'descending');
      return cell;
    }), make('th', '', 'function'));
    const rows = answer.functions.filter((figures) => !part || session.name(figures.function).toLowerCase().includes(part));
    rows.sort((a, b) => b[this.sort] - a[this.sort] || a.function - b.function);
    const body = make('tbody', '', ...rows.slice(0, MOST_ROWS).map((figures) => this.row(pane, figures, selves)));
    this.content.replaceChildren(make('table', '', make('thead', '', head), body));
    if (rows.length > MOST_ROWS)
      this.content.append(make('p', 'caption', `and ${counted(rows.length - MOST_ROWS, 'more function')}; filter by name to find them`));
  }

  /** @param {Pane} pane @param {Figures} figures @param {number} selves */
  row(pane, figures, selves) {
    const {session} = pane, id = figures.function, name = session.name(id), row = make('tr');
    row.dataset.function = name;
    for (const [key] of COLUMNS) {
      const cell = row.insertCell();
      cell.textContent = key === 'calls' ? grouped(figures.calls) : duration(figures[key]);
      cell.dataset.value = String(figures[key]);
    }
    row.cells[0].title = `${percent(figures.self_ns, selves)} of all` +
      (figures.recorder_ns ? `; besides, the recorder held it up for ${duration(figures.recorder_ns)}` : '');
    const isChosen = this.app.chosen?.pane === pane && this.app.chosen.function === id;
    const choose = button(name, () => this.app.choose(pane, isChosen ? -1 : id), 'item');
    choose.title = `${session.place(id)} — highlights its calls`;
    choose.setAttribute('aria-pressed', String(isChosen));
    const swatch = make('span', 'swatch');
    swatch.style.background = colourOf(name);
    const slowest = button('slowest', () => this.slowest(pane, name), 'link');
    row.insertCell().append(swatch, choose, slowest);
    row.classList.toggle('chosen', isChosen);
    return row;
  }
}
