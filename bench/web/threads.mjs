// Milliseconds of a read in Chromium by number of threads, and memory after 200 pictures.
//
//   tools/build-web simd threads; node bench/web/threads.mjs
//
// Without the build with threads, that of simd alone.
import { existsSync } from 'node:fs';

import { openSite, startSite } from '../../bindings/web/tests/site.mjs';
import { launch } from '../../bindings/web/tests/support.mjs';

const server = await startSite({
  'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp',
});
const browser = await launch();
const { page } = await openSite(browser, server);

// The fastest of ten reads: other programs only make them slower.
const fastest = (options) => page.evaluate(async (given) => {
  const munja = await globalThis.munja.Munja.create(given);
  const file = await (await fetch('pictures/receipt.jpg')).blob();
  const times = [];
  for (let i = 0; i < 12; ++i) {
    const begun = performance.now();
    await munja.read(file);
    times.push(performance.now() - begun);
  }
  munja.close();
  return Math.min(...times.slice(2));
}, options);
const by = { simd: await fastest({ build: 'simd' }) };
const hasThreads = existsSync(new URL('../../bindings/web/dist/munja-threads.wasm', import.meta.url));
for (const threads of hasThreads ? [1, 2, 4] : []) {
  by[`${threads} threads`] = await fastest({ build: 'threads', threads });
}
for (const [name, time] of Object.entries(by)) {
  console.log(`${name}: ${time.toFixed(0)} ms, ${(by.simd / time).toFixed(2)} times the speed of simd`);
}

for (const build of hasThreads ? ['simd', 'threads'] : ['simd']) {
  const sizes = await page.evaluate(async (given) => {
    const munja = await globalThis.munja.Munja.create({ build: given });
    const names = ['receipt.jpg', 'sign_ko.jpg', 'tight_table.png', 'short_cells.png', 'note_on_its_side.png'];
    const files = await Promise.all(names.map(async (name) => (await fetch(`pictures/${name}`)).blob()));
    const memory = [];
    for (let i = 0; i < 200; ++i) {
      await munja.read(files[i % files.length]);
      memory.push(munja.memory / 2 ** 20);
    }
    munja.close();
    return [5, 50, 100, 200].map((count) => `${memory[count - 1].toFixed(0)} MiB after ${count}`);
  }, build);
  console.log(`${build}: ${sizes.join(', ')}`);
}
await browser.close();
await server.close();
