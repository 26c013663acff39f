// The panel with the distribution of a function's durations in the chosen range.
// @ts-check
import {getHistogram} from './api.js';
import {button, make} from './dom.js';
import {counted, duration, grouped} from './numbers.js';
import {ScopePanel} from './panel.js';
import {colourOf} from './theme.js';

/** @typedef {{buckets: import('./api.js').Bucket[], calls: number, min_ns: number, max_ns: number, is_complete: boolean}} Histogram */
/** @typedef {import('./pane.js').Pane} Pane */

/** @extends {ScopePanel<Histogram>} */
export class HistogramPanel extends ScopePanel {
  /** @param {import('./app.js').App} app @param {(pane: Pane, name: string, minimum: number) => void} search */
  constructor(app, search) {
    super(app, 'histogram', 'Histogram');
    this.search = search;
  }
  /** @param {import('./app.js').Change} what */
  changes(what) {
    return super.changes(what) || what === 'chosen' || what === 'selected';
  }
  /** @param {Pane} pane */
  extra(pane) {
    return [pane.session.id, this.app.functionOf(pane)];
  }
  /** @param {Pane} pane @param {import('./api.js').Scope} scope @param {AbortSignal} signal @returns {Promise<Histogram>} */
  async ask(pane, scope, signal) {
    const id = this.app.functionOf(pane);
    return id < 0 ? {buckets: [], calls: 0, min_ns: 0, max_ns: 0, is_complete: true} : getHistogram({...scope, function: id}, signal);
  }

  /** @param {Pane} pane @param {Histogram} answer */
  show(pane, answer) {
    const id = this.app.functionOf(pane), name = pane.session.name(id);
    this.content.replaceChildren();
    if (id < 0) {
      this.content.append(make('p', 'caption', 'Choose a call or, in Statistics, a function to see how long its calls take.'));
      return;
    }
    this.caption.append(`: ${counted(answer.calls, 'call')} of ${name}` +
      (answer.calls ? `, ${duration(answer.min_ns)} to ${duration(answer.max_ns)}` : '') +
      (answer.is_complete ? '' : ' (not all were counted)'));
    const filled = answer.buckets.map(({calls}) => calls > 0), first = filled.indexOf(true), last = filled.lastIndexOf(true);
    const most = Math.max(1, ...answer.buckets.map(({calls}) => calls));
    const columns = first < 0 ? [] : answer.buckets.slice(first, last + 1).map(({from_ns, to_ns, calls}) => {
      const bar = make('span', 'column-bar'), label = `${duration(from_ns)} – ${duration(to_ns)}`;
      bar.style.height = calls ? `max(2px, calc((100% - 18px) * ${(calls / most).toFixed(4)}))` : '0';
      bar.style.background = colourOf(name);
      const column = button('', () => this.search(pane, name, from_ns), 'column');
      // The style sheet shows these texts; for screen readers, the label says all.
      const count = make('span', 'column-count'), begin = make('span', 'column-label');
      count.dataset.text = calls ? grouped(calls) : '';
      begin.dataset.text = duration(from_ns);
      column.append(make('span', 'column-room', count, bar), begin);
      column.title = `${label}: ${counted(calls, 'call')}; click for the slowest calls of at least ${duration(from_ns)}`;
      column.setAttribute('aria-label', `${label}: ${counted(calls, 'call')}`);
      column.dataset.calls = String(calls);
      return column;
    });
    this.content.append(make('div', 'columns', ...columns));
  }
}
