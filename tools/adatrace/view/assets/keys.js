// Handles keys, with one table for both the actions and the help.
// @ts-check
import {followLongest} from './arrows.js';
import {element, make} from './dom.js';
import {isSame} from './panel_compare.js';
import {isWalking, walk} from './walk.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {{keys: string[], shown: string, text: string, act: (event: KeyboardEvent) => void}} Key */

/**
 * @param {App} app
 * @param {{panel: (number: number) => void, search: () => void, hit: (step: 1 | -1) => void, theme: () => void, dock: () => void}} page
 * @returns {[title: string, keys: Key[]][]}
 */
function table(app, page) {
  const pane = () => app.active || app.panes[0];
  const zoom = (/** @type {number} */ factor) => {
    app.stopFollowing();
    const {axis} = pane(), [from, to] = axis.goal, middle = zoomPoint(app), span = Math.max((to - from) * factor, 10) / (to - from);
    axis.glide(middle - (middle - from) * span, middle + (to - middle) * span);
  };
  const pan = (/** @type {number} */ part) => {
    app.stopFollowing();
    const {axis} = pane(), [from, to] = axis.goal;
    axis.glide(from + (to - from) * part, to + (to - from) * part);
  };
  const row = (/** @type {1 | -1} */ step) => {
    const {rows} = pane(), at = rows.shown.findIndex(({key}) => key === pane().row?.key), next = rows.shown[at + step];
    if (next)
      pane().activate(next);
  };
  const moveRow = (/** @type {1 | -1} */ step) => {
    const {rows, row: moved} = pane();
    if (moved)
      pane().changeRows(() => rows.step(moved, step));
    if (pane().row)
      pane().activate(/** @type {import('./rows.js').Row} */ (pane().row));
  };
  const onRow = (/** @type {(row: import('./rows.js').Row) => void} */ act) => () => pane().row && act(/** @type {import('./rows.js').Row} */ (pane().row));
  const key = (/** @type {string} */ keys, /** @type {string} */ shown, /** @type {string} */ text, /** @type {(event: KeyboardEvent) => void} */ act) =>
    ({keys: keys.split(' '), shown, text, act});
  return [
    ['Time', [
      key('w + =', 'w, +', 'zoom in', () => zoom(0.6)),
      key('s -', 's, -', 'zoom out', () => zoom(1 / 0.6)),
      key('a', 'a', 'go left', () => pan(-0.25)),
      key('d', 'd', 'go right', () => pan(0.25)),
      key('0 Home', '0, Home', 'the whole session', () => pane().axis.jump(0, pane().axis.limit)),
      key('z Enter', 'z, Enter', 'zoom to the chosen call or range', () => zoomToChosen(app)),
      key('Backspace', 'Backspace', 'back to the previous view', () => pane().axis.back()),
      key('m', 'm', 'choose the range of the call', () => {
        if (app.selected)
          app.setRange(app.selected.pane, app.selected.call.begin_ns, app.selected.call.end_ns ?? app.selected.pane.session.duration);
      }),
      key('v', 'v', 'choose the visible range', () => app.setRange(pane(), pane().axis.from, pane().axis.to)),
      key('l', 'l', 'follow a session that is still being recorded', () => app.setFollowing(!app.isFollowing)),
    ]],
    ['Calls', [
      key('ArrowRight', '→', 'next call at this depth', () => walk(app, 'next')),
      key('ArrowLeft', '←', 'previous call at this depth', () => walk(app, 'previous')),
      key('ArrowUp', '↑', 'its caller', () => walk(app, 'parent')),
      key('ArrowDown', '↓', 'the first call that it made', () => walk(app, 'first_child')),
      key('Shift+ArrowRight .', 'Shift →, .', 'next call of the same function', () => walk(app, 'next_same')),
      key('Shift+ArrowLeft ,', 'Shift ←, ,', 'previous call of the same function', () => walk(app, 'previous_same')),
      key('h', 'h', 'who it waited for: what held the lock, or woke it', () => followLongest(app)),
      key('H', 'H', 'back to the call that you came from', () => app.goBack()),
      key('M', 'M', 'mark the call to compare another one with it, or unmark it', () => {
        const {selected, marked} = app;
        app.mark(marked && selected && isSame(marked, selected) ? null : selected);
      }),
      key('f', 'f', 'highlight all calls of this function, or none', () => {
        const {selected, chosen} = app;
        if (chosen)
          app.choose(chosen.pane, -1);
        else if (selected)
          app.choose(selected.pane, selected.call.function);
      }),
      key('Escape', 'Escape', 'clear the choice: first the range, then the function, then the call', () => {
        if (app.range)
          app.clearRange();
        else if (app.chosen)
          app.choose(app.chosen.pane, -1);
        else
          app.select(null);
      }),
    ]],
    ['Rows', [
      key('j', 'j', 'next row', () => row(1)),
      key('k', 'k', 'previous row', () => row(-1)),
      key('J', 'J', 'move the row down', () => moveRow(1)),
      key('K', 'K', 'move the row up', () => moveRow(-1)),
      key('x', 'x', 'hide the row', onRow((row) => pane().hide(row))),
      key('X', 'X', 'show all hidden rows', () => pane().show()),
      key('c', 'c', 'thin levels without names, or back', onRow((row) => pane().shrink([row]))),
      key('C', 'C', 'the same for all rows', () => pane().shrink(pane().rows.shown)),
      key('g', 'g', 'all levels of the row, if it has many', onRow((row) => pane().stretch(row))),
      key('e', 'e', 'close or open the process', onRow((row) => pane().close(row))),
    ]],
    ['Page', [
      key('/', '/', 'search', () => page.search()),
      key('n', 'n', 'next search result', () => page.hit(1)),
      key('N', 'N', 'previous search result', () => page.hit(-1)),
      key('F', 'F', 'findings', () => page.panel(0)),
      key('1 2 3 4 5 6 7 8 9', '1 … 9', 'call, statistics, flame graph, sandwich, histogram, search, compare, processors, source', (event) => page.panel(Number(event.key))),
      key('P', 'P', 'processes', () => page.panel(10)),
      key('b', 'b', 'hide or show the panels', () => page.dock()),
      key('o', 'o', 'two sessions: a common time axis, or one for each', () => app.setCommon(!app.isCommon)),
      key('p', 'p', 'the other session', () => {
        const next = app.panes[(app.panes.indexOf(pane()) + 1) % app.panes.length];
        app.activate(next);
        next.canvas.focus();
      }),
      key('t', 't', 'dark or light', () => page.theme()),
      key('?', '?', 'these keys', () => element('keys', HTMLDialogElement).showModal()),
    ]],
  ];
}

