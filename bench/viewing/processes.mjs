// Times the viewer's page in Chromium with a session of many processes: until the first picture is painted, until the
// findings and the panel of processes are, a row that opens, scrolling in it, and searches. Usage: processes.mjs SESSION
//
// Prints one line for each. A time is from the key, click or letter to the first frame in which everything asked for was
// drawn. Frames are the times between two calls of requestAnimationFrame while the panel scrolls.
import {spawn} from 'node:child_process';
import {createRequire} from 'node:module';

const {chromium} = createRequire(`${process.env.ADA_NODE_MODULES}/`)('playwright-core');
// Its warnings are read by nobody; a pipe that nobody reads would hold it up, and one that it holds open, its reader.
const server = spawn('adatrace', ['view', '--no-browser', process.argv[2]], {stdio: ['ignore', 'pipe', 'ignore']});
const began = performance.now();
const address = await new Promise((resolve, reject) => {
  server.stdout.once('data', (text) => resolve(String(text).split('\n')[0]));
  server.once('exit', (status) => reject(new Error(`adatrace view ended with ${status}`)));
});
const tell = (what, ms) => console.log(`${what.padEnd(48)} ${ms.toFixed(0).padStart(8)} ms`);
tell('start to address', performance.now() - began);

const browser = await chromium.launch({executablePath: process.env.ADA_CHROMIUM, args: ['--no-sandbox', '--disable-gpu']});
try {
  const page = await browser.newPage({viewport: {width: 1600, height: 900}, colorScheme: 'light', reducedMotion: 'reduce'});
  page.setDefaultTimeout(120_000);
  page.on('pageerror', (error) => console.error(error.message));
  /** Until nothing is requested, `busy` or waits to be drawn in two frames that follow each other, on the page's clock. */
  const quiet = (busy = '[aria-busy]') => page.evaluate((busy) => new Promise((resolve) => {
    let since = 0;
    const look = (now) => {
      const {panes = []} = window.adatrace ?? {};
      const isBusy = !panes.length || window.adatraceIsBusy() || document.querySelector(busy) !== null ||
        panes.some((pane) => pane.isDirty || pane.session.pictures.isBusy);
      since = isBusy ? 0 : since || now;
      return since && now > since ? resolve(since) : requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }), busy);
  const after = async (what, act) => {
    const from = await page.evaluate(() => performance.now());
    await act();
    await page.waitForTimeout(0);
    tell(what, Math.max(0, await quiet() - from));
  };
  await page.goto(address);
  tell('page asked for to first picture', await quiet('[aria-busy]:not(.findings)'));
  tell('  to the findings', await quiet()); // both since the page was asked for
  await after('key P to the chart of processes', () => page.keyboard.press('P'));
  const rows = () => page.evaluate(() => window.adatracePanels.processes.shown.answer.total_rows);
  console.log(`rows: ${await rows()}`);
  // The row with the most processes opens.
  const most = await page.locator('.processes .name').evaluateAll((names) => {
    const counts = names.map((name) => Number((/×([\d,]+)/.exec(name.innerText)?.[1] ?? '0').replaceAll(',', '')));
    return counts.indexOf(Math.max(...counts));
  });
  await after('click on the row with most processes', () => page.locator('.processes .name').nth(most).click());
  console.log(`rows: ${await rows()}`);
  const frames = await page.evaluate(() => new Promise((resolve) => {
    const content = window.adatracePanels.processes.content, times = [], begin = performance.now();
    const next = (now) => {
      times.push(now);
      const part = (performance.now() - begin) / 5000;
      if (part >= 1)
        return resolve(times.slice(1).map((time, i) => time - times[i]).sort((a, b) => a - b));
      content.scrollTop = part * (content.scrollHeight - content.clientHeight);
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  }));
  tell('five seconds of scrolling: frame, median', frames[frames.length >> 1]);
  tell('  99 %', frames[Math.floor(frames.length * 0.99)]);
  tell('  longest', frames.at(-1));
  tell('scrolled to the end: rows drawn', Math.max(0, await quiet() - await page.evaluate(() => performance.now())));
  for (const text of ['check 99', '4711', 'nothing like this'])
    await after(`search for ${JSON.stringify(text)}`, async () => {
      await page.locator('input[name=process]').fill(text);
    });
} finally {
  await browser.close();
  server.kill();
}
