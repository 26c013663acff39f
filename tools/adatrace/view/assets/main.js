// The viewer's page: connects its parts, and keeps up with sessions that grow.
// @ts-check
import {getSessions, globOf, isAsking, isPartial} from './api.js';
import {App} from './app.js';
import {Dock} from './dock.js';
import {debounce, element, isDelayed} from './dom.js';
import {listenToKeys} from './keys.js';
import {listenToMouse} from './mouse.js';
import {duration} from './numbers.js';
import {CallPanel} from './panel_call.js';
import {ComparePanel} from './panel_compare.js';
import {FindingsPanel} from './panel_findings.js';
import {FlamePanel, SandwichPanel} from './panel_flame.js';
import {HistogramPanel} from './panel_histogram.js';
import {ProcessesPanel} from './panel_processes.js';
import {ProcessorsPanel} from './panel_processors.js';
import {SearchPanel} from './panel_search.js';
import {SourcePanel} from './panel_source.js';
import {StatisticsPanel} from './panel_statistics.js';
import {Session} from './session.js';
import {restore, stateText} from './state.js';
import {colours, startTheme} from './theme.js';
import {drawLegend} from './thread_states.js';
import {startTooltip} from './tooltip.js';

/** From this number of processes on, the page begins with their chart. */
const MANY_PROCESSES = 20;
/** How often to ask for news: while a session grows or its index is built, otherwise, and after a failure. */
const POLL_MS = 1000, REST_MS = 5000, RETRY_MS = 3000;

const app = new App();
const search = new SearchPanel(app);
/** @param {import('./pane.js').Pane} pane @param {string} name @param {number} minimum */
function searchSlowest(pane, name, minimum) {
  app.activate(pane);
  dock.choose(dock.panels.indexOf(search));
  void search.ask({function: globOf(name), order: 'slowest', longer: minimum ? `${minimum}ns` : ''});
}
const compare = new ComparePanel(app);
const findings = new FindingsPanel(app), callPanel = new CallPanel(app);
// Keys name panels by their places: see keys.js.
const dock = new Dock([findings, callPanel, new StatisticsPanel(app, (pane, name) => searchSlowest(pane, name, 0)), new FlamePanel(app),
  new SandwichPanel(app), new HistogramPanel(app, searchSlowest), search, compare, new ProcessorsPanel(app), new SourcePanel(app),
  new ProcessesPanel(app)], () => app.changed('panel'));
app.compare = () => dock.choose(dock.panels.indexOf(compare));

//===--- keeping up ----------------------------------------------------------===//

/** @type {Session[]} */
let sessions = [];

async function load() {
  const answer = await getSessions(location.hash.length > 1); // the address may name any thread
  let known = 0;
  const listener = {
    arrived: () => {
      app.succeed();
      app.invalidate();
      const names = sessions.reduce((sum, session) => sum + session.names, 0);
      if (names !== known) {
        known = names;
        app.namesChanged();
      }
    },
    failed: (/** @type {string} */ text) => app.fail(text),
  };
  sessions = answer.sessions.map((info) => new Session(info, listener));
  if (!sessions.length)
    throw new Error('The server has no session.');
  app.makePanes(sessions);
  await Promise.all(sessions.map((session) => session.fetchFunctions()));
  for (const pane of app.panes)
    listenToMouse(pane);
  document.title = `${sessions.map((session) => session.info.name).join(', ')} — AdaTrace`;
  element('axis', HTMLElement).hidden = sessions.length < 2;
  const state = location.hash.slice(1);
  if (state)
    restore(state, app, dock, search);
  else if (sessions.some((session) => session.info.is_live))
    app.setFollowing(true);
  if (!state && sessions.some((session) => session.info.process_count >= MANY_PROCESSES))
    dock.choose(dock.panels.findIndex((panel) => panel.id === 'processes'));
  (app.active || app.panes[0]).canvas.focus();
  app.onChange((what) => what !== 'hover' && saveState());
  app.namesChanged();
  if (sessions.some(({info}) => isPartial(info)))
    await update();
  else
    poll();
}

const isGrowing = () => sessions.some(({info}) => info.is_live || info.index.state === 'building');

