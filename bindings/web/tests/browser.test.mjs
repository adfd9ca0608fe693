import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';

import { Munja } from '../dist/index.js';
import { accessibilityFaults, assertSame, launch, pdfOf, picture, root, showsReceipt } from './support.mjs';
import { serve } from './serve.mjs';
import { openExtension, openSite, startSite } from './site.mjs';

const receipt = new URL('testdata/pictures/receipt.jpg', root).pathname;

const hasThreads = existsSync(new URL('../dist/munja-threads.wasm', import.meta.url));
describe('Threads', { skip: hasThreads ? false : 'the build with threads is not there' }, () => {
  let browser;
  let server;
  before(async () => {
    server = await startSite({
      'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp',
    });
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  it('IsolatedPage_ReadsTheSameWithThreads', async () => {
    const { page, faults } = await openSite(browser, server);
    const { build, pages, memory, aborted } = await page.evaluate(async () => {
      const file = await (await fetch('pictures/receipt.jpg')).blob();
      const read = async (threads) => {
        const munja = await globalThis.munja.Munja.create({ build: 'threads', threads });
        const document = await munja.read(file);
        const before = munja.memory;
        for (let i = 0; i < 3; ++i) {
          await munja.read(file);
        }
        const grown = munja.memory - before;
        // Memory is shared, so that the work ends with the call.
        const controller = new AbortController();
        const name = await munja.read(file, { signal: controller.signal, onProgress: () => controller.abort() })
          .catch((error) => error.name);
        munja.close();
        return { document, grown, name };
      };
      const all = [await read(1), await read(2), await read(4)];
      return { build: globalThis.munja.bestBuild(), pages: all.map(({ document }) => document),
        memory: all.map(({ grown }) => grown), aborted: all.map(({ name }) => name) };
    });
    assert.equal(build, 'threads');
    const munja = await Munja.create();
    const expected = await munja.read(await picture('receipt.jpg'));
    munja.close();
    pages.forEach((document) => assertSame(document, expected));
    // Threads take their turns as they come, and memory is in pieces then; it does not grow with every picture.
    assert.ok(memory.every((grown) => grown < 2 ** 25), memory.join(' '));
    assert.deepEqual(aborted, ['AbortError', 'AbortError', 'AbortError']);
    assert.deepEqual(faults, []);
    await page.close();
  });
});

describe('Browser', () => {
  let browser;
  let server;
  before(async () => {
    server = await startSite();
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  it('StrictPolicy_ReadsAFileAsNodeDoes', async () => {
    const { page, faults } = await openSite(browser, server);
    const read = await page.evaluate(async () => {
      const { Munja } = globalThis.munja;
      const munja = await Munja.create();
      const file = await (await fetch('pictures/receipt.jpg')).blob();
      const [fromFile, fromBitmap] = [await munja.read(file), await munja.read(await createImageBitmap(file))];
      const image = new Image();
      image.src = 'pictures/sign_ko.jpg';
      const fromImage = await munja.read(image);
      munja.close();
      return { fromFile, lines: fromBitmap.lines.length, korean: fromImage.text, build: munja.build };
    });
    const munja = await Munja.create();
    const expected = await munja.read(await picture('receipt.jpg'));
    munja.close();
    assertSame(read.fromFile, expected);
    assert.equal(read.build, 'simd');
    assert.ok(Math.abs(read.lines - expected.lines.length) <= 1);
    assert.match(read.korean, /[가-힣]/);
    assert.deepEqual(faults, []);
    await page.close();
  });

  // What events must be like, whatever the pictures.
  const assertOrder = (events) => {
    const there = new Set();
    for (const { kind, id } of events) {
      assert.equal(there.has(id), kind !== 'new', `${kind} of ${id}`);
      kind === 'gone' ? there.delete(id) : there.add(id);
    }
    assert.equal(there.size, 0);
  };

  it('Live_TellsWhatAppearsAndLeaves', async () => {
    const { page } = await openSite(browser, server);
    const { events, boxes, seen } = await page.evaluate(async () => {
      const munja = await globalThis.munja.Munja.create();
      const bitmap = await createImageBitmap(await (await fetch('pictures/receipt.jpg')).blob());
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext('2d');
      const pixels = (isEmpty, time) => {
        context.fillStyle = 'white';
        context.fillRect(0, 0, canvas.width, canvas.height);
        if (!isEmpty) {
          context.drawImage(bitmap, 0, 0);
        }
        return { data: context.getImageData(0, 0, canvas.width, canvas.height).data, width: canvas.width,
          height: canvas.height, time };
      };
      async function* frames() {
        for (let i = 0; i < 12; ++i) {
          yield pixels(i >= 6, i);
        }
      }
      const [told, counts] = [[], []];
      const live = munja.live(frames(), (event) => told.push(event), { onFrame: (now) => counts.push(now.length) });
      await live.done;
      munja.close();
      return { events: told, boxes: counts, seen: live.boxes };
    });
    assert.ok(events.some(({ kind, text }) => kind === 'new' && text === 'BAKERY NORTHWIND'), JSON.stringify(events));
    assert.ok(events.some(({ kind, text, isFinal }) => kind === 'final' && isFinal && text === 'BAKERY NORTHWIND'));
    assertOrder(events);
    assert.equal(boxes.length, 12);
    assert.ok(boxes[5] > 5);
    assert.equal(boxes[11], 0);
    assert.deepEqual(seen, []);
    await page.close();
  });

  it('Camera_IsReadBesidePictures', async () => {
    const { page } = await openSite(browser, server);
    const { events, lines, state } = await page.evaluate(async () => {
      const munja = await globalThis.munja.Munja.create();
      const [track] = (await navigator.mediaDevices.getUserMedia({ video: true })).getVideoTracks();
      const told = [];
      let live;
      await new Promise((resolve, reject) => {
        live = munja.live(track, (event) => {
          told.push(event);
          if (event.kind === 'final' && event.text.includes('NORTHWIND')) {
            resolve();
          }
        });
        live.done.catch(reject);
      });
      const read = await munja.read(await (await fetch('pictures/receipt.jpg')).blob());
      await live.stop();
      const readyState = track.readyState;
      track.stop();
      munja.close();
      return { events: told, lines: read.lines.length, state: readyState };
    });
    assertOrder(events);
    assert.ok(lines > 5);
    assert.equal(state, 'live');
    await page.close();
  });
});

describe('Extension', () => {
  it('Page_ReadsUnderItsPolicy', async () => {
    const { context, page, close } = await openExtension();
    const { build, text } = await page.evaluate(async () => {
      const munja = await globalThis.munja.Munja.create();
      const read = await munja.read(await (await fetch('pictures/receipt.jpg')).blob());
      munja.close();
      return { build: munja.build, text: read.text };
    });
    assert.equal(build, 'simd');
    assert.match(text, /NORTHWIND/);
    await context.close();
    await close();
  });
});

const application = new URL('build/web/app/', root);
describe('Application', { skip: existsSync(application) ? false : 'it is not built' }, () => {
  let browser;
  let server;
  before(async () => {
    server = await serve(application);
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });

  it('File_IsShownReadAndSaved', async () => {
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.setInputFiles('#file', receipt);
    await showsReceipt(page);
    assert.ok((await page.locator('#over polygon').count()) > 5);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('[data-format=hocr]')]);
    assert.equal(download.suggestedFilename(), 'receipt.hocr');
    await page.selectOption('#language', 'ko');
    assert.equal(await page.getAttribute('html', 'lang'), 'ko');
    assert.match(await page.textContent('#status'), /줄/);
    await page.close();
  });

  it('Pdf_PagesAreReadAndTurned', async () => {
    const page = await browser.newPage();
    const faults = [];
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    await page.goto(server.url);
    const buffer = pdfOf([
      { bytes: await picture('sign_ko.jpg'), width: 960, height: 640 },
      { bytes: await picture('receipt.jpg'), width: 900, height: 1180 },
    ]);
    await page.setInputFiles('#file', { name: 'two.pdf', mimeType: 'application/pdf', buffer });
    await page.waitForFunction(() => document.querySelector('#number').textContent === '1 / 2', undefined,
      { timeout: 60000 });
    assert.match(await page.inputValue('#text'), /[가-힣]/);
    await page.click('#next');
    await showsReceipt(page);
    assert.ok((await page.locator('#over polygon').count()) > 5);
    assert.ok(await page.isDisabled('#next'));
    const saved = async (format) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.click(`[data-format=${format}]`)]);
      return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
    };
    const text = await saved('text');
    assert.equal(text.name, 'two.txt');
    assert.match(text.text, /[가-힣][^]*\f[^]*NORTHWIND/);
    assert.equal((await saved('hocr')).name, 'two-2.hocr');
    await page.setInputFiles('#file', { name: 'no.pdf', mimeType: 'application/pdf', buffer: Buffer.from('no PDF') });
    await page.waitForFunction(() => /PDF/.test(document.querySelector('#status').textContent));
    assert.ok(await page.isHidden('#pages'));
    assert.deepEqual(faults, []);
    await page.close();
  });

  it('DroppedPicture_IsRead', async () => {
    const page = await browser.newPage();
    await page.goto(server.url);
    const dropped = await page.evaluateHandle((bytes) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], 'dropped.jpg',
        { type: 'image/jpeg' }));
      return transfer;
    }, (await readFile(receipt)).toString('base64'));
    await page.dispatchEvent('#view', 'drop', { dataTransfer: dropped });
    await showsReceipt(page);
    assert.equal(page.url(), server.url);
    await page.close();
  });

  it('PastedPicture_IsRead', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    await page.goto(server.url);
    // The clipboard takes PNG alone.
    await page.evaluate(async (bytes) => {
      const file = new Blob([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], { type: 'image/jpeg' });
      const bitmap = await createImageBitmap(file);
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      canvas.getContext('2d').drawImage(bitmap, 0, 0);
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': canvas.convertToBlob() })]);
    }, (await readFile(receipt)).toString('base64'));
    await page.keyboard.press('Control+v');
    await showsReceipt(page);
    await page.click('#copy');
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /NORTHWIND/);
    await context.close();
  });

  for (const colorScheme of ['light', 'dark']) {
    it(`Accessibility_HasNoFaults_${colorScheme}`, async () => {
      const context = await browser.newContext({ colorScheme });
      const page = await context.newPage();
      await page.goto(server.url);
      assert.deepEqual(await accessibilityFaults(page), []);
      // The same with a page that was read, and in the other language.
      await page.setInputFiles('#file', receipt);
      await showsReceipt(page);
      await page.selectOption('#language', 'ko');
      assert.deepEqual(await accessibilityFaults(page), []);
      await context.close();
    });
  }

  it('Installation_IsOffered', async () => {
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.evaluate(() => navigator.serviceWorker.ready);
    const session = await page.context().newCDPSession(page);
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
    // Contexts of tests are incognito.
    assert.deepEqual(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito'), []);
    assert.deepEqual((await session.send('Page.getAppManifest')).errors, []);
    await page.close();
  });

  it('Offline_ReadsAfterTheFirstVisit', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(server.url);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(async () => (await caches.keys()).length > 0 && navigator.serviceWorker.controller !== null);
    await context.setOffline(true);
    await page.reload();
    await page.setInputFiles('#file', receipt);
    await showsReceipt(page);
    await context.close();
  });

  it('Camera_DrawsWhereTextIs', async () => {
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.click('#camera');
    await showsReceipt(page);
    // A few lines are read in each picture.
    await page.waitForFunction(() => document.querySelectorAll('#over polygon').length > 5, undefined, { timeout: 60000 });
    assert.ok(await page.isVisible('#take'));
    await page.click('#take');
    await page.waitForFunction(() => !document.querySelector('[data-format=hocr]').disabled, undefined,
      { timeout: 60000 });
    assert.ok(await page.isHidden('#video'));
    await page.click('#camera');
    await page.waitForSelector('#video:not([hidden])');
    await page.click('#camera');
    assert.ok(await page.isHidden('#video'));
    assert.ok(await page.isHidden('#over'));
    await page.close();
  });
});
