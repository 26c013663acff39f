// Opens the viewer in Chromium and uses it like a person. Usage: view_page.mjs SESSION[,SESSION] STEP...
//
// Starts `adatrace view` for the sessions and prints what the page shows, one line per fact. Places are
// THREAD:DEPTH:TIME (the number of a row's thread, a level, nanoseconds; PANE/ before it names a session other than the
// first). Steps that show: `title`, `rows`, `time`, `items` (what is drawn wide enough for a name), `tip`, `call`,
// `reasons`, `arrows`, `findings`, `compared`, `processors`, `processes`, `annotated`, `source`, `statistics`, `flame`, `callers`, `callees`, `histogram`, `found`, `caption`, `tab`, `error`,
// `theme`, `focus`, `current` (row), `hash`, `elements`, `range`, `heading`, `help`, `grows`, `pixel=PLACE`, `look=PLACE` (of a call: whether it
// is full or hollow, with lines or without; and of the strip above it), `colour=NAME` (of a bar in a panel), `legend`, `cut` (texts that
// have no room), `axe` (what axe-core finds);
// steps that act: `key=KEY`, `keys=KEY,KEY` (does not wait in between), `hover=PLACE`, `click=PLACE`, `shift-click=PLACE`, `dblclick=PLACE`, `drag=PLACE,PLACE`, `shift-drag=…`,
// `ruler=TIME,TIME`, `wheel=PLACE,DELTA[,TIMES]`, `type=FIELD,TEXT`, `press=TEXT` (a button), `sort=COLUMN`,
// `move=ROW,ROW` (drags names), `part=TEXT` (of a call's time), `finding=N` (clicks on it), `focus-finding=N`, `pick=FILE` (of the panel Source), `reload`, `mark=GAP,WAIT` (ranges of time),
// `resize=WIDTH`, `shot=FILE`, `slow=MS` (each answer from now on comes so much later), `stop` (the server).
// A request to any place other than the server, and any error of the page, fails the test.
import {spawn} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {setTimeout} from 'node:timers/promises';
import {openPage} from './browser.mjs';

const [sessions, ...steps] = process.argv.slice(2);
const server = spawn('adatrace', ['view', '--no-browser', ...sessions.split(',')], {stdio: ['ignore', 'pipe', 'inherit']});
const address = await new Promise((resolve) => {
  server.stdout.once('data', (text) => resolve(String(text).split('\n')[0]));
  server.once('exit', (status) => resolve(`no address, status ${status}`));
});
const {browser, page} = await openPage({reducedMotion: 'reduce'});
const faults = [];
let mayFail = false;
page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
page.on('console', (message) => message.type() === 'error' && !mayFail && faults.push(`console: ${message.text()}`));
page.on('dialog', (dialog) => faults.push(`a script ran: ${dialog.message()}`) && dialog.dismiss());
page.on('request', (request) => new URL(request.url()).origin !== new URL(address).origin && faults.push(`request: ${request.url()}`));

/** Until nothing is being requested, drawn or waited for; without a server, not everything can be drawn. */
async function settle() {
  for (let quiet = 0, rounds = 0; quiet < 3 && rounds < 1000; ++rounds) {
    await page.waitForTimeout(20);
    const isBusy = await page.evaluate((isGone) => window.adatraceIsBusy() || (!isGone && (!window.adatrace.panes.length ||
      document.querySelector('[aria-busy]:not(.findings)') !== null || window.adatrace.panes.some((pane) => pane.isDirty || pane.session.pictures.isBusy))), mayFail);
    quiet = isBusy ? 0 : quiet + 1;
  }
}
/** Until the search for findings is done, which goes on in the background. On a busy machine, it takes long. */
const searched = () => page.waitForFunction(() => document.querySelector('.findings[aria-busy]') === null, undefined, {timeout: 240000});
/** A finding, by its number. */
const findingAt = async (number) => (await searched(), page.locator('.findings .found .item').nth(Number(number)));
/** The position of a call on the screen. */
async function place(text) {
  const [pane, rest] = text.includes('/') ? [Number(text.split('/')[0]), text.split('/')[1]] : [0, text];
  const [thread, depth, time] = rest.split(':').map(Number);
  const at = await page.evaluate(([pane, thread, depth, time]) => {
    const shown = window.adatrace.panes[pane], row = shown.rows.ofThread(thread), box = shown.canvas.getBoundingClientRect();
    return row && {x: box.left + shown.axis.x(time, shown.width), y: box.top + 34 + row.y - shown.body.scrollTop + shown.rows.top + (depth + 0.5) * row.level};
  }, [pane, thread, depth, time]);
  if (!at)
    throw new Error(`no place ${text}`);
  return at;
}
const texts = async (selector, prefix) => (await page.locator(selector).evaluateAll((found) => found.map((one) =>
  one.innerText.replace(/\s+/g, ' ').trim()))).map((text) => `${prefix}: ${text}`).join('\n');