function poll() {
  element('follow', HTMLElement).hidden = !sessions.some(({info}) => info.is_live);
  window.setTimeout(() => (document.hidden ? poll() : update()), isGrowing() ? POLL_MS : REST_MS);
}
async function update() {
  try {
    const answer = await getSessions(true);
    for (const session of sessions) {
      const info = answer.sessions.find(({id}) => id === session.id);
      if (info)
        session.update(info);
    }
    app.fitAxes();
    for (const pane of app.panes) {
      pane.rows.layOut(pane.session.info);
      pane.row = pane.rows.shown.find((row) => row.key === pane.row?.key) || pane.rows.shown.find((row) => row.thread >= 0) || null;
      pane.drawHeading();
      pane.invalidate();
    }
    app.succeed();
    app.namesChanged();
    poll();
  } catch (error) {
    app.fail(error);
    window.setTimeout(update, RETRY_MS);
  }
}

//===--- the address ---------------------------------------------------------===//

let saved = '';
const saveState = debounce(250, () => {
  saved = stateText(app, dock, search);
  if (saved !== location.hash.slice(1))
    history.replaceState(null, '', `#${saved}`);
});
// The user entered another link in the address bar, or went back to one.
window.addEventListener('hashchange', () => {
  if (location.hash.slice(1) !== saved)
    restore(location.hash.slice(1), app, dock, search);
});

//===--- header and status ---------------------------------------------------===//

const showLegend = () => drawLegend(element('legend', HTMLElement), sessions.some(({info}) => info.threads.some((thread) => thread.knows_sched)), colours());
const toggleTheme = startTheme(() => {
  showLegend();
  app.invalidate();
  app.changed('theme');
  search.draw();
});
const showSearch = () => {
  dock.choose(dock.panels.indexOf(search));
  search.function.focus();
  search.function.select();
};
element('theme', HTMLButtonElement).addEventListener('click', toggleTheme);
element('help', HTMLButtonElement).addEventListener('click', () => element('keys', HTMLDialogElement).showModal());
element('find', HTMLButtonElement).addEventListener('click', showSearch);
element('follow', HTMLButtonElement).addEventListener('click', () => app.setFollowing(!app.isFollowing));
element('axis', HTMLButtonElement).addEventListener('click', () => app.setCommon(!app.isCommon));
listenToKeys(app, {
  panel: (number) => dock.choose(number),
  search: showSearch,
  hit: (step) => search.step(step),
  theme: toggleTheme,
  dock: () => {
    dock.setOpen(!dock.isOpen);
    app.changed('panel');
  },
});
startTooltip(app);

app.onChange((what) => {
  if (what === 'names' && element('legend', HTMLElement).hidden)
    showLegend();
  if (what === 'view' || what === 'range' || what === 'axis' || what === 'pane') {
    const pane = app.active || app.panes[0];
    if (pane)
      element('visible', HTMLElement).textContent = `${duration(pane.axis.span)} visible`;
  }
  if (what === 'selected') {
    const {selected} = app;
    // Whoever chooses a call wants to see what is known about it, unless a finding led there.
    if (selected && dock.isOpen && dock.panels[dock.current] === findings && !findings.isGoing)
      dock.choose(dock.panels.indexOf(callPanel));
    element('said', HTMLElement).textContent = selected ? `${selected.pane.session.name(selected.call.function)}, ` +
      `${selected.call.end_ns === null ? 'open' : duration(selected.call.end_ns - selected.call.begin_ns)}, depth ${selected.call.depth}` : '';
  }
  if (what === 'follow')
    element('follow', HTMLElement).setAttribute('aria-pressed', String(app.isFollowing));
  if (what === 'axis')
    element('axis', HTMLElement).textContent = app.isCommon ? 'common axis' : 'own axes';
});
element('keys', HTMLDialogElement).addEventListener('keydown', (event) => {
  if (event.key === '?') {
    event.preventDefault();
    element('keys', HTMLDialogElement).close();
  }
});

// For tests, measurements and the browser's console.
Object.assign(window, {adatrace: app, adatraceIsBusy: () => isDelayed() || isAsking(),
  adatracePanels: Object.fromEntries(dock.panels.map((panel) => [panel.id, panel]))});

load().catch((error) => app.fail(error));