/** The time around which keys zoom: the chosen call if it is visible, otherwise the middle. @param {App} app */
function zoomPoint(app) {
  const {axis} = app.active || app.panes[0], [from, to] = axis.goal, call = app.selected?.pane === app.active ? app.selected?.call : undefined;
  const middle = call ? (Math.max(call.begin_ns, from) + Math.min(call.end_ns ?? to, to)) / 2 : (from + to) / 2;
  return call && (call.begin_ns > to || (call.end_ns ?? to) < from) ? (from + to) / 2 : middle;
}
/** @param {App} app */
function zoomToChosen(app) {
  const {selected, range} = app;
  if (range && !selected)
    range.pane.axis.jump(range.from, range.to);
  else if (selected) {
    const {call, pane} = selected, end = call.end_ns ?? pane.session.duration, edge = Math.max((end - call.begin_ns) * 0.05, 1);
    pane.axis.jump(call.begin_ns - edge, end + edge);
  }
}

/** @param {App} app @param {Parameters<typeof table>[1]} page */
export function listenToKeys(app, page) {
  const groups = table(app, page), list = element('keys-list', HTMLElement);
  /** @type {Map<string, Key>} */
  const byKey = new Map();
  for (const [title, keys] of groups) {
    const lines = keys.map((key) => make('div', '', make('dt', '', key.shown), make('dd', '', key.text)));
    list.append(make('section', '', make('h3', '', title), make('dl', '', ...lines)));
    for (const key of keys)
      for (const name of key.keys)
        byKey.set(name, key);
  }
  document.addEventListener('keydown', (event) => {
    const {target} = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || document.querySelector('dialog[open]'))
      return;
    if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) {
      if (event.key === 'Escape')
        (app.active || app.panes[0]).canvas.focus();
      return;
    }
    // A focused element keeps its own keys: Enter presses buttons.
    if (event.key === 'Enter' && target instanceof HTMLButtonElement)
      return;
    const name = event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key;
    const isList = target instanceof Element && target.classList.contains('labels');
    const key = isList && event.key === 'ArrowDown' ? byKey.get('j') : isList && event.key === 'ArrowUp' ? byKey.get('k') : byKey.get(name);
    if (!key || !app.panes.length || (event.repeat && isWalking()))
      return;
    event.preventDefault();
    key.act(event);
  });
}
