// Measures the bytes and the time that a page needs in Chromium until it can read.
//
//   tools/build-web --fast; node bench/web/start.mjs
//
// A page with the package, and the web application on a first and a later visit, each in a browser without caches, from a
// server on this machine that sends brotli. Prints the bytes that were sent, and the median of milliseconds since the
// page was asked for, of seven visits.
import { openSite, startSite } from '../../bindings/web/tests/site.mjs';
import { serve } from '../../bindings/web/tests/serve.mjs';
import { launch, root } from '../../bindings/web/tests/support.mjs';

const browser = await launch();

async function median(name, server, visit, options = {}) {
  const [times, bytes] = [[], []];
  // The first visit compresses the files.
  for (let i = 0; i < 8; ++i) {
    server.sent = 0;
    const context = await browser.newContext(options);
    times.push(await visit(context));
    bytes.push(server.sent);
    await context.close();
  }
  const sorted = times.slice(1).sort((a, b) => a - b);
  console.log(`${name}: ready in ${sorted[3].toFixed(0)} ms (${sorted[0].toFixed(0)} to ${sorted[6].toFixed(0)}), ` +
    `${(bytes.at(-1) / 1e6).toFixed(2)} MB`);
}

const site = await startSite({}, true);
await median('a page with the package', site, async (context) => {
  const { page } = await openSite(context, site);
  return page.evaluate(async () => {
    await globalThis.munja.Munja.create();
    return performance.now();
  });
});
await site.close();

const application = await serve(new URL('build/web/app/', root), {}, true);
const isReady = (page) => page.evaluate(() => new Promise((resolve) => {
  const look = () => document.body.dataset.ready === undefined
    ? requestAnimationFrame(look) : resolve(performance.now());
  look();
}));
// The worker that keeps the files for use without a network loads them in the background, and others besides.
await median('the application, first visit', application, async (context) => {
  const page = await context.newPage();
  await page.goto(application.url);
  return isReady(page);
}, { serviceWorkers: 'block' });
await median('the application, later visit', application, async (context) => {
  const page = await context.newPage();
  await page.goto(application.url);
  await page.evaluate(() => navigator.serviceWorker.ready);
  for (let before = -1; before !== application.sent;) {
    before = application.sent;
    await page.waitForTimeout(1000);
  }
  application.sent = 0;
  await page.goto(application.url);
  return isReady(page);
});
application.close();
await browser.close();
