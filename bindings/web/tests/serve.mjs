// A server of a folder for the tests, on a free port of this machine.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';

const types = {
  '.css': 'text/css', '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.json': 'application/json',
  '.mjs': 'text/javascript', '.svg': 'image/svg+xml', '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
};

// `headers` go with every answer. `asked` collects the paths that were asked for.
export async function serve(folder, headers = {}) {
  const asked = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://x').pathname).replace(/\/$/, '/index.html');
    asked.push(path);
    readFile(new URL(`.${path}`, folder)).then((bytes) => {
      response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream', ...headers });
      response.end(bytes);
    }, () => response.writeHead(404).end());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, asked, close: () => server.close() };
}
