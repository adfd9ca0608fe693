// Reads pictures in WebAssembly (Node) and with the command, one thread each, and compares processor time, which other
// programs on the machine change least.
//
//   tools/build-web --fast; cmake --build --preset tests --target munja
//   node bench/web/native.mjs PICTURE...
//
// Prints milliseconds of a picture, without the start and without the first reading of all pictures, and the speed of
// WebAssembly in percent of that of the command with SSE4 and with all instructions of this machine.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { Munja } from '../../bindings/web/dist/index.js';
import { command } from '../../bindings/web/tests/support.mjs';

const rounds = 3;
const paths = process.argv.slice(2);

async function inWebAssembly() {
  const munja = await Munja.create();
  const files = await Promise.all(paths.map((path) => readFile(path)));
  const readAll = async () => {
    for (const file of files) {
      await munja.read(file);
    }
  };
  await readAll();
  const times = [];
  for (let i = 0; i < rounds; ++i) {
    const begun = process.cpuUsage();
    await readAll();
    const { user, system } = process.cpuUsage(begun);
    times.push((user + system) / 1000 / paths.length);
  }
  munja.close();
  return Math.min(...times);
}

// Two runs of different length: their difference has no start.
async function byCommand(simd) {
  const spent = async (count) => {
    const { stderr } = await promisify(execFile)('bash', ['-c', 'TIMEFORMAT="%U %S"; time "$@" > /dev/null 2>&1', 'bash',
      command, 'bench-read', '--quiet', '--threads', '1', '--count', String(count), ...paths],
    { env: { ...process.env, ...(simd === undefined ? {} : { MUNJA_SIMD: simd }) } });
    return stderr.trim().split(' ').map(Number).reduce((a, b) => a + b, 0) * 1000;
  };
  const times = [];
  for (let i = 0; i < rounds; ++i) {
    times.push((await spent(3 * paths.length) - await spent(paths.length)) / (2 * paths.length));
  }
  return Math.min(...times);
}

const web = await inWebAssembly();
console.log(`WebAssembly: ${web.toFixed(0)} ms`);
for (const simd of ['sse4', undefined]) {
  const native = await byCommand(simd);
  console.log(`command, ${simd ?? 'all instructions'}: ${native.toFixed(0)} ms; WebAssembly has ` +
    `${(100 * native / web).toFixed(0)} % of its speed`);
}
