// The worker of a Munja: an engine, and one request at a time.
import { Engine, MunjaError } from './engine.js';
import type { Build } from './engine.js';
import type { EngineOptions, Page, Pixels, Progress, ReadSettings, Status } from './types.js';

export type Request =
  | { id: number; create: { build: Build; module: WebAssembly.Module; files: Record<string, Uint8Array>;
      options: EngineOptions } }
  | { id: number; read: { picture: Uint8Array | Pixels; settings: ReadSettings; tells: boolean;
      cancel: SharedArrayBuffer | undefined } };

export type Reply =
  | { id: number; progress: Progress }
  | { id: number; page: Page | undefined; version: string; memory: number }
  /** `ends`: the engine is beyond use. */
  | { id: number; error: { status: Status; message: string }; ends: boolean };

interface Port {
  postMessage(message: Reply, transfer?: Transferable[]): void;
}

let engine: Engine | undefined;

async function answer(request: Request, port: Port): Promise<void> {
  const { id } = request;
  try {
    let page: Page | undefined;
    if ('create' in request) {
      const { build, module, files, options } = request.create;
      engine = await Engine.create(files, options, build, module);
    } else {
      const { picture, settings, tells, cancel } = request.read;
      const isCancelled = cancel === undefined ? undefined : new Int32Array(cancel);
      page = engine!.read(picture, settings, (progress) => {
        if (tells) {
          port.postMessage({ id, progress });
        }
        return isCancelled !== undefined && Atomics.load(isCancelled, 0) !== 0;
      });
    }
    port.postMessage({ id, page, version: engine!.version, memory: engine!.memory },
      Object.values(page?.outputs ?? {}).map((bytes) => bytes.buffer as ArrayBuffer));
  } catch (error) {
    const known = error instanceof MunjaError;
    // The engine ends its program where it has no more memory.
    const message = error instanceof Error ? error.message : String(error);
    port.postMessage({
      id, ends: !known,
      error: known ? { status: error.status, message }
        : { status: 'out_of_memory', message: `the engine stopped, probably for want of memory (${message})` },
    });
  }
}

const scope = globalThis as unknown as {
  postMessage?: Port['postMessage'];
  onmessage: ((event: { data: Request }) => void) | null;
};
if (typeof scope.postMessage === 'function') {
  scope.onmessage = (event) => void answer(event.data, scope as Port);
} else {
  const { parentPort } = await import('node:worker_threads');
  parentPort!.on('message', (request: Request) => void answer(request, parentPort as unknown as Port));
}