const bars = async (part, prefix) => (await page.locator(`${part} .bar`).evaluateAll((bars) => bars.map((bar) =>
  `${Math.round(parseFloat(bar.style.top) / 18)} ${bar.getAttribute('aria-label')} ${(100 * bar.offsetWidth / bar.parentElement.offsetWidth).toFixed(0)}%`)))
  .map((text) => `${prefix} ${text}`).join('\n');

const shows = {
  title: async () => `title: ${await page.title()}`,
  heading: () => texts('.pane-heading', 'heading'),
  rows: async () => (await texts('.label', 'row')).replaceAll(' ×', ''),
  time: async () => (await page.evaluate(() => window.adatrace.panes.map(({axis}) => `${axis.from.toFixed(0)} to ${axis.to.toFixed(0)}`)))
    .map((text) => `time: ${text}`).join('\n'),
  items: async () => (await page.evaluate(() => window.adatrace.panes.flatMap((pane) => pane.visibleRows().flatMap((row) => {
    const layers = pane.session.pictures.layers(row.thread, pane.axis.from, pane.axis.to, pane.width);
    return layers.flatMap((picture) => [...picture.begin.keys()].filter((i) => picture.begin[i] < pane.axis.to && picture.end[i] > pane.axis.from &&
      (picture.end[i] - picture.begin[i]) / pane.axis.span * pane.width > 20).map((i) => ({picture, i})).sort((a, b) =>
      a.picture.begin[a.i] - b.picture.begin[b.i] || a.picture.depth[a.i] - b.picture.depth[b.i]).map(({i}) => {
      const kind = ['call', 'box', 'open', 'exception', 'gap', 'waiting', 'preempted'][picture.kind[i]];
      return `${row.thread}:${picture.depth[i]} ${kind} ${pane.session.name(picture.function[i])} ${picture.begin[i]} ${picture.end[i]}`;
    }));
  })))).map((text) => `item ${text}`).join('\n'),
  tip: async () => `tip: ${(await page.locator('#tip div').allInnerTexts()).join(' | ')}`,
  call: async () => [`call: ${await page.locator('.panel.call h3').textContent()}`,
    ...(await page.locator('.panel.call dl.facts > div').evaluateAll((facts) => facts.map((fact) => [...fact.children].map((part) =>
      part.textContent).join(': '))))].join('\n  '),
  reasons: async () => [await texts('.reasons .parts .item', 'part'), await texts('.reasons .factors .item', 'factor'),
    await texts('.reasons .caption', 'note')].filter(Boolean).join('\n'),
  arrows: async () => (await page.evaluate(async () => (await import('./arrows.js')).arrowsOf(window.adatrace.panes[0]).map(({thread, wait, from, to}) =>
    `${wait.kind} ${thread} ${wait.from_ns} to ${wait.to_ns}, ${wait.woken_ns === null ? 'held by' : `woken at ${wait.woken_ns} by`} ${wait.thread}, drawn ${
      from.y < to.y ? 'down' : 'up'}`))).map((text) => `arrow: ${text}`).join('\n'),
  compared: async () => (await page.locator('.compare tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.innerText).join(' | '))))
    .map((text) => `row: ${text}`).join('\n'),
  processors: async () => (await page.evaluate(() => {
    const panel = window.adatracePanels.processors;
    return (panel.shown?.answer.processors ?? []).flatMap(({processor, begin, end, thread, count, fill}) => begin.map((from, i) =>
      `processor ${processor}: ${panel.named(thread[i])} ${from} to ${end[i]}${count[i] > 1 ? `, ${count[i]} runs, ${fill[i]}` : ''}`));
  })).concat(await page.locator('.processors .details').allInnerTexts()).filter(Boolean).join('\n'),
  processes: async () => (await page.locator('.processes .name').evaluateAll((names) => names.slice(0, 12).map((one) => one.innerText))).map((text, at) => `process: ${text}`)
    .concat(await page.evaluate(() => {
      const {total_rows: rows, rows: made} = window.adatracePanels.processes.shown.answer;
      return `rows: ${rows}, ${made.length} made, ${made.every(({begin, processes, count}) => begin.length <= 2 * innerWidth && processes.reduce((sum, one) => sum + one, 0) === count) ? 'all' : 'not all'} in boxes`;
    }), await page.locator('.processes .details').innerText()).filter(Boolean).join('\n'),
  annotated: async () => (await page.locator('.panel.annotate tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim()).join(' | '))))
    .map((text) => `line: ${text}`).join('\n'),
  source: () => texts('.source .line', 'line'),
  statistics: async () => (await page.locator('.statistics tbody tr').evaluateAll((rows) => rows.map((row) =>
    `figures ${[...row.cells].slice(0, -1).map((cell) => cell.dataset.value).join(' ')} ${row.dataset.function}`))).join('\n'),
  flame: () => bars('.panel.flame', 'bar'),
  callers: () => bars('.panel.sandwich .flame-chart:first-child', 'caller'),
  callees: () => bars('.panel.sandwich .flame-chart:last-child', 'callee'),
  histogram: async () => (await page.locator('.column').evaluateAll((columns) => columns.filter((column) => column.dataset.calls !== '0')
    .map((column) => column.getAttribute('aria-label')))).map((text) => `column ${text}`).join('\n'),
  found: () => texts('.panel:not(.findings) .found .item', 'found'),
  findings: async () => (await searched(), [await texts('.findings .caption', 'findings'), await texts('.findings .found li', 'finding'), await texts('.findings .missing li', 'missing')].filter(Boolean).join('\n')),
  caption: () => texts('.panel:not([hidden]) > .caption', 'caption'),
  tab: () => texts('[role=tab][aria-selected=true]', 'tab'),
  error: async () => `error: ${await page.locator('#error').textContent()}`,
  range: async () => `range: ${await page.evaluate(() => window.adatrace.range && `${window.adatrace.range.from} ${window.adatrace.range.to}`)}`,
  theme: async () => `theme: ${await page.evaluate(() => getComputedStyle(document.querySelector('#panes')).backgroundColor)}`,
  focus: async () => `focus: ${await page.evaluate(() => document.activeElement?.getAttribute('aria-label') || document.activeElement?.name || document.activeElement?.id || document.activeElement?.textContent || document.activeElement?.tagName)}`,
  current: async () => `current: ${await page.evaluate(() => window.adatrace.active.row?.key)}`,
  hash: async () => `hash: ${await page.evaluate(() => location.hash)}`,
  elements: async () => `elements: ${await page.evaluate(() => document.querySelectorAll('img, iframe, a, svg, body script').length)}`,
  grows: async () => {
    const read = () => page.evaluate(() => [window.adatrace.panes[0].axis.limit, window.adatrace.panes[0].axis.to]);
    // The server opens a session again after three times as long as it took the last time: on a busy machine, that is long.
    const [before] = await read();
    for (const end = Date.now() + 240000; Date.now() < end;) {
      const [limit, to] = await read();
      if (limit > before)
        return `grows: ${Math.abs(to - limit) < 1 ? 'its end is in view' : 'its end is out of view'}`;
      await page.waitForTimeout(100);
    }
    return 'grows: no';
  },
  cut: async () => `cut: ${await page.evaluate(() => [...document.querySelectorAll('body *')].filter((one) => {
    const text = one.textContent.trim(), box = one.getBoundingClientRect();
    if (one.childElementCount || text.length < 4 || !box.width || !one.checkVisibility() || one.closest('#said, dialog, #tip, option, select'))
      return false;
    // Tables are scrolled sideways.
    return (box.right > innerWidth + 1 && !one.closest('table')) || box.width < 24 || box.left < 0;
  }).map((one) => one.textContent.trim()).join(', ') || 'nothing')}`,
  axe: async () => {
    await page.evaluate(readFileSync(`${process.env.ADA_NODE_MODULES}/axe-core/axe.min.js`, 'utf8'));
    const {violations} = await page.evaluate(() => window.axe.run());
    return violations.flatMap(({id, nodes}) => nodes.map(({target, any, all, none}) => `axe: ${id}: ${target.join(' ')}: ${[...any, ...all, ...none][0]?.message ?? ''}`)).join('\n') || 'axe: nothing';
  },
  legend: () => texts('#legend li', 'legend'),
  help: async () => `help: ${await page.locator('#keys').evaluate((dialog) => dialog.open)}`,
};
const pixel = async (at) => {
  const {x, y} = await place(at);
  // Beside the name.
  return `pixel: ${await page.evaluate(([x, y]) => {
    const canvas = document.elementFromPoint(x, y), box = canvas.getBoundingClientRect();
    return [...canvas.getContext('2d').getImageData(x - box.left, y - box.top - 6, 1, 1).data].slice(0, 3).join(' ');
  }, [x, y])}`;
};
const look = async (text) => {
  const {x, y} = await place(text), [thread, , time] = text.split(':').map(Number);
  return `look: ${await page.evaluate(([x, y, thread, time]) => {
    const canvas = document.elementFromPoint(x, y), box = canvas.getBoundingClientRect(), context = canvas.getContext('2d');
    const paper = getComputedStyle(document.querySelector('#panes')).backgroundColor.match(/\d+/g).map(Number);
    const far = (left, top, wide, high) => {
      const {data} = context.getImageData(left, top, wide, high);
      return Array.from({length: wide * high}, (_, i) => [0, 1, 2].reduce((sum, c) => sum + Math.abs(data[4 * i + c] - paper[c]), 0));
    };
    const call = far(x - box.left - 20, y - box.top - 5, 40, 11).sort((a, b) => a - b), base = call[Math.floor(call.length / 10)];
    const pane = window.adatrace.panes[0], top = pane.rows.ofThread(thread).y - pane.body.scrollTop + 34 + 2;
    const rows = [0, 1, 2, 3, 4, 5].map((row) => far(pane.axis.x(time, pane.width) - 12, top + row, 24, 1).filter((far) => far > 80).length / 24);
    const state = rows.every((part) => part === 1) ? 'bar' : rows.every((part) => part === 0) ? 'nothing' : rows.slice(0, 4).every((part) => part === 0) ? 'line' :
      rows.every((part) => part > 0.3 && part < 0.7) ? 'strokes' : 'other';
    return `${base > 40 ? 'full' : 'hollow'}, ${call.at(-1) - call[0] > 40 ? 'lines' : 'plain'}${pane.rows.top > 2 ? `, ${state} above` : ''}`;
  }, [x, y, thread, time])}`;
};
const drag = async (from, to) => {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2);
  await page.mouse.move(to.x, to.y);
  await page.mouse.up();
};
const acts = {
  key: (key) => page.keyboard.press(key),
  keys: async (keys) => {
    for (const key of keys.split(','))
      await page.keyboard.press(key);
  },
  hover: async (at) => page.mouse.move(...Object.values(await place(at))),
  click: async (at) => page.mouse.click(...Object.values(await place(at))),
  'shift-click': async (at) => {
    await page.keyboard.down('Shift');
    await page.mouse.click(...Object.values(await place(at)));
    await page.keyboard.up('Shift');
  },
  dblclick: async (at) => page.mouse.dblclick(...Object.values(await place(at))),
  drag: async (ends) => drag(await place(ends.split(',')[0]), await place(ends.split(',')[1])),
  'shift-drag': async (ends) => {
    await page.keyboard.down('Shift');
    await drag(await place(ends.split(',')[0]), await place(ends.split(',')[1]));
    await page.keyboard.up('Shift');
  },
  ruler: async (times) => {
    const [from, to] = await page.evaluate((times) => times.map((time) => {
      const pane = window.adatrace.panes[0], box = pane.canvas.getBoundingClientRect();
      return {x: box.left + pane.axis.x(time, pane.width), y: box.top + 20};
    }), times.split(',').map(Number));
    await drag(from, to);
  },
  wheel: async (what) => {
    await page.mouse.move(...Object.values(await place(what.split(',')[0])));
    for (let count = Number(what.split(',')[2] ?? 1); count > 0; --count)
      await page.mouse.wheel(0, Number(what.split(',')[1]));
  },
  type: (what) => page.locator(`[name="${what.split(',')[0]}"]`).fill(what.slice(what.indexOf(',') + 1)),
  press: (name) => page.getByRole('button', {name, exact: true}).first().click(),
  tab: (name) => page.getByRole('tab', {name, exact: true}).click(),
  choose: (name) => page.locator('.panel:not([hidden])').getByRole('button', {name, exact: true}).first().click(),
  sort: (name) => page.locator('.statistics th').getByRole('button', {name, exact: true}).click(),
  bar: (name) => page.locator('.panel:not([hidden]) .bar').getByText(name, {exact: true}).first().click(),
  row: (number) => page.locator('.label').nth(Number(number)).click(),
  // Clicks on the middle of the curve of an arrow, by its number.
  arrow: async (number) => page.mouse.click(...await page.evaluate(async (number) => {
    const pane = window.adatrace.panes[0], box = pane.canvas.getBoundingClientRect(), {arrowsOf, bend} = await import('./arrows.js');
    const arrow = arrowsOf(pane)[number], middle = bend(arrow);
    return ['x', 'y'].map((axis) => (arrow.from[axis] + 2 * middle[axis] + arrow.to[axis]) / 4 + (axis === 'x' ? box.left : box.top));
  }, Number(number))),
  pick: (file) => page.getByRole('combobox', {name: 'source file'}).selectOption(file),
  finding: async (number) => (await findingAt(number)).click(),
  'focus-finding': async (number) => (await findingAt(number)).focus(),
  part: (text) => page.locator('.reasons .parts button', {hasText: text}).first().click(),
  move: async (rows) => {
    // In one go: a label that is found first and measured later may have been replaced in between.
    const [from, to] = await page.evaluate((numbers) => numbers.map((number) =>
      document.querySelectorAll('.label')[number].getBoundingClientRect().toJSON()), rows.split(',').map(Number));
    const isDown = to.y > from.y;
    await drag({x: from.x + 40, y: from.y + 8}, {x: to.x + 40, y: isDown ? to.y + to.height - 3 : to.y + 3});
  },
  pixel: async (at) => console.log(await pixel(at)),
  look: async (at) => console.log(await look(at)),
  resize: (width) => page.setViewportSize({width: Number(width), height: 800}),
  // A gap and a wait in the first thread, in the form in which the server reports them.
  mark: async (times) => {
    const [gap, wait] = times.split(',').map((range) => range.split('-').map(Number));
    await page.route(/api.picture/, async (route) => {
      const response = await route.fetch(), answer = await response.json();
      const {timeline} = answer.threads[0];
      for (const [kind, [begin, end]] of [[4, gap], [5, wait]])
        for (const [column, value] of Object.entries({depth: 0, begin, end, function: 0, kind, seq: -1, count: 0, fill: kind === 5 ? end - begin : 0}))
          timeline[column].push(value);
      await route.fulfill({response, json: answer});
    });
    await acts.reload();
  },
  colour: async (name) => console.log(`colour: ${await page.locator('.panel:not([hidden]) .bar').getByText(name, {exact: true}).first()
    .evaluate((bar) => getComputedStyle(bar).backgroundColor)}`),
  reload: async () => {
    // Like a link in a new tab: nothing of this one is left.
    const link = page.url();
    await page.goto('about:blank');
    await page.goto(link);
  },
  shot: (file) => page.screenshot({path: file}),
  slow: (ms) => page.route(/\/api\//, async (route) => {
    await setTimeout(Number(ms));
    await route.continue().catch(() => {}); // the page may be gone
  }),
  stop: async () => {
    mayFail = true;
    server.kill('SIGKILL');
  },
};
try {
  await page.goto(address);
  await settle();
  for (const step of steps) {
    const isShown = step in shows, what = step.split('=')[0], value = step.slice(step.indexOf('=') + 1);
    if (isShown)
      console.log(await shows[step]());
    else if (acts[what]) {
      await acts[what](value);
      await settle();
    } else
      faults.push(`no step ${step}`);
  }
} catch (error) {
  faults.push(error.message);
}
await browser.close();
if (server.exitCode === null && server.signalCode === null) {
  const ended = new Promise((resolve) => server.once('exit', (status, signal) => resolve(status ?? signal)));
  server.kill('SIGTERM');
  const status = await ended;
  if (status !== 0)
    faults.push(`the server ended with ${status}`);
}
for (const fault of faults)
  console.error(fault);
process.exit(faults.length ? 1 : 0);
