// One Chromium for all tests of a lit run, started for the first page: browser_server.mjs FOLDER LIT-PID
//
// It writes the address to FOLDER/address, and ends when lit has ended.
import {createRequire} from 'node:module';
import {renameSync, writeFileSync} from 'node:fs';

const {chromium} = createRequire(`${process.env.ADA_NODE_MODULES}/`)('playwright-core');
const [folder, lit] = process.argv.slice(2);
const server = await chromium.launchServer({executablePath: process.env.ADA_CHROMIUM, args: ['--no-sandbox', '--disable-gpu']});
writeFileSync(`${folder}/address.new`, server.wsEndpoint());
renameSync(`${folder}/address.new`, `${folder}/address`);
setInterval(async () => {
  try {
    process.kill(Number(lit), 0);
  } catch {
    await server.close();
    process.exit();
  }
}, 500);
