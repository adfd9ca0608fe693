// The page that "munja serve" shows.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { accessibilityFaults, hasCommand, launch, root, showsReceipt, startServer } from './support.mjs';

const receipt = new URL('testdata/pictures/receipt.jpg', root).pathname;
const key = 'a-key-of-the-tests-0123456789';

describe('ServerPage', { skip: hasCommand ? false : 'the command is not built' }, () => {
  let browser;
  let server;
  before(async () => {
    server = await startServer();
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    server?.stop();
  });

  // A page whose faults and requests are kept.
  async function open(url) {
    const page = await browser.newPage();
    const [faults, asked] = [[], []];
    page.on('console', (message) => {
      if (message.type() === 'error') {
        faults.push(message.text());
      }
    });
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(url);
    return { page, faults, asked };
  }

  it('File_IsReadByTheServer', async () => {
    const { page, faults, asked } = await open(server.url);
    assert.match(await page.textContent('header p'), /this server/);
    await page.setInputFiles('#file', receipt);
    await showsReceipt(page);
    assert.ok((await page.locator('#over polygon').count()) > 5);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('[data-format=hocr]')]);
    assert.equal(download.suggestedFilename(), 'receipt.hocr');
    assert.match(await readFile(await download.path(), 'utf8'), /ocr_page/);
    // Nothing is asked of any other place, and the engine in WebAssembly is not needed.
    assert.ok(asked.every((url) => url.startsWith(server.url) || url.startsWith(`blob:${server.url}`)), asked.join(' '));
    assert.ok(!asked.some((url) => url.endsWith('.wasm')));
    assert.deepEqual(faults, []);
    await page.close();
  });

  it('Text_IsThatOfTheTextFormat', async () => {
    const { page } = await open(server.url);
    for (const name of ['receipt.jpg', 'tight_table.png']) {
      const file = new URL(`testdata/pictures/${name}`, root);
      await page.setInputFiles('#file', file.pathname);
      const expected = await (await fetch(`${server.url}v1/read?format=text`, {
        method: 'POST', body: await readFile(file), headers: { 'Content-Type': 'image/*' },
      })).text();
      await page.waitForFunction((text) => document.querySelector('#text').value === text, expected.trimEnd(),
        { timeout: 60000 });
    }
    await page.close();
  });

  it('DamagedFile_IsExplained', async () => {
    const { page } = await open(server.url);
    await page.setInputFiles('#file', { name: 'a.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no picture') });
    await page.waitForFunction(() => document.querySelector('#status').textContent.length > 20);
    assert.doesNotMatch(await page.textContent('#status'), /Reading|Ready/);
    await page.close();
  });

  it('Camera_IsReadByTheServer', async () => {
    const { page, faults } = await open(server.url);
    await page.click('#camera');
    await showsReceipt(page);
    assert.ok((await page.locator('#over polygon').count()) > 5);
    await page.click('#camera');
    assert.deepEqual(faults, []);
    await page.close();
  });

  it('Key_IsAskedFor', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'munja-keys-'));
    await writeFile(join(folder, 'keys'), `${key}\n`);
    const other = await startServer('--api-key-file', join(folder, 'keys'));
    try {
      const { page } = await open(other.url);
      await page.setInputFiles('#file', receipt);
      await page.waitForSelector('#key', { state: 'visible' });
      await page.fill('#key', key);
      await page.keyboard.press('Enter');
      await showsReceipt(page);
      await page.close();
    } finally {
      other.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('Accessibility_HasNoFaults', async () => {
    const { page } = await open(server.url);
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.close();
  });
});
