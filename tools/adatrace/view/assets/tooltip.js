// Shows the call under the mouse beside the mouse; arguments appear when the mouse rests for a moment.
// @ts-check
import {getCall} from './api.js';
import {debounce, element, make} from './dom.js';
import {isCall, KIND, whichCall} from './draw.js';
import {counted, duration, NOT_RETURNED, offCpu, percent} from './numbers.js';
import {STATES, stateOf} from './thread_states.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./api.js').Call} Call */

const WAIT_MS = 120, MOST_KEPT = 300;

/**
 * Describes what was lost in a gap.
 * @param {import('./pictures.js').Picture} picture @param {number} gap
 */
function lostIn(picture, gap) {
  const count = picture.calls[gap];
  return count > 0 ? `${counted(count, 'event')} ${count === 1 ? 'was' : 'were'} lost here` : 'events were lost here';
}

/** @param {App} app */
export function startTooltip(app) {
  const tip = element('tip', HTMLElement);
  /** @type {Map<string, Call>} */
  const kept = new Map();
  let shown = '';
  const which = () => app.hover && whichCall(app.hover.hit, app.hover.pane.axis.time(app.hover.x - app.hover.pane.canvas.getBoundingClientRect().left, app.hover.pane.width));
  const keyOf = () => {
    const {hover} = app, {picture, item, row} = hover?.hit ?? {};
    if (!hover || !picture || item === undefined || !row || !which())
      return '';
    return [hover.pane.session.id, row.thread, picture.seq[item] >= 0 ? picture.seq[item] : `${picture.depth[item]} ${picture.begin[item]}`].join(' ');
  };
  const ask = debounce(WAIT_MS, async () => {
    const {hover} = app, key = keyOf(), wanted = which();
    if (!hover || !wanted || kept.has(key))
      return;
    try {
      const call = await getCall(hover.pane.session.id, hover.hit.row.thread, wanted);
      if (kept.size >= MOST_KEPT)
        kept.clear();
      if (call.end_ns !== null)
        kept.set(key, call);
      if (keyOf() === key)
        fill(call);
    } catch (error) {
      app.fail(error);
    }
  });

  /** @param {Call} [call] */
  function fill(call) {
    const {hover} = app;
    if (!hover)
      return;
    const {picture, item} = hover.hit, {session} = hover.pane, kind = picture.kind[item];
    const length = picture.end[item] - picture.begin[item], name = session.name(picture.function[item]);
    const lines = [];
    if (kind === KIND.gap)
      lines.push(make('b', '', `gap: ${lostIn(picture, item)}`), duration(length));
    else if (!isCall(kind))
      lines.push(make('b', '', STATES[stateOf(picture, item, session)]), picture.calls[item] > 1
        ? `${counted(picture.calls[item], 'time')}, ${duration(picture.fill[item])} of ${duration(length)}` : duration(length));
    else if (kind === KIND.box && picture.calls[item] > 1)
      lines.push(make('b', '', name), `${counted(picture.calls[item], 'short call')}, most of their time in this function`,
        `they fill ${duration(picture.fill[item])} of ${duration(length)} (${percent(picture.fill[item], length)})`);
    else {
      lines.push(make('b', '', name));
      const isOpen = call ? call.end_ns === null : kind === KIND.open && picture.isExact;
      const how = call ? call.end : kind === KIND.exception ? 'exception' : kind === KIND.inferred ? 'inferred' : kind === KIND.missing ? 'missing' : 'return';
      const end = isOpen ? ', still open' : how in NOT_RETURNED ? `, ${NOT_RETURNED[how]}` : '';
      lines.push((call ? call.end_ns === null ? 'open' : duration(call.end_ns - call.begin_ns) : duration(length)) +
        (call && call.self_ns !== null ? `, self ${duration(call.self_ns)}` : '') + end);
      if (call && offCpu(call))
        lines.push(offCpu(call));
      if (call?.args)
        lines.push(make('span', 'code', call.args));
      if (call?.result)
        lines.push(make('span', 'code', `= ${call.result}`));
      if (session.place(picture.function[item]))
        lines.push(make('span', 'faint', session.place(picture.function[item])));
    }
    if (isCall(kind) && hover.hit.gap >= 0)
      lines.push(make('span', 'bad', lostIn(picture, hover.hit.gap)));
    tip.replaceChildren(...lines.map((line) => make('div', '', line)));
    place();
  }
  function place() {
    const {hover} = app;
    if (!hover)
      return;
    const {offsetWidth: width, offsetHeight: height} = tip;
    tip.style.left = `${Math.max(4, Math.min(hover.x + 14, window.innerWidth - width - 6))}px`;
    tip.style.top = `${hover.y + 18 + height > window.innerHeight ? Math.max(hover.y - height - 10, 4) : hover.y + 18}px`;
  }
  app.onChange((what) => {
    if (what !== 'hover')
      return;
    tip.hidden = !app.hover;
    const key = app.hover ? keyOf() || `${app.hover.hit.picture.from} ${app.hover.hit.item}` : '';
    if (app.hover && key !== shown) {
      fill(kept.get(key));
      ask();
    } else
      place();
    shown = key;
  });
}
