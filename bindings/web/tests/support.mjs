// What the tests share.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

import { chromium } from 'playwright-core';

export const root = new URL('../../../', import.meta.url);
export const picture = (name) => readFile(new URL(`testdata/pictures/${name}`, root));

// The command, by which the package is judged.
export const command = process.env.MUNJA ?? new URL('build/release/munja', root).pathname;
export const hasCommand = existsSync(command);

export async function byCommand(path) {
  const { stdout } = await promisify(execFile)(command, ['read', '--format', 'json2', '--threads', '1', path],
    { maxBuffer: 1 << 28 });
  return JSON.parse(stdout);
}

// "munja serve" on a free port.
export async function startServer(...options) {
  const child = spawn(command, ['serve', '--port=0', '--workers=1', '--quiet', ...options],
    { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const line of createInterface(child.stderr)) {
    const { event, url, message } = JSON.parse(line);
    if (event === 'listening') {
      child.stderr.resume();
      return { url: `${url}/`, stop: () => child.kill() };
    }
    assert.notEqual(event, 'failed', message);
  }
  throw new Error('the server ended');
}

export const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium';

// Chromium; its camera shows the receipt, over and over.
export async function launch() {
  const folder = await mkdtemp(join(tmpdir(), 'munja-camera-'));
  await copyFile(new URL('testdata/pictures/receipt.jpg', root), join(folder, 'receipt.mjpeg'));
  const browser = await chromium.launch({ executablePath: chromiumPath, args: [
    '--no-sandbox', '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-video-capture=${join(folder, 'receipt.mjpeg')}`] });
  browser.on('disconnected', () => void rm(folder, { recursive: true, force: true }));
  return browser;
}

// Waits until the page shows the receipt's text.
export const showsReceipt = (page) => page.waitForFunction(
  () => document.querySelector('#text').value.includes('NORTHWIND'), undefined, { timeout: 60000 });

// The faults of a page's accessibility tree that axe finds. The page's policy lets no script of others run; playwright's
// own way is outside of it.
export async function accessibilityFaults(page) {
  await page.evaluate(await readFile(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8'));
  return page.evaluate(async () => (await globalThis.axe.run()).violations
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`));
}

// A PDF file with a picture of a JPEG file on each page, and no text.
export function pdfOf(files) {
  const parts = [Buffer.from('%PDF-1.4\n')];
  const places = [];
  const add = (...content) => {
    places.push(parts.reduce((sum, part) => sum + part.length, 0));
    parts.push(Buffer.from(`${places.length} 0 obj`), ...content.map((part) => Buffer.from(part)), Buffer.from('endobj\n'));
  };
  add('<</Type/Catalog/Pages 2 0 R>>');
  add(`<</Type/Pages/Count ${files.length}/Kids[${files.map((_, i) => `${3 + 3 * i} 0 R`).join(' ')}]>>`);
  files.forEach(({ bytes, width, height }, i) => {
    const content = `q ${width / 2} 0 0 ${height / 2} 0 0 cm /I Do Q`;
    add(`<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width / 2} ${height / 2}]`,
      `/Resources<</XObject<</I ${4 + 3 * i} 0 R>>>>/Contents ${5 + 3 * i} 0 R>>`);
    add(`<</Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8`,
      `/Filter/DCTDecode/Length ${bytes.length}>>stream\n`, bytes, '\nendstream');
    add(`<</Length ${content.length}>>stream\n${content}\nendstream`);
  });
  const table = parts.reduce((sum, part) => sum + part.length, 0);
  parts.push(Buffer.from(`xref\n0 ${places.length + 1}\n0000000000 65535 f \n` +
    places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('') +
    `trailer<</Size ${places.length + 1}/Root 1 0 R>>\nstartxref\n${table}\n%%EOF`));
  return Buffer.concat(parts);
}

// Twenty pictures of the shared set, the first of its folders in turns; none where it is not there.
export function twentyPictures() {
  const folder = new URL('../shared/images/images/', root);
  if (!existsSync(folder)) {
    return [];
  }
  const folders = readdirSync(folder).sort().map((name) => readdirSync(new URL(`${name}/`, folder))
    .filter((file) => /\.(jpe?g|png)$/i.test(file)).sort().map((file) => new URL(`${name}/${file}`, folder).pathname));
  const pictures = [];
  for (let i = 0; pictures.length < 20 && i < 20; ++i) {
    pictures.push(...folders.filter((files) => i < files.length).map((files) => files[i]));
  }
  return pictures.slice(0, 20);
}

// What must be the same everywhere: the text, and where it is. The last printed digit of a place may differ, since sines
// and arc tangents are those of each system's C library; and confidences, since the last bits of sums depend on the
// instructions. Where an edge of letters lies between two rows of a line's image, such a bit decides for one of them: in
// one line of a hundred places may be such a row apart, less than a fortieth of the line's height.
export function assertSame(document, other) {
  const [lines, others] = [document, other].map(({ blocks }) => blocks.flatMap((block) => block.lines));
  const texts = ({ blocks }) => blocks.map((block) => block.lines.map(({ text, direction, row, words }) =>
    ({ text, direction, row, words: words.map((word) => word.text) })));
  assert.deepEqual(texts(document), texts(other));
  const placesOf = ({ polygon, baseline, words }) => [polygon, baseline, ...words.map((word) => word.polygon)].flat(2);
  let rowsApart = 0;
  lines.forEach((line, i) => {
    const [places, expected] = [placesOf(line), placesOf(others[i])];
    assert.equal(places.length, expected.length);
    const apart = Math.max(...places.map((place, k) => Math.abs(place - expected[k])));
    if (apart >= 0.021) {
      const [[left, top], , , [x, y]] = line.polygon;
      assert.ok(apart < Math.hypot(x - left, y - top) / 40, `${line.text}: ${apart} pixels apart`);
      ++rowsApart;
    }
  });
  assert.ok(rowsApart <= Math.ceil(lines.length / 100), `${rowsApart} lines`);
}
