// Times the viewer's page in Chromium: until the first picture is painted, and the frames during zooming and moving.
// Usage: page.mjs ADDRESS [SECONDS]
//
// Prints one JSON object. With SECONDS, the picture zooms for SECONDS and moves for SECONDS. A picture counts as
// painted in the first frame after the one that drew all visible rows over the whole range. Frames are the times
// between two calls of requestAnimationFrame; `drawing` is the part of them that the page's own drawing takes.
import {createRequire} from 'node:module';

const {chromium} = createRequire(`${process.env.ADA_NODE_MODULES}/`)('playwright-core');
const [address, seconds] = [process.argv[2], Number(process.argv[3] ?? 0)];
const browser = await chromium.launch({executablePath: process.env.ADA_CHROMIUM, args: ['--no-sandbox', '--disable-gpu']});
const page = await browser.newPage({viewport: {width: 1600, height: 900}, colorScheme: 'light'});
page.on('pageerror', (error) => {
  console.error(error.message);
  process.exit(1);
});
await page.addInitScript(() => {
  const look = () => {
    const pane = window.adatrace?.panes[0], rows = pane?.visibleRows() ?? [];
    const isPainted = rows.length > 0 && !pane.isDirty && rows.every(({thread}) =>
      pane.session.pictures.layers(thread, pane.axis.from, pane.axis.to, pane.width).some((picture) =>
        picture.covers(Math.max(pane.axis.from, 0), Math.min(pane.axis.to, pane.session.duration))));
    if (isPainted)
      requestAnimationFrame(() => (window.paintedMs = performance.now()));
    else
      requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
});
await page.goto(address);
await page.waitForFunction(() => window.paintedMs, null, {timeout: 120_000});
const result = await page.evaluate(() => ({painted_ms: window.paintedMs, rows: window.adatrace.panes[0].visibleRows().length}));

/** Calls `move` in each frame, with the part of the time that is over. @param {string} move of a function */
const frames = async (move) => page.evaluate(async ([move, seconds]) => {
  const {panes: [{axis}], frames} = window.adatrace, step = new Function('axis', 'part', 'limit', move), times = [];
  frames.length = 0;
  const begin = performance.now();
  await new Promise((resolve) => {
    const next = (now) => {
      times.push(now);
      const part = (performance.now() - begin) / seconds / 1000;
      if (part >= 1)
        return resolve(null);
      step(axis, part, axis.limit);
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  const figures = (values) => {
    const sorted = values.toSorted((a, b) => a - b);
    const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
    return {median_ms: at(0.5), p99_ms: at(0.99), count: sorted.length};
  };
  return {frames: figures(times.slice(1).map((time, i) => time - times[i])), drawing: figures([...frames])};
}, [move, seconds]);

if (seconds > 0) {
  const middle = 'const span = limit * (20 / limit) ** SHARE, at = limit * 0.37; axis.set(at - span * 0.37, at + span * 0.63);';
  // Sixty screens in the whole run, wherever it is and however much is visible.
  const pan = (part) => `const span = limit * ${part}, at = limit * 0.3 + span * 60 * part; axis.set(at, at + span);`;
  result.moves = {
    'zoom in to 20 ns': await frames(middle.replace('SHARE', 'part')),
    'zoom out again': await frames(middle.replace('SHARE', '(1 - part)')),
    'pan, a hundredth visible': await frames(pan(0.01)),
    'pan, a ten-thousandth visible': await frames(pan(0.0001)),
    'pan, a millionth visible': await frames(pan(0.000001)),
  };
}
console.log(JSON.stringify(result));
await browser.close();
