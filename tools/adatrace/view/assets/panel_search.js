// The panel that searches for calls by function, argument or duration, and lists the calls found.
// @ts-check
import {find} from './api.js';
import {button, make} from './dom.js';
import {counted, duration, parseDuration, timeLabel} from './numbers.js';
import {colourOf} from './theme.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./api.js').FoundCall} FoundCall */
/** @typedef {import('./pane.js').Pane} Pane */
/** @typedef {{function: string, args: string, longer: string, order: string, limit: string}} Question */

export class SearchPanel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.id = 'search';
    this.title = 'Search';
    /** @type {{pane: Pane, calls: FoundCall[]} | null} */
    this.found = null;
    /** @type {Question | null} of the last search, whether or not it has an answer yet */
    this.asked = null;
    this.at = -1;
    this.abort = new AbortController();
    const field = (/** @type {string} */ name, /** @type {string} */ title, /** @type {string} */ placeholder, /** @type {number} */ size) => {
      const input = make('input');
      input.name = name;
      input.placeholder = placeholder;
      input.size = size;
      input.autocomplete = 'off';
      input.spellcheck = false;
      return {input, label: make('label', '', `${title} `, input)};
    };
    const name = field('function', 'function', 'handle*, or: slowest 20 of handle*', 30);
    const args = field('args', 'arguments have', 'text', 12), longer = field('longer', 'at least', '5ms', 7), limit = field('limit', 'calls', '20', 4);
    this.function = name.input;
    this.args = args.input;
    this.longer = longer.input;
    this.limit = limit.input;
    this.limit.value = '20';
    this.order = make('select', '', new Option('slowest first', 'slowest'), new Option('by time', 'time'));
    this.order.setAttribute('aria-label', 'order');
    const go = make('button', '', 'search');
    go.type = 'submit';
    this.form = make('form', 'tools', name.label, args.label, longer.label, this.order, limit.label, go);
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      // The list takes the focus, so that arrow keys, Enter and n continue from there.
      void this.search().then(() => this.list.querySelector('button')?.focus());
    });
    this.caption = make('p', 'caption', 'Globs work as everywhere in adatrace. The search covers the chosen range, or the whole session if there is none; hidden rows are left out.');
    this.caption.setAttribute('role', 'status');
    this.list = make('ol', 'found');
    this.list.addEventListener('keydown', (event) => {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp' && event.key !== 'Escape')
        return;
      event.preventDefault();
      if (event.key === 'Escape') {
        (this.app.active || this.app.panes[0]).canvas.focus();
        return;
      }
      const items = [...this.list.querySelectorAll('button')], at = items.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
      items[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus();
    });
    this.element = make('div', 'panel search', this.form, this.caption, make('div', 'content', this.list));
  }
  open() {}

  /** @returns {Question} */
  get question() {
    return {function: this.function.value, args: this.args.value, longer: this.longer.value, order: this.order.value, limit: this.limit.value};
  }
  /** @param {Partial<Question>} question */
  ask(question) {
    this.function.value = question.function ?? '';
    this.args.value = question.args ?? '';
    this.longer.value = question.longer ?? '';
    this.order.value = question.order ?? 'slowest';
    this.limit.value = question.limit ?? '20';
    return this.search();
  }

  async search() {
    const words = /^\s*slowest\s+(\d+)\s+(?:of\s+)?(.*)$/i.exec(this.function.value);
    if (words) {
      [this.order.value, this.limit.value, this.function.value] = ['slowest', words[1], words[2].trim()];
    }
    const longer = this.longer.value.trim() ? parseDuration(this.longer.value) : 0, limit = Number(this.limit.value || 20);
    if (Number.isNaN(longer) || !(limit >= 1)) {
      this.caption.textContent = Number.isNaN(longer) ? `“${this.longer.value}” is not a duration; write 5ms or 20us.` : 'The number of calls is at least 1.';
      return;
    }
    this.abort.abort();
    this.abort = new AbortController();
    const {pane, scope} = this.app.scope(), range = this.app.rangeOf(pane);
    this.caption.textContent = 'searching …';
    this.asked = this.question;
    this.app.changed('panel');
    try {
      const {calls, is_complete} = await find({session: pane.session.id, threads: scope.threads, function: this.function.value.trim() || undefined,
        args: this.args.value || undefined, min_ns: longer ? Math.ceil(longer) : undefined, from: range ? scope.from : undefined, to: range ? scope.to : undefined,
        order: this.order.value, limit}, this.abort.signal);
      this.found = {pane, calls};
      this.at = -1;
      this.caption.textContent = (calls.length ? `${counted(calls.length, 'call')}${range ? ' in the chosen range' : ''}` :
        `No call ${range ? 'in the chosen range ' : ''}matches.`) + (is_complete ? '' : '; not everything was searched');
      this.draw();
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError')
        return;
      this.caption.textContent = '';
      this.app.fail(error);
    }
  }

  draw() {
    if (!this.found)
      return;
    const {pane, calls} = this.found, {session} = pane, latest = Math.max(...calls.map(({begin_ns}) => begin_ns), 1);
    this.list.replaceChildren(...calls.map((call, at) => {
      const name = session.name(call.function), swatch = make('span', 'swatch');
      swatch.style.background = colourOf(name);
      const item = button('', () => this.go(at), 'item');
      item.append(make('span', 'length', call.end_ns === null ? 'open' : duration(call.end_ns - call.begin_ns)),
        make('span', 'begin', timeLabel(call.begin_ns, latest > 1e9 ? 1e3 : 1, latest)), make('span', 'thread', session.threadName(call.thread)), swatch,
        make('span', 'name', name), make('span', 'code', call.args ?? ''));
      if (at === this.at)
        item.setAttribute('aria-current', 'true');
      return make('li', '', item);
    }));
  }

  /** @param {number} at */
  go(at) {
    const call = this.found?.calls[at];
    if (!call || !this.found)
      return;
    this.list.querySelector('[aria-current]')?.removeAttribute('aria-current');
    const item = this.list.querySelectorAll('button')[at];
    item?.setAttribute('aria-current', 'true');
    item?.scrollIntoView({block: 'nearest'});
    this.at = at;
    void this.app.selectCall(this.found.pane, call.thread, {seq: call.seq}, true);
  }
  /** @param {1 | -1} step */
  step(step) {
    const count = this.found?.calls.length ?? 0;
    if (count)
      this.go(this.at < 0 ? (step > 0 ? 0 : count - 1) : (this.at + step + count) % count);
  }
}
