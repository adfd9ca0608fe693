import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';

import { chromium } from 'playwright-core';

import { Munja } from '../dist/index.js';
import { assertSame, picture, root } from './support.mjs';
import { serve } from './serve.mjs';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const launch = () => chromium.launch({ executablePath, args: [
  '--no-sandbox', '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'] });
const receipt = new URL('testdata/pictures/receipt.jpg', root).pathname;

describe('Browser', () => {
  let browser;
  let server;
  let folder;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'munja-web-'));
    const own = new URL('..', import.meta.url).pathname;
    await symlink(join(own, 'dist'), join(folder, 'dist'));
    await symlink(join(own, 'model'), join(folder, 'model'));
    await symlink(new URL('testdata/pictures', root).pathname, join(folder, 'pictures'));
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>t</title><script type="module" src="t.js"></script>');
    await writeFile(join(folder, 't.js'), "import * as munja from './dist/index.js'; globalThis.munja = munja;");
    server = await serve(pathToFileURL(`${folder}/`), {
      'content-security-policy': "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; " +
        "connect-src 'self'; img-src 'self'",
    });
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('StrictPolicy_ReadsAFileAsNodeDoes', async () => {
    const page = await browser.newPage();
    const faults = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico')) {
        faults.push(message.text());
      }
    });
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(server.url);
    await page.waitForFunction(() => globalThis.munja !== undefined);
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
    await page.waitForFunction(() => document.querySelector('#text').value.includes('BAKERY'), undefined,
      { timeout: 60000 });
    assert.ok((await page.locator('#over polygon').count()) > 5);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('[data-format=hocr]')]);
    assert.equal(download.suggestedFilename(), 'receipt.hocr');
    await page.selectOption('#language', 'ko');
    assert.equal(await page.getAttribute('html', 'lang'), 'ko');
    assert.match(await page.textContent('#status'), /줄/);
    await page.close();
  });

  it('Accessibility_HasNoFaults', async () => {
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.evaluate(await readFile(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8'));
    const faults = await page.evaluate(async () => (await globalThis.axe.run()).violations
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`));
    assert.deepEqual(faults, []);
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
    await page.waitForFunction(() => document.querySelector('#text').value.includes('BAKERY'), undefined,
      { timeout: 60000 });
    await context.close();
  });

  it('Camera_DrawsWhereTextIs', async () => {
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.click('#camera');
    await page.waitForFunction(() => document.querySelectorAll('#times dd').length > 5, undefined, { timeout: 60000 });
    assert.ok(await page.isVisible('#take'));
    await page.click('#camera');
    assert.ok(await page.isHidden('#video'));
    await page.close();
  });
});
