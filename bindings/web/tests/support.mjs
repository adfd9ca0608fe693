// What the tests share.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

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
// instructions.
export function assertSame(document, other) {
  const parts = (of) => of.blocks.map((block) => block.lines.map((line) => ({
    text: line.text, polygon: line.polygon, baseline: line.baseline, direction: line.direction, row: line.row,
    words: line.words.map(({ text, polygon }) => ({ text, polygon })),
  })));
  const places = [];
  const split = (part, key) => {
    if (key === 'polygon' || key === 'baseline') {
      places.push(...part.flat());
      return part.length;
    }
    if (Array.isArray(part)) {
      return part.map((each) => split(each));
    }
    return typeof part === 'object'
      ? Object.fromEntries(Object.entries(part).map(([name, value]) => [name, split(value, name)])) : part;
  };
  assert.deepEqual(split(parts(document)), split(parts(other)));
  const half = places.length / 2;
  for (let i = 0; i < half; ++i) {
    assert.ok(Math.abs(places[i] - places[half + i]) < 0.021, `${places[i]} is not ${places[half + i]}`);
  }
}
