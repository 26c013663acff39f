// A page in Chromium, for tests. A browser takes seconds to start, so all tests of a lit run share one; each page has a
// separate context with separate storage.
import {spawn} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {fileURLToPath} from 'node:url';
import {setTimeout} from 'node:timers/promises';

const {chromium} = createRequire(`${process.env.ADA_NODE_MODULES}/`)('playwright-core');

async function connect() {
  const {ADA_BROWSER: folder, ADA_LIT_PID: lit} = process.env;
  try {
    mkdirSync(`${folder}/asked`);
    spawn(process.execPath, [fileURLToPath(new URL('browser_server.mjs', import.meta.url)), folder, lit],
      {detached: true, stdio: 'ignore'}).unref();
  } catch (error) {
    if (error.code !== 'EEXIST')
      throw error;
  }
  for (let round = 0; !existsSync(`${folder}/address`); ++round) {
    if (round === 1200)
      throw new Error('no browser after a minute');
    await setTimeout(50);
  }
  return chromium.connect(readFileSync(`${folder}/address`, 'utf8'));
}

/** A page of 1200 by 800, with more options if needed. close() of its browser closes it. */
export async function openPage(options = {}) {
  const browser = await connect();
  const page = await browser.newPage({viewport: {width: 1200, height: 800}, colorScheme: 'light', ...options});
  return {browser, page};
}
