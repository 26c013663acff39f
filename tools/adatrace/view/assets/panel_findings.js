// The first panel: what is wrong, as `adatrace why` finds it, each with the place that shows it. The server looks for it
// in the background, after the first picture.
// @ts-check
import {find, getFindings, globOf} from './api.js';
import {button, make} from './dom.js';
import {counted, duration, percent} from './numbers.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./api.js').Finding} Finding */
/** @typedef {import('./api.js').Findings} Findings */
/** @typedef {import('./pane.js').Pane} Pane */

/** A larger session gets its index first: that makes pictures quick. */
const EVENTS_BEFORE_INDEX = 1e6;
const LOOK_MS = 40;

export class FindingsPanel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.id = 'findings';
    this.title = 'Findings';
    this.caption = make('p', 'caption');
    this.caption.setAttribute('role', 'status');
    this.list = make('ol', 'found');
    this.missing = make('ul', 'missing');
    this.element = make('div', 'panel findings', this.caption, make('div', 'content', this.list, this.missing));
    this.isOpen = false;
    /** Whether the call that is being chosen is that of a finding. */
    this.isGoing = false;
    this.asked = '';
    this.abort = new AbortController();
    this.listen();
    app.onChange((what) => (what === 'names' || what === 'pane') && this.isOpen && this.refresh());
  }
  /** @param {boolean} isOpen */
  open(isOpen) {
    this.isOpen = isOpen;
    if (isOpen)
      this.refresh();
  }

  /** Asks for the findings of the session in use, unless they are known. A growing session waits until it has ended. */
  refresh(isWanted = false) {
    const pane = this.app.active || this.app.panes[0];
    if (!pane)
      return;
    const {info} = pane.session, isWaiting = info.is_live && !isWanted;
    const state = `${info.start_ns}.${info.events}`, asked = `${info.id} ${info.is_live ? 'live' : state}`;
    if (asked === this.asked && !isWanted)
      return;
    this.asked = asked;
    this.abort.abort();
    this.abort = new AbortController();
    this.element.removeAttribute('aria-busy');
    this.list.replaceChildren();
    this.missing.replaceChildren();
    if (isWaiting)
      this.tell(pane, 'It is still being recorded; what is wrong is looked for when it has ended. ', button('look now', () => this.refresh(true)));
    else
      void this.fill(pane, state, this.abort.signal);
  }

  /** @param {Pane} pane @param {string} state @param {AbortSignal} signal */
  async fill(pane, state, signal) {
    const {session} = pane, bar = make('progress');
    bar.setAttribute('aria-label', 'how much of the search for findings is done');
    const stop = button('stop', () => this.abort.abort());
    this.element.setAttribute('aria-busy', 'true');
    this.tell(pane, 'Looking for what is wrong … ', stop);
    try {
      while (pane.isDirty || session.pictures.isBusy || (session.info.events > EVENTS_BEFORE_INDEX && session.info.index.state === 'building')) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        signal.throwIfAborted();
      }
      const found = await getFindings({session: session.id, of: state}, signal, (progress) => {
        bar.value = progress;
        this.tell(pane, 'Looking for what is wrong: ', bar, ' ', stop);
      });
      this.show(pane, found);
    } catch (error) {
      if (signal === this.abort.signal)
        this.tell(pane, signal.aborted ? 'Stopped. ' : error instanceof Error ? `${error.message} ` : String(error), button('look again', () => this.refresh(true)));
    }
    if (signal === this.abort.signal)
      this.element.removeAttribute('aria-busy');
  }
  /** @param {Pane} pane @param {...(Node | string)} what */
  tell(pane, ...what) {
    this.caption.replaceChildren(this.app.panes.length > 1 ? `${pane.session.info.name}: ` : '', ...what);
  }

  /** @param {Pane} pane @param {Findings} found */
  show(pane, found) {
    if (found.state !== 'ready') {
      this.tell(pane, 'It takes too long to look for what is wrong here. In a shell: ', make('code', '', `adatrace why ${pane.session.info.operand}`));
      return;
    }
    const requests = found.requests.slice(0, 3).join(', ') + (found.requests.length > 3 ? ` and ${found.requests.length - 3} more` : '');
    this.tell(pane, found.findings.length ? '' : 'Nothing stands out. ', found.requests.length
      ? `${counted(found.request_calls, 'request')} of ${requests}: ${duration(found.total_ns)} in ${duration(found.run_ns)}.`
      : `No calls repeat; the run took ${duration(found.run_ns)}.`,
      ...pane.session.info.is_live ? [' Of what has been recorded so far. ', button('look again', () => this.refresh(true))] : []);
    this.list.replaceChildren(...found.findings.map((finding) => this.item(pane, finding)));
    this.missing.replaceChildren(...found.cannot_say.map(({what, command}) => {
      const line = make('li', 'faint', `The session does not tell ${what}`);
      if (command)
        line.append(': ', make('code', '', command));
      return line;
    }));
  }

  /** @param {Pane} pane @param {Finding} finding */
  item(pane, finding) {
    const share = finding.of_ns ? finding.stake_ns / finding.of_ns : 0, bar = make('span', 'amount'), filled = make('span');
    filled.style.width = `${Math.min(1, share) * 100}%`;
    bar.append(filled);
    const text = make('span', 'text', make('span', 'sentence', finding.text), ...finding.evidence.map((line) => make('span', 'faint', line)));
    const item = button('', () => void this.go(pane, finding, item), 'item');
    item.title = 'show it';
    item.append(make('span', 'share', percent(finding.stake_ns, Math.max(finding.of_ns, 1))), bar, make('span', 'length', duration(finding.stake_ns)),
      make('span', 'kind', `${finding.kind.replaceAll('-', ' ')}, ${finding.sure}`), text);
    const line = make('li', '', item);
    if (finding.command)
      line.append(make('code', 'faint', finding.command));
    return line;
  }

  /** Chooses the call that shows a finding, and makes it visible. @param {Pane} pane @param {Finding} finding @param {HTMLElement} item */
  async go(pane, finding, item) {
    const {app} = this, {place} = finding;
    this.list.querySelector('[aria-current]')?.removeAttribute('aria-current');
    item.setAttribute('aria-current', 'true');
    this.isGoing = true;
    try {
      let thread = place?.thread;
      /** @type {import('./api.js').Which | undefined} */
      let which = !place ? undefined : place.seq === undefined ? {at: place.at ?? 0} : {seq: place.seq};
      if (!which && finding.function) {
        const [longest] = (await find({session: pane.session.id, function: globOf(finding.function), order: 'slowest', limit: 1})).calls;
        if (longest)
          [thread, which] = [longest.thread, {seq: longest.seq}];
      }
      if (!which || thread === undefined) {
        pane.axis.jump(0, pane.axis.limit);
        return;
      }
      app.stopFollowing();
      if (!await app.selectCall(pane, thread, which, false) || !app.selected)
        return;
      const {call} = app.selected, end = call.end_ns ?? pane.session.duration, edge = Math.max((end - call.begin_ns) / 2, 1);
      pane.axis.jump(call.begin_ns - edge, end + edge);
      pane.showCall(call);
    } catch (error) {
      app.fail(error);
    } finally {
      this.isGoing = false;
    }
  }

  // Arrow keys move between findings, as in other lists.
  listen() {
    this.list.addEventListener('keydown', (event) => {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')
        return;
      event.preventDefault();
      const items = [...this.list.querySelectorAll('button')], at = items.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
      items[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus();
    });
  }
}
