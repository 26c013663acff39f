// A panel of the dock that shows a part of a session. While it is open, it asks again whenever the part has changed.
// @ts-check
import {debounce, make} from './dom.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./app.js').Change} Change */
/** @typedef {import('./pane.js').Pane} Pane */
/** @typedef {import('./api.js').Scope} Scope */

const WAIT_MS = 200;

/** @template Answer */
export class ScopePanel {
  /** @param {App} app @param {string} id @param {string} title */
  constructor(app, id, title) {
    this.app = app;
    this.id = id;
    this.title = title;
    this.caption = make('p', 'caption');
    this.content = make('div', 'content');
    this.element = make('div', `panel ${id}`, this.caption, this.content);
    this.isOpen = false;
    this.asked = '';
    this.abort = new AbortController();
    this.later = debounce(WAIT_MS, () => this.refresh());
    /** @type {{pane: Pane, text: string, answer: Answer} | null} */
    this.shown = null;
    app.onChange((what) => {
      if (what === 'theme')
        this.render();
      else if (this.changes(what) && this.isOpen)
        this.later();
    });
  }

  /** Whether this kind of change affects the panel. @param {Change} what */
  changes(what) {
    return what === 'view' ? !this.app.range : ['range', 'rows', 'pane', 'axis', 'names'].includes(what);
  }
  /** @param {boolean} isOpen */
  open(isOpen) {
    this.isOpen = isOpen;
    if (isOpen)
      void this.refresh();
  }

  async refresh() {
    const {pane, scope, text} = this.app.scope(), asked = JSON.stringify([scope, this.extra(pane), pane.session.info.duration_ns, pane.session.names]);
    if (asked === this.asked)
      return;
    this.abort.abort();
    this.abort = new AbortController();
    this.caption.textContent = `${text} …`;
    this.element.setAttribute('aria-busy', 'true');
    try {
      const answer = await this.ask(pane, scope, this.abort.signal);
      this.asked = asked;
      this.shown = {pane, text, answer};
      this.render();
      this.element.removeAttribute('aria-busy');
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'AbortError')) {
        this.element.removeAttribute('aria-busy');
        this.app.fail(error);
      }
    }
  }

  render() {
    if (!this.shown)
      return;
    this.caption.replaceChildren(this.shown.text);
    this.show(this.shown.pane, this.shown.answer);
  }

  /** Other values on which the answer depends, besides the part. @param {Pane} pane @returns {unknown} */
  extra(pane) {
    return pane.session.id;
  }
  /** @param {Pane} pane @param {Scope} scope @param {AbortSignal} signal @returns {Promise<Answer>} */
  ask(pane, scope, signal) {
    throw new Error(`${pane} ${scope} ${signal}`);
  }
  /** @param {Pane} pane @param {Answer} answer */
  show(pane, answer) {
    throw new Error(`${pane} ${answer}`);
  }
}
