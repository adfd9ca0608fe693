// Compares the JSON of every way to read: tools/same-json runs it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { promisify } from 'node:util';

import { Munja } from '../dist/index.js';
import { openSite, startSite } from './site.mjs';
import { assertSame, byCommand, launch, root, startServer, twentyPictures } from './support.mjs';

const folder = new URL('testdata/pictures/', root);
const given = process.argv.slice(2).map((path) => resolve(path));
const shared = twentyPictures();
const paths = given.length > 0 ? given
  : shared.length > 0 ? shared : readdirSync(folder).sort().map((name) => new URL(name, folder).pathname);

const withoutTimes = ({ timing_ms: _times, source: _source, ...document }) => document;

// One object a line, for all pictures.
const program = `
import sys
import munja
with munja.Engine(threads=1) as engine:
    for path in sys.argv[1:]:
        print(engine.read(path).to_bytes("json2").decode().strip(), flush=True)
`;
const { stdout } = await promisify(execFile)(process.env.MUNJA_PYTHON ?? 'python3', ['-c', program, ...paths],
  { maxBuffer: 1 << 30 });
const byPython = stdout.trim().split('\n').map((line) => JSON.parse(line));

const server = await startServer();
const inNode = await Munja.create();
const site = await startSite();
const browser = await launch();
const { page } = await openSite(browser, site);
await page.evaluate(async () => {
  globalThis.engine = await globalThis.munja.Munja.create();
});

let differences = 0;
for (const [i, path] of paths.entries()) {
  const bytes = await readFile(path);
  const expected = await byCommand(path);
  const ways = {
    Python: () => assert.deepEqual(withoutTimes(byPython[i]), withoutTimes(expected)),
    server: async () => {
      const answer = await fetch(`${server.url}v1/read?format=json2`,
        { method: 'POST', body: bytes, headers: { 'Content-Type': 'application/octet-stream' } });
      assert.deepEqual(withoutTimes(await answer.json()), withoutTimes(expected));
    },
    Node: async () => assertSame(await inNode.read(bytes), expected),
    Chromium: async () => assertSame(await page.evaluate(async (text) =>
      globalThis.engine.read(Uint8Array.from(atob(text), (c) => c.charCodeAt(0))), bytes.toString('base64')), expected),
  };
  const results = [];
  for (const [name, compare] of Object.entries(ways)) {
    try {
      await compare();
      results.push(`${name} same`);
    } catch (error) {
      ++differences;
      results.push(`${name} DIFFERS (${error.message.slice(0, 300)})`);
    }
  }
  const lines = expected.blocks.reduce((sum, block) => sum + block.lines.length, 0);
  console.log(`${basename(path)}: ${lines} lines, ${results.join(', ')}`);
}
await browser.close();
await site.close();
inNode.close();
server.stop();
console.log(`${paths.length} pictures, ${differences} differences`);
process.exitCode = differences === 0 ? 0 : 1;
