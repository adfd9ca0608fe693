// A site for the tests: pages that use the package.
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { chromium } from 'playwright-core';

import { chromiumPath, root } from './support.mjs';
import { serve } from './serve.mjs';

const own = new URL('..', import.meta.url).pathname;
const pictures = new URL('testdata/pictures', root).pathname;

// A page that has the package in `munja`.
async function writePage(folder) {
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>t</title><script type="module" src="t.js"></script>');
  await writeFile(join(folder, 't.js'), "import * as munja from './dist/index.js'; globalThis.munja = munja;");
}

// A site with the package and pictures, under a strict policy.
export async function startSite(headers = {}, isCompressed = false) {
  const folder = await mkdtemp(join(tmpdir(), 'munja-web-'));
  await symlink(join(own, 'dist'), join(folder, 'dist'));
  await symlink(join(own, 'model'), join(folder, 'model'));
  await symlink(pictures, join(folder, 'pictures'));
  await writePage(folder);
  const server = await serve(pathToFileURL(`${folder}/`), {
    'content-security-policy': "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; " +
      "connect-src 'self'; img-src 'self'",
    ...headers,
  }, isCompressed);
  const { close } = server;
  return Object.assign(server, { close: async () => {
    close();
    await rm(folder, { recursive: true, force: true });
  } });
}

// A page of the site, with the package in `munja`, and its faults.
export async function openSite(browser, server) {
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
  return { page, faults };
}

// A page of an extension of Chromium, with the package in `munja`.
export async function openExtension() {
  const folder = await mkdtemp(join(tmpdir(), 'munja-extension-'));
  // Extensions have files of their own, no links.
  for (const [name, path] of [['dist', join(own, 'dist')], ['model', join(own, 'model')], ['pictures', pictures]]) {
    await cp(path, join(folder, name), { recursive: true });
  }
  await writePage(folder);
  await writeFile(join(folder, 'background.js'), '');
  await writeFile(join(folder, 'manifest.json'), JSON.stringify({
    manifest_version: 3, name: 'Munja', version: '1', background: { service_worker: 'background.js' },
    content_security_policy: { extension_pages: "script-src 'self' 'wasm-unsafe-eval'; object-src 'self'" },
  }));
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), { executablePath: chromiumPath, args: [
    '--no-sandbox', `--disable-extensions-except=${folder}`, `--load-extension=${folder}`] });
  const worker = context.serviceWorkers()[0] ?? await context.waitForEvent('serviceworker');
  const page = await context.newPage();
  await page.goto(new URL('index.html', worker.url()).href);
  await page.waitForFunction(() => globalThis.munja !== undefined);
  return { context, page, close: () => rm(folder, { recursive: true, force: true }) };
}
