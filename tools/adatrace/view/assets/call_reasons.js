// Why the chosen call took its time, beside it: how its time is divided, and what sets it apart from other calls of its
// function. The server computes both in the background; the page asks only while the panel is open.
// @ts-check
import {getOutliers, getWhy} from './api.js';
import {button, make} from './dom.js';
import {counted, duration, percent, timeLabel} from './numbers.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./pane.js').Pane} Pane */
/** @typedef {import('./api.js').Call} Call */
/** @typedef {import('./api.js').WhyPart} WhyPart */
/** @typedef {import('./api.js').Outliers} Outliers */

export class CallReasons {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.parts = make('section', 'parts');
    this.factors = make('section', 'factors');
    this.element = make('div', 'reasons', this.parts, this.factors);
    this.isOpen = false;
    this.shown = '';
    this.abort = new AbortController();
    this.listen();
    app.onChange((what) => what === 'selected' && this.refresh());
  }
  /** @param {boolean} isOpen */
  open(isOpen) {
    this.isOpen = isOpen;
    this.refresh();
  }

  refresh() {
    const {selected} = this.app;
    // A session that grows is another one with each look at it.
    const wanted = this.isOpen && selected ? [selected.pane.session.id, selected.call.thread, selected.call.seq, selected.call.end_ns].join(' ') : '';
    if (wanted === this.shown)
      return;
    this.shown = wanted;
    this.abort.abort();
    this.abort = new AbortController();
    this.element.hidden = !selected;
    if (!selected || !wanted)
      return;
    const {pane, call} = selected, of = {session: pane.session.id, thread: call.thread, seq: call.seq}, {signal} = this.abort;
    void this.fill(this.parts, 'Where its time went', signal, async (tell) => {
      const why = await getWhy(of, signal, tell);
      if (why.state === 'ready')
        this.app.setWhy(why);
      return why.state === 'ready' ? this.partsOf(pane, why) : [tooLong(pane, call)];
    });
    void this.fill(this.factors, 'What sets it apart', signal, async (tell) =>
      factorsOf(pane, call, await getOutliers(of, signal, tell)));
  }

  /**
   * @param {HTMLElement} section @param {string} title @param {AbortSignal} signal
   * @param {(tell: (progress: number) => void) => Promise<Node[]>} ask
   */
  async fill(section, title, signal, ask) {
    const heading = make('h4', '', title), bar = make('progress');
    bar.setAttribute('aria-label', `${title}: how much of the trace has been read`);
    const stop = button('stop', () => this.abort.abort()), again = button('ask again', () => {
      this.shown = '';
      this.refresh();
    });
    section.setAttribute('aria-busy', 'true');
    section.replaceChildren(heading);
    try {
      section.replaceChildren(heading, ...await ask((progress) => {
        bar.value = progress;
        if (!bar.parentElement)
          section.replaceChildren(heading, make('p', 'caption', bar, ' ', stop));
      }));
    } catch (error) {
      // If another call was chosen meanwhile, the section is about that one.
      if (signal === this.abort.signal)
        section.replaceChildren(heading, make('p', 'caption', signal.aborted ? 'Stopped. ' : error instanceof Error ? `${error.message} ` : String(error), again));
    }
    if (signal === this.abort.signal)
      section.removeAttribute('aria-busy');
  }

  /** @param {Pane} pane @param {import('./api.js').Why} why */
  partsOf(pane, why) {
    const list = make('ul', 'found'), whole = Math.max(why.total_ns, 1);
    const add = (/** @type {WhyPart} */ part, /** @type {number} */ depth) => {
      const row = button('', () => void this.app.go(pane, part.thread, {at: part.in_ns}), 'item'), text = make('span', 'name', part.text);
      row.title = 'go there';
      row.tabIndex = list.childElementCount ? -1 : 0;
      text.style.paddingLeft = `${depth * 14}px`;
      row.append(make('span', 'length', duration(part.total_ns)), make('span', 'share', percent(part.total_ns, whole)), amount(part.total_ns / whole, part.kind), text);
      list.append(make('li', '', row));
      for (const below of part.holders ?? part.parts ?? [])
        add(below, depth + 1);
      rest(part, depth + 1);
    };
    const rest = (/** @type {{other_parts?: number, other_ns?: number}} */ part, /** @type {number} */ depth) => {
      if (!part.other_parts)
        return;
      const text = make('span', 'name', `${counted(part.other_parts, 'smaller part')}`);
      text.style.paddingLeft = `${depth * 14}px`;
      list.append(make('li', 'item', make('span', 'length', duration(part.other_ns ?? 0)), make('span', 'share', percent(part.other_ns ?? 0, whole)),
        amount((part.other_ns ?? 0) / whole, 'other'), text));
    };
    for (const part of why.parts)
      add(part, 0);
    rest(why, 0);
    const notes = [];
    if (!why.has_sched)
      notes.push('Without on-CPU times of this thread, calls of functions that wait count as waiting.');
    if (!why.is_whole && why.waits.length)
      notes.push(`Read from ${timeLabel(why.from_ns, 1e3, Math.max(why.from_ns, 1))} on: of locks that were taken earlier, the holder is not known here.`);
    return [list, ...notes.map((note) => make('p', 'caption', note))];
  }

  // Arrow keys move between the rows, so that Tab passes them in one step.
  listen() {
    this.parts.addEventListener('keydown', (event) => {
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
      const rows = [...this.parts.querySelectorAll('button')], at = rows.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
      if (!step || at < 0)
        return;
      event.preventDefault();
      const next = rows[at + step];
      if (!next)
        return;
      rows[at].tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  }
}

/** A bar as long as a share. @param {number} share @param {string} kind */
function amount(share, kind) {
  const bar = make('span', `amount ${kind}`), filled = make('span');
  filled.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  bar.append(filled);
  return bar;
}

/** @param {Pane} pane @param {Call} call */
function tooLong({session}, call) {
  const thread = session.thread(call.thread), process = session.info.processes.find(({id}) => id === thread?.process);
  const isOne = session.info.processes.length === 1;
  return make('p', 'caption', 'This call spans too many events to be divided while you wait. In a shell: ',
    make('code', '', `adatrace why --call=${isOne ? '' : `${process?.pid}/`}${thread?.number}:${call.seq} ${session.info.operand}`));
}

/** @param {Pane} pane @param {Call} call @param {Outliers} found */
function factorsOf({session}, call, found) {
  const note = (/** @type {(Node | string)[]} */ ...texts) => [make('p', 'caption', ...texts)];
  if (found.state !== 'ready')
    return note('Its function has too many calls around this one to be compared while you wait. In a shell: ', make('code', '', `adatrace outliers --function=FUNCTION ${session.info.operand}`));
  if (call.end_ns === null)
    return note('It has not ended, so it is not compared.');
  const part = found.is_whole ? '' : ` between ${timeLabel(found.from_ns, 1e3, Math.max(found.to_ns, 1))} and ${timeLabel(found.to_ns, 1e3, Math.max(found.to_ns, 1))}`;
  const calls = `${counted(found.calls, 'call')} of ${session.name(call.function)}${part}`, total = call.end_ns - call.begin_ns;
  if (found.calls_needed)
    return note(`There ${found.calls === 1 ? 'is' : 'are'} only ${calls}: too few to compare. It takes ${found.calls_needed}.`);
  const ordinary = `the middle half of ${calls} takes ${duration(found.ordinary_from_ns)} to ${duration(found.ordinary_to_ns)}`;
  if (total < found.ordinary_from_ns)
    return note(`It is faster than ordinary calls: ${ordinary}.`);
  if (total <= found.ordinary_to_ns)
    return note(`It is an ordinary call: ${ordinary}.`);
  if (!found.is_slow)
    return note(total >= found.slow_from_ns && found.slow_calls ? 'It is not compared: it is inside another call of its function, or its begin was lost.' :
      `It is slower than ordinary calls, but not among the slow ones: ${found.slower_calls} took longer; ${ordinary}.`);
  // Of a factor that other slow calls have, this one may have nothing.
  const rows = found.factors.filter(({kind, of_call_ns}) => kind === 'unexplained' || Math.abs(of_call_ns) >= 1).map((factor) => {
    const row = make('li', 'item'), isRest = factor.kind === 'unexplained', text = make('span', 'name', isRest ? 'not explained' : factor.what);
    if (factor.sure === 'likely')
      text.append(make('span', 'faint', ' (likely)'));
    row.append(make('span', 'length', duration(factor.of_call_ns)), make('span', 'share', percent(factor.of_call_ns, found.extra_ns)),
      amount(factor.of_call_ns / Math.max(found.extra_ns, 1), factor.kind), text);
    if (!isRest)
      text.append(make('span', 'faint', ` — ${(100 * factor.of_slow).toFixed()} % of the slow calls, ${(100 * factor.of_ordinary).toFixed()} % of the ordinary ones`));
    if (factor.how)
      text.append(make('span', 'faint', `: ${factor.how}`));
    row.title = isRest ? factor.how : `chance alone gives this with a probability of ${factor.p_value}`;
    return row;
  });
  const intro = `${duration(found.extra_ns)} more than the mean of the ordinary calls, ${duration(found.ordinary_mean_ns)}; ` +
    `one of ${counted(found.slow_calls, 'slow call')} of ${calls}.` +
    (found.verdict === 'too few calls' ? ' These are too few to tell what sets them apart.' :
      found.verdict === 'nothing' ? ' Nothing sets these apart: they are the tail of the others, were interrupted, or what they have in common was not recorded.' : '');
  return [make('p', 'caption', intro), make('ul', 'found', ...rows)];
}
