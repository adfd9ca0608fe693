import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { brotliCompressSync } from 'node:zlib';

const folder = new URL('..', import.meta.url);

describe('Package', () => {
  it('Pack_HasWhatIsNeededAndNoMore', async () => {
    const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json'], { cwd: folder });
    const [{ files, size }] = JSON.parse(stdout);
    const paths = files.map(({ path }) => path);
    for (const path of ['LICENSE', 'README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts', 'dist/index.js.map',
      'dist/engine.js', 'dist/worker.js', 'dist/munja-simd.mjs', 'dist/munja-simd.wasm', 'model/bundle.json',
      'model/detector.tflite', 'src/index.ts']) {
      assert.ok(paths.includes(path), `${path} is missing`);
    }
    for (const path of paths) {
      assert.match(path, /^(LICENSE|README\.md|package\.json|(dist|model|src)\/[\w.-]+)$/);
    }
    assert.ok(size < 12e6, `${size} bytes`);
  });

  it('FirstLoad_IsAtMost6MB', async () => {
    const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json'], { cwd: folder });
    const loaded = JSON.parse(stdout)[0].files.map(({ path }) => path)
      .filter((path) => /^model\/(?!.*\.md$)|^dist\/(index|engine|worker|types|live|pixels)\.js$|^dist\/munja-simd\./.test(path));
    const sizes = await Promise.all(loaded.map(async (path) =>
      brotliCompressSync(await readFile(new URL(path, folder))).length));
    const total = sizes.reduce((a, b) => a + b, 0);
    assert.ok(total <= 6e6, `${total} bytes`);
  });

  it('RunTime_NeedsNoOtherPackage', async () => {
    const description = JSON.parse(await readFile(new URL('package.json', folder), 'utf8'));
    assert.equal(description.dependencies, undefined);
  });
});
