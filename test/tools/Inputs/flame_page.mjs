// Opens a flame page in Chromium and uses it like a person. Usage: flame_page.mjs PAGE STEP...
//
// Prints what the page shows, one line per fact. Steps that show: `bars` (names, by depth), `functions` (the table),
// `path`, `found`, `details`, `title`, `colours`, `theme`, `focus`, `trees`; steps that act: `tree=N`, `colour=WHAT`,
// `weight=WHAT`, `sort=COLUMN`, `click=NAME`, `hover=NAME`, `type=TEXT` (into the search), `key=KEY`, `resize=WIDTH`.
// Any request and any error of the page fails the test.
import {openPage} from './browser.mjs';
import {pathToFileURL} from 'node:url';

const [file, ...steps] = process.argv.slice(2);
const {browser, page} = await openPage();
const faults = [];
page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
page.on('console', (message) => message.type() === 'error' && faults.push(`console: ${message.text()}`));
page.on('dialog', (dialog) => faults.push(`a script ran: ${dialog.message()}`) && dialog.dismiss());
const url = pathToFileURL(file).href;
page.on('request', (request) => request.url() !== url && faults.push(`request: ${request.url()}`));
await page.goto(url);

const bar = (name) => page.locator('.bar', {has: page.getByText(name, {exact: true})}).or(page.locator('.bar').getByText(name, {exact: true})).first();
const shows = {
  bars: async () => (await page.locator('.bar').evaluateAll((bars) => bars.map((bar) => {
    const box = bar.getBoundingClientRect(), chart = document.querySelector('#chart').getBoundingClientRect();
    return `bar ${Math.round((box.top - chart.top) / 20)} ${bar.getAttribute('aria-label')} at ${Math.round(box.left - chart.left)} ` +
      `${(100 * box.width / chart.width).toFixed(1)}%${bar.classList.contains('hit') ? ' hit' : ''}${bar.classList.contains('around') ? ' around' : ''}`;
  }))).join('\n'),
  functions: async () => (await page.locator('#functions tbody tr').evaluateAll((rows) => rows.map((row) =>
    'row ' + [...row.cells].map((cell) => cell.dataset.value ?? cell.textContent).join(' | ')))).join('\n'),
  path: async () => `path: ${await page.locator('#path').textContent()}`,
  found: async () => `found: ${await page.locator('#found').textContent()}`,
  details: async () => `details: ${await page.locator('#details').textContent()}`,
  title: async () => `title: ${await page.title()} / ${await page.locator('h1').textContent()}`,
  trees: async () => (await page.locator('#tree option').allTextContents()).map((text) => `tree: ${text}`).join('\n'),
  colours: async () => (await page.locator('.bar').evaluateAll((bars) => bars.map((bar) =>
    `colour ${bar.textContent}: ${bar.style.getPropertyValue('--hue')} ${bar.style.getPropertyValue('--saturation')}`))).join('\n'),
  theme: async () => `theme: ${await page.evaluate(() => getComputedStyle(document.body).backgroundColor)}`,
  focus: async () => `focus: ${await page.evaluate(() => document.activeElement?.getAttribute('aria-label') || document.activeElement?.id)}`,
  elements: async () => `elements: ${await page.evaluate(() => document.querySelectorAll('img, iframe, b, a, svg').length)}`,
};
const acts = {
  tree: (value) => page.locator('#tree').selectOption(value),
  colour: (value) => page.locator('#colour').selectOption(value),
  weight: (value) => page.locator('#weight').selectOption(value),
  sort: (value) => page.locator(`[data-sort="${value}"]`).click(),
  click: (name) => bar(name).click(),
  hover: (name) => bar(name).hover(),
  pick: (name) => page.locator('#functions').getByRole('button', {name, exact: true}).click(),
  type: (text) => page.locator('#search').fill(text),
  key: (key) => page.keyboard.press(key),
  resize: (width) => page.setViewportSize({width: Number(width), height: 800}),
};
for (const step of steps) {
  const [what, value] = [step.split('=')[0], step.slice(step.indexOf('=') + 1)];
  if (shows[step])
    console.log(await shows[step]());
  else if (acts[what])
    await acts[what](value);
  else
    faults.push(`no step ${step}`);
}
await browser.close();
for (const fault of faults)
  console.error(fault);
process.exit(faults.length ? 1 : 0);
