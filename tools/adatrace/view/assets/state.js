// Stores the view in the part of the address after '#', so that a link restores it.
// @ts-check
import {getCall} from './api.js';
import {rangesIn, rangesText} from './numbers.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./panel_search.js').Question} Question */
/** @typedef {import('./dock.js').Dock} Dock */
/** @typedef {import('./panel_search.js').SearchPanel} SearchPanel */

/** @param {App} app @param {Dock} dock @param {SearchPanel} search */
export function stateText(app, dock, search) {
  const state = new URLSearchParams();
  const time = (/** @type {number} */ value) => String(Math.round(value * 100) / 100);
  for (const pane of app.isCommon ? app.panes.slice(0, 1) : app.panes) {
    const [from, to] = pane.axis.goal;
    state.set(app.isCommon ? 'time' : `time${pane.session.id}`, `${time(from)}~${time(to)}`);
  }
  if (!app.isCommon)
    state.set('axis', 'own');
  const {pending, selected} = app;
  if (pending && 'seq' in pending.which)
    state.set('call', `${pending.pane.session.id}.${pending.thread}.${pending.which.seq}`);
  else if (selected)
    state.set('call', `${selected.pane.session.id}.${selected.call.thread}.${selected.call.seq}`);
  if (app.marked)
    state.set('mark', `${app.marked.pane.session.id}.${app.marked.call.thread}.${app.marked.call.seq}`);
  if (app.range)
    state.set('range', `${app.range.pane.session.id}.${app.range.from}~${app.range.to}`);
  if (app.chosen)
    state.set('function', `${app.chosen.pane.session.id}.${app.chosen.pane.session.name(app.chosen.function)}`);
  if (app.active && app.active !== app.panes[0])
    state.set('session', String(app.active.session.id));
  for (const {session, rows} of app.panes) {
    for (const [name, list] of /** @type {[string, Set<number>][]} */ ([['hide', rows.hidden], ['thin', rows.small], ['tall', rows.tall], ['closed', rows.closed]]))
      if (list.size)
        state.set(`${name}${session.id}`, rangesText(list, '.'));
    if (rows.isMoved)
      state.set(`order${session.id}`, rows.order.join('.'));
  }
  if (dock.current)
    state.set('panel', dock.panels[dock.current].id);
  if (!dock.isOpen)
    state.set('panels', 'closed');
  if (search.asked)
    for (const [name, value] of Object.entries(search.asked))
      if (value)
        state.set(`find-${name}`, value);
  if (app.isFollowing)
    state.set('follow', '1');
  // A tilde needs no escape in that part of an address.
  return state.toString().replaceAll('%7E', '~');
}

/** @param {string} text @returns {number[]} */
const numbers = (text) => text.split(/[.~]/).filter(Boolean).map(Number).filter(Number.isFinite);
/** @param {string | null} text @returns {[number, number] | null} */
function rangeIn(text) {
  const parts = (text ?? '').split('~').map(Number);
  return parts.length === 2 && parts.every(Number.isFinite) && parts[1] > parts[0] ? [parts[0], parts[1]] : null;
}

/** Restores the view from an address; invalid parts change nothing. @param {string} text @param {App} app @param {Dock} dock @param {SearchPanel} search */
export function restore(text, app, dock, search) {
  const state = new URLSearchParams(text), paneOf = (/** @type {number} */ id) => app.panes.find((pane) => pane.session.id === id);
  if ((state.get('axis') === 'own') === app.isCommon)
    app.setCommon(!app.isCommon);
  for (const pane of app.panes) {
    const {rows, session} = pane, {id} = session;
    const set = (/** @type {string} */ name) => rangesIn(state.get(`${name}${id}`) ?? '', '.');
    pane.changeRows(() => {
      [rows.hidden, rows.small, rows.tall, rows.closed] = [set('hide'), set('thin'), set('tall'), set('closed')];
      const order = state.get(`order${id}`);
      if (order) {
        rows.order = order.split('.').filter((key) => /^[pt]\d+$/.test(key));
        rows.isMoved = true;
      }
    });
    const time = rangeIn(state.get(app.isCommon ? 'time' : `time${id}`));
    if (time)
      pane.axis.set(...time);
  }
  const active = paneOf(Number(state.get('session') ?? NaN));
  if (active)
    app.activate(active);
  const range = /^(\d+)\.(.*)$/.exec(state.get('range') ?? ''), rangePane = range && paneOf(Number(range[1])), times = range && rangeIn(range[2]);
  if (rangePane && times)
    app.setRange(rangePane, ...times);
  else if (app.range)
    app.clearRange();
  // By name, because the numbers of functions differ from run to run.
  const chosen = /^(\d+)\.(.*)$/s.exec(state.get('function') ?? ''), chosenPane = chosen && paneOf(Number(chosen[1]));
  app.choose(app.panes[0], -1);
  if (chosenPane)
    app.chooseName(chosenPane, chosen[2]);
  const panel = dock.panels.findIndex((other) => other.id === state.get('panel'));
  dock.choose(Math.max(panel, 0));
  if (state.get('panels') === 'closed')
    dock.setOpen(false);
  const call = numbers(state.get('call') ?? ''), callPane = paneOf(call[0]);
  if (callPane && call.length === 3)
    void app.selectCall(callPane, call[1], {seq: call[2]}, false);
  else
    app.select(null);
  const mark = numbers(state.get('mark') ?? ''), markPane = paneOf(mark[0]);
  if (markPane && mark.length === 3)
    void getCall(markPane.session.id, mark[1], {seq: mark[2]}).then((call) => app.mark({pane: markPane, call}), (error) => app.fail(error));
  else
    app.mark(null);
  /** @type {Record<string, string>} */
  const question = {};
  for (const [name, value] of state)
    if (name.startsWith('find-'))
      question[name.slice(5)] = value;
  if (Object.keys(question).length)
    void search.ask(question);
  if (state.get('follow'))
    app.setFollowing(true);
}
