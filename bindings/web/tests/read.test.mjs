import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';

import { bestBuild, Munja, MunjaError } from '../dist/index.js';
import { assertSame, byCommand, hasCommand, picture, root, twentyPictures } from './support.mjs';

describe('Read', () => {
  let munja;
  before(async () => {
    munja = await Munja.create();
  });
  after(() => munja.close());

  it('File_GivesTextBoxesAndTimes', async () => {
    const page = await munja.read(await picture('receipt.jpg'), { source: 'receipt.jpg' });
    assert.equal(page.schema_version, 2);
    assert.equal(page.source, 'receipt.jpg');
    assert.ok(page.lines.length > 5);
    assert.equal(page.lines[0].text, 'BAKERY NORTHWIND');
    for (const line of page.lines) {
      assert.ok(page.text.includes(line.text));
      assert.equal(line.polygon.length, 4);
      assert.ok(line.confidence > 0 && line.confidence <= 1);
      assert.equal(line.words.map((word) => word.text).join(' '), line.text);
    }
    assert.ok(page.timing_ms.total > 0);
  });

  it('Blob_IsReadAsItsBytes', async () => {
    const bytes = await picture('sign_ko.jpg');
    const [a, b] = await Promise.all([munja.read(bytes), munja.read(new Blob([bytes]))]);
    assert.match(a.text, /[가-힣]/);
    assert.equal(a.text, b.text);
  });

  it('Pixels_WithoutText_GiveAnEmptyPage', async () => {
    const page = await munja.read({ data: new Uint8ClampedArray(64 * 48 * 4).fill(255), width: 64, height: 48 });
    assert.deepEqual([page.width, page.height, page.text, page.lines.length], [64, 48, '', 0]);
  });

  it('Pixels_OfAnotherNumber_AreRefused', async () => {
    await assert.rejects(munja.read({ data: new Uint8Array(12), width: 2, height: 2 }),
      (error) => error instanceof MunjaError && error.status === 'invalid_argument' && /16 bytes/.test(error.message));
  });

  it('Formats_AreWritten', async () => {
    const { outputs } = await munja.read(await picture('receipt.jpg'), { formats: ['hocr', 'markdown', 'pdf'] });
    const text = (format) => new TextDecoder().decode(outputs[format]);
    assert.match(text('hocr'), /ocr_page/);
    assert.ok(text('markdown').length > 10);
    assert.equal(text('pdf').slice(0, 5), '%PDF-');
  });

  it('Region_IsReadAlone', async () => {
    const whole = await munja.read(await picture('receipt.jpg'));
    const region = { left: 0, top: 0, width: whole.width, height: Math.round(whole.height / 3) };
    const part = await munja.read(await picture('receipt.jpg'), { region });
    assert.ok(part.lines.length > 0 && part.lines.length < whole.lines.length);
  });

  it('DamagedFile_SaysWhatIsWrong', async () => {
    await assert.rejects(munja.read(new TextEncoder().encode('no picture')), (error) =>
      error instanceof MunjaError && error.message.length > 10);
    const cut = (await picture('receipt.jpg')).subarray(0, 3000);
    await assert.rejects(munja.read(cut), (error) => error.status === 'malformed');
    // The engine goes on.
    assert.ok((await munja.read(await picture('receipt.jpg'))).lines.length > 0);
  });

  it('Progress_IsTold', async () => {
    const told = [];
    await munja.read(await picture('receipt.jpg'), { onProgress: (progress) => told.push(progress) });
    assert.ok(told.some(({ what, total }) => what === 'lines' && total > 0), JSON.stringify(told.slice(0, 5)));
  });

  it('Abort_EndsTheCallAndNotTheEngine', async () => {
    const bytes = await picture('receipt.jpg');
    const controller = new AbortController();
    const reading = munja.read(bytes, { signal: controller.signal, onProgress: () => controller.abort() });
    const next = munja.read(bytes);
    await assert.rejects(reading, { name: 'AbortError' });
    assert.ok((await next).lines.length > 0);
    await assert.rejects(munja.read(bytes, { signal: AbortSignal.abort() }), { name: 'AbortError' });
  });

  it('Memory_StaysWhereItIs', async () => {
    const bytes = await picture('receipt.jpg');
    await munja.read(bytes);
    const before = munja.memory;
    for (let i = 0; i < 10; ++i) {
      await munja.read(bytes);
    }
    assert.equal(munja.memory, before);
  });
});

describe('Create', () => {
  it('ModelAsBytes_IsUsed', async () => {
    const { readFile } = await import('node:fs/promises');
    const bundle = new URL('../model/', import.meta.url);
    const names = ['bundle.json', 'detector.tflite', 'detector.integer.tflite', 'recognizer.tflite',
      'recognizer.integer.tflite', 'dictionary.txt', 'latin.lm', 'korean.lm'];
    const model = Object.fromEntries(await Promise.all(names.map(async (name) => [name,
      await readFile(new URL(name, bundle))])));
    const munja = await Munja.create({ model, allowedCharacters: '0123456789.' });
    const page = await munja.read(await picture('receipt.jpg'));
    munja.close();
    assert.match(page.text, /^[0-9.\s]+$/);
    model['dictionary.txt'] = Buffer.from(model['dictionary.txt']).fill(65, 10, 11);
    await assert.rejects(Munja.create({ model }), (error) => error.status === 'malformed' && /SHA-256/.test(error.message));
  });

  it('MissingModel_IsNamed', async () => {
    await assert.rejects(Munja.create({ model: new URL('nothing/', import.meta.url) }));
    await assert.rejects(Munja.create({ model: {} }), MunjaError);
  });

  it('Closed_RefusesCalls', async () => {
    const munja = await Munja.create();
    const open = munja.read(await picture('receipt.jpg'));
    await new Promise(setImmediate);
    munja.close();
    await assert.rejects(open, (error) => error.status === 'cancelled');
    await assert.rejects(munja.read(new Uint8Array()), (error) => error.status === 'invalid_argument');
  });

  it('Build_IsTheOneWithVectors', () => assert.equal(bestBuild(), 'simd'));
});

const builds = ['simd', 'scalar'].filter((build) => existsSync(new URL(`../dist/munja-${build}.wasm`, import.meta.url)));
for (const build of builds) {
  describe(`SameAsCommand_${build}`, { skip: hasCommand ? false : 'the command is not built' }, () => {
    const names = ['receipt.jpg', 'sign_ko.jpg', 'tight_table.png', 'note_on_its_side.png']
      .map((name) => new URL(`testdata/pictures/${name}`, root).pathname);
    for (const path of [...names, ...twentyPictures()]) {
      it(path.split('/').slice(-2).join('/'), async () => {
        const { readFile } = await import('node:fs/promises');
        munja ??= await Munja.create({ build });
        assert.equal(munja.build, build);
        const page = await munja.read(await readFile(path), { source: path });
        assertSame(page, await byCommand(path));
      });
    }
    let munja;
    after(() => munja?.close());
  });
}
