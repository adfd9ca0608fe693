// A server of a folder for the tests, on a free port of this machine.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

const types = {
  '.css': 'text/css', '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.json': 'application/json',
  '.mjs': 'text/javascript', '.svg': 'image/svg+xml', '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
};

// `headers` go with every answer. `asked` collects the paths that were asked for. `isCompressed`: files are sent as
// brotli makes them, and `sent` counts their bytes.
export async function serve(folder, headers = {}, isCompressed = false) {
  const asked = [];
  const packed = new Map();
  const result = { asked, sent: 0 };
  const bytesOf = async (path) => {
    if (!packed.has(path)) {
      const bytes = await readFile(new URL(`.${path}`, folder));
      packed.set(path, isCompressed ? brotliCompressSync(bytes) : bytes);
    }
    return packed.get(path);
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://x').pathname).replace(/\/$/, '/index.html');
    asked.push(path);
    bytesOf(path).then((bytes) => {
      response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream',
        ...(isCompressed && { 'content-encoding': 'br' }), ...headers });
      response.end(bytes);
      result.sent += bytes.length;
    }, () => response.writeHead(404).end());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(result, {
    url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close(),
  });
}
