// The worker of a Munja: an engine, and one request at a time.
import { Engine, MunjaError } from './engine.js';
import type { Build, LiveReader } from './engine.js';
import type {
  EngineOptions, Frame, LiveAnswer, LiveSettings, Page, Pixels, Progress, ReadSettings, Status,
} from './types.js';

export type Request =
  | { id: number; create: { build: Build; module: WebAssembly.Module; files: Record<string, Uint8Array>;
      options: EngineOptions } }
  | { id: number; read: { picture: Uint8Array | Pixels; settings: ReadSettings; tells: boolean;
      cancel: SharedArrayBuffer | undefined } }
  /** A stream: it begins with settings, and ends with neither. */
  | { id: number; live: { stream: number; settings?: LiveSettings; frame?: Frame } };

/** What a request brought. */
export type Result = Page | LiveAnswer | undefined;

export type Reply =
  | { id: number; progress: Progress }
  | { id: number; result: Result; version: string; memory: number }
  /** `ends`: the engine is beyond use. */
  | { id: number; error: { status: Status; message: string }; ends: boolean };

interface Port {
  postMessage(message: Reply, transfer?: Transferable[]): void;
}

let engine: Engine | undefined;
const streams = new Map<number, LiveReader>();

function answerLive({ stream, settings, frame }: { stream: number; settings?: LiveSettings; frame?: Frame }): Result {
  if (settings !== undefined) {
    streams.set(stream, engine!.live(settings));
    return undefined;
  }
  const reader = streams.get(stream);
  if (reader === undefined) {
    throw new MunjaError('not_found', 'the engine was started anew, which ended the reading of this stream');
  }
  if (frame !== undefined) {
    return reader.feed(frame);
  }
  try {
    return reader.finish();
  } finally {
    reader.close();
    streams.delete(stream);
  }
}

async function answer(request: Request, port: Port): Promise<void> {
  const { id } = request;
  try {
    let result: Result;
    if ('create' in request) {
      const { build, module, files, options } = request.create;
      engine = await Engine.create(files, options, build, module);
    } else if ('live' in request) {
      result = answerLive(request.live);
    } else {
      const { picture, settings, tells, cancel } = request.read;
      const isCancelled = cancel === undefined ? undefined : new Int32Array(cancel);
      result = engine!.read(picture, settings, (progress) => {
        if (tells) {
          port.postMessage({ id, progress });
        }
        return isCancelled !== undefined && Atomics.load(isCancelled, 0) !== 0;
      });
    }
    port.postMessage({ id, result, version: engine!.version, memory: engine!.memory },
      result !== undefined && 'outputs' in result
        ? Object.values(result.outputs).map((bytes) => bytes.buffer as ArrayBuffer) : []);
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
