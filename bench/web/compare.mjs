// Reads twenty pictures with Munja in WebAssembly and with Tesseract.js 7, one thread each, in Node.
//
//   tools/build-web --fast
//   npm install --prefix build/web/compare tesseract.js@7 @tesseract.js-data/eng @tesseract.js-data/kor
//   node bench/web/compare.mjs IMAGES build/web/compare
//   build/release/munja eval --labels build/web/compare/labels.jsonl --from-results build/web/compare/munja.jsonl
//
// IMAGES has "images" and "labels" as docs/reference/cli.md describes them for "munja eval". The first two pictures of
// each of these sets are taken; both engines are told that the text is English or Korean. Prints processor seconds, which
// other programs on the machine change least, and writes labels and results for the last command.
import { createRequire } from 'node:module';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { Munja } from '../../bindings/web/dist/index.js';

const sets = ['cute80_curved', 'docs_en', 'ic15_scene', 'misc_scene', 'pagetext_photos', 'photos_en', 'photos_ko', 'sroie',
  'svt_street', 'wire_codes'];
const [images, folder] = process.argv.slice(2).map((path) => resolve(path));
const { createWorker, OEM } = createRequire(join(folder, 'x.js'))('tesseract.js');

const labels = [];
for (const set of sets) {
  const lines = (await readFile(join(images, 'labels', `${set}.jsonl`), 'utf8')).trim().split('\n');
  labels.push(...lines.slice(0, 2).map((line) => JSON.parse(line)));
}
await writeFile(join(folder, 'labels.jsonl'), labels.map((label) => `${JSON.stringify(label)}\n`).join(''));

const seconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

async function measure(name, create, read, close) {
  const begun = [seconds(), performance.now()];
  const engine = await create();
  const first = await readFile(join(images, labels[0].image));
  await read(engine, first);
  console.log(`${name}: start and a first picture ${(seconds() - begun[0]).toFixed(2)} s of processor time, ` +
    `${((performance.now() - begun[1]) / 1000).toFixed(2)} s`);
  const results = [];
  const start = [seconds(), performance.now()];
  for (const { image } of labels) {
    results.push({ source: image, lines: await read(engine, await readFile(join(images, image))) });
  }
  console.log(`${name}: ${labels.length} pictures ${(seconds() - start[0]).toFixed(2)} s of processor time, ` +
    `${((performance.now() - start[1]) / 1000).toFixed(2)} s`);
  await close(engine);
  await writeFile(join(folder, `${name}.jsonl`), results.map((result) => `${JSON.stringify(result)}\n`).join(''));
}

await measure('munja', () => Munja.create({ languages: ['en', 'ko'] }),
  async (munja, bytes) => (await munja.read(bytes)).lines.map(({ text, polygon, confidence }) =>
    ({ text, polygon, confidence })), (munja) => munja.close());

// Both languages in one folder, as Tesseract.js looks for them.
for (const language of ['eng', 'kor']) {
  const file = `${language}.traineddata.gz`;
  await writeFile(join(folder, file),
    await readFile(join(folder, 'node_modules/@tesseract.js-data', language, '4.0.0_best_int', file)));
}
await measure('tesseract', () => createWorker(['eng', 'kor'], OEM.LSTM_ONLY, { langPath: folder, cacheMethod: 'none' }),
  async (worker, bytes) => (await worker.recognize(bytes, {}, { blocks: true })).data.blocks
    .flatMap(({ paragraphs }) => paragraphs).flatMap(({ lines }) => lines)
    .map(({ text, bbox: { x0, y0, x1, y1 }, confidence }) => ({
      text: text.trim(), polygon: [[x0, y0], [x1, y0], [x1, y1], [x0, y1]], confidence: confidence / 100,
    })).filter(({ text }) => text !== ''), (worker) => worker.terminate());
