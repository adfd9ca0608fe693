import { bestBuild, compile, load } from './engine.js';
import type { Build } from './engine.js';
import { MunjaError } from './types.js';
import { Live } from './live.js';
import type { LiveOptions, LiveSource } from './live.js';
import { contentOf, pixelsOf } from './pixels.js';
import type { Picture } from './pixels.js';
import type { EngineOptions, LiveAnswer, LiveEvent, Model, Page, Pixels, Progress, ReadSettings } from './types.js';
import type { Reply, Request, Result } from './worker.js';

export * from './types.js';
export { Live } from './live.js';
export type { LiveOptions, LiveSource } from './live.js';
export type { Picture } from './pixels.js';
export { bestBuild } from './engine.js';
export type { Build } from './engine.js';

export interface CreateOptions extends EngineOptions {
  /** Default: the model of this package, from beside its scripts. */
  model?: Model;
  /** Default: the fastest that runs here. */
  build?: Build;
  /** The folder with the .wasm files, ending in a slash. Default: beside the scripts of this package. */
  wasmFolder?: string | URL;
  /** Makes the worker, for pages that keep the worker's script elsewhere. */
  createWorker?: () => Worker;
  /** Told while the model is loaded: files done and their number. */
  onLoad?: (done: number, total: number) => void;
  signal?: AbortSignal;
}

export interface ReadOptions extends ReadSettings {
  /**
   * Ends the wait at once. The work ends as soon where the page may share memory with its worker (Node, and pages that
   * are cross-origin isolated); elsewhere the worker finishes the picture first.
   */
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

// A worker of a browser or of Node.
interface Thread {
  post(request: Request, transfer: ArrayBuffer[]): void;
  end(): void;
}

type RequestBody<T> = T extends Request ? Omit<T, 'id'> : never;

interface Job {
  request: () => { body: RequestBody<Request>; transfer: ArrayBuffer[] };
  onProgress: ((progress: Progress) => void) | undefined;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
  isDropped: boolean;
}

/**
 * Reads pictures in a worker.
 *
 * ```js
 * const munja = await Munja.create();
 * const page = await munja.read(file);
 * console.log(page.text);
 * munja.close();
 * ```
 */
export class Munja {
  /** The build of the engine that runs. */
  readonly build: Build;
  #start: () => Promise<Thread>;
  #first: Job['request'];
  #thread: Promise<Thread> | undefined;
  #jobs: Job[] = [];
  #running: Job | undefined;
  #isClosed = false;
  #version = '';
  #memory = 0;
  #streams = 0;
  #cancel = typeof SharedArrayBuffer === 'undefined' ? undefined : new SharedArrayBuffer(4);

  private constructor(build: Build, start: (munja: Munja) => Promise<Thread>, first: Job['request']) {
    this.build = build;
    this.#start = () => start(this);
    this.#first = first;
  }

  /** Loads the engine and a model. */
  static async create(options: CreateOptions = {}): Promise<Munja> {
    const { model, build: asked, wasmFolder, createWorker, onLoad, signal, ...engineOptions } = options;
    signal?.throwIfAborted();
    let build = asked ?? bestBuild();
    const compiled = compile(build, wasmFolder).catch((error: unknown) => {
      // A site need not have all builds.
      if (build !== 'threads' || asked !== undefined) {
        throw error;
      }
      build = 'simd';
      return compile(build, wasmFolder);
    });
    const [module, files] = await Promise.all([compiled, filesOf(model, onLoad)]);
    signal?.throwIfAborted();
    const munja = new Munja(build, (owner) => startThread(createWorker, (reply) => owner.#receive(reply)), () => ({
      body: { create: { build, module, files, options: engineOptions } }, transfer: [],
    }));
    try {
      await munja.#add(munja.#first, undefined, signal);
    } catch (error) {
      munja.close();
      throw error;
    }
    return munja;
  }

  /** The version of the engine. */
  get version(): string {
    return this.#version;
  }

  /** Bytes of memory that the engine had taken when it last answered. */
  get memory(): number {
    return this.#memory;
  }

  /** Reads a picture. Calls wait for those before them. */
  async read(picture: Picture, options: ReadOptions = {}): Promise<Page> {
    const { signal, onProgress, ...settings } = options;
    signal?.throwIfAborted();
    const { content, blob } = await contentOf(picture, settings);
    const ask = (what: Uint8Array | Pixels) => this.#add(() => ({
      body: { read: { picture: what, settings, tells: onProgress !== undefined, cancel: this.#cancel } }, transfer: [],
    }), onProgress, signal);
    try {
      return (await ask(content)) as Page;
    } catch (error) {
      // What the engine does not decode the browser may.
      if (!(error instanceof MunjaError) || error.status !== 'unsupported' || blob === undefined ||
          typeof createImageBitmap !== 'function') {
        throw error;
      }
      const bitmap = await createImageBitmap(blob).catch(() => undefined);
      if (bitmap === undefined) {
        throw error;
      }
      const pixels = pixelsOf(bitmap, bitmap.width, bitmap.height);
      bitmap.close();
      return (await ask(pixels)) as Page;
    }
  }

  /**
   * Reads the pictures of a camera or a video: lines keep their number from picture to picture, and events tell what
   * appears, changes and leaves. Only the newest picture is read when the worker is free for it. `read` may be called
   * meanwhile.
   */
  live(source: LiveSource, onEvent: (event: LiveEvent) => void, options: LiveOptions = {}): Live {
    const stream = ++this.#streams;
    return new Live(source, onEvent, options, async ({ settings, frame }) => {
      const transfer = frame === undefined ? [] : [frame.data.buffer as ArrayBuffer];
      return (await this.#add(() => ({
        body: { live: { stream, ...(settings && { settings }), ...(frame && { frame }) } }, transfer,
      }), undefined, undefined)) as LiveAnswer;
    });
  }

  /** Ends the worker. Calls that still wait fail. */
  close(): void {
    this.#isClosed = true;
    void this.#thread?.then((thread) => thread.end(), () => undefined);
    this.#thread = undefined;
    const open = [...(this.#running === undefined ? [] : [this.#running]), ...this.#jobs];
    this.#running = undefined;
    this.#jobs = [];
    open.forEach((job) => job.reject(new MunjaError('cancelled', 'this Munja was closed')));
  }

  [Symbol.for('Symbol.dispose')](): void {
    this.close();
  }

  #add(request: Job['request'], onProgress: Job['onProgress'], signal: AbortSignal | undefined):
      Promise<Result> {
    if (this.#isClosed) {
      return Promise.reject(new MunjaError('invalid_argument', 'this Munja was closed'));
    }
    return new Promise((resolve, reject) => {
      const job: Job = { request, onProgress, resolve, reject, isDropped: false };
      const stop = () => {
        job.isDropped = true;
        this.#jobs = this.#jobs.filter((other) => other !== job);
        if (this.#running === job && this.#cancel !== undefined) {
          Atomics.store(new Int32Array(this.#cancel), 0, 1);
        }
        reject(signal!.reason);
      };
      signal?.addEventListener('abort', stop, { once: true });
      const settle = <T>(done: (value: T) => void) => (value: T) => {
        signal?.removeEventListener('abort', stop);
        done(value);
      };
      job.resolve = settle(resolve);
      job.reject = settle(reject);
      this.#jobs.push(job);
      void this.#next();
    });
  }

  async #next(): Promise<void> {
    const job = this.#running === undefined ? this.#jobs.shift() : undefined;
    if (job === undefined) {
      return;
    }
    this.#running = job;
    try {
      // After the engine has stopped it is made again before the next request.
      const isNew = this.#thread === undefined;
      this.#thread ??= this.#start();
      const thread = await this.#thread;
      if (this.#running !== job) {
        return;
      }
      if (isNew && job.request !== this.#first) {
        this.#jobs.unshift(job);
        this.#running = {
          request: this.#first, onProgress: undefined, isDropped: false, resolve: () => undefined,
          reject: (reason) => {
            this.#jobs = this.#jobs.filter((other) => other !== job);
            job.reject(reason);
          },
        };
      }
      if (this.#cancel !== undefined) {
        Atomics.store(new Int32Array(this.#cancel), 0, job.isDropped ? 1 : 0);
      }
      const { body, transfer } = this.#running.request();
      thread.post({ id: 0, ...body } as Request, transfer);
    } catch (error) {
      this.#thread = undefined;
      this.#running = undefined;
      job.reject(error);
      void this.#next();
    }
  }

  #receive(reply: Reply): void {
    const job = this.#running;
    if (job === undefined) {
      return;
    }
    if ('progress' in reply) {
      if (!job.isDropped) {
        job.onProgress?.(reply.progress);
      }
      return;
    }
    this.#running = undefined;
    if ('error' in reply) {
      if (reply.ends) {
        void this.#thread?.then((thread) => thread.end());
        this.#thread = undefined;
      }
      job.reject(new MunjaError(reply.error.status, reply.error.message));
    } else {
      this.#version = reply.version;
      this.#memory = reply.memory;
      job.resolve(reply.result);
    }
    void this.#next();
  }
}

async function startThread(createWorker: (() => Worker) | undefined, receive: (reply: Reply) => void):
    Promise<Thread> {
  const stopped = (message: string): Reply =>
    ({ id: 0, ends: true, error: { status: 'internal', message: `the worker stopped: ${message}` } });
  if (createWorker === undefined && typeof Worker === 'undefined') {
    const { Worker: NodeWorker } = await import('node:worker_threads');
    const worker = new NodeWorker(new URL('./worker.js', import.meta.url));
    worker.on('message', receive);
    worker.on('error', (error) => receive(stopped(String(error))));
    // A program ends when its own work is done, also where it forgets close(); an open request keeps it alive.
    worker.unref();
    return {
      post: (request, transfer) => {
        worker.ref();
        worker.once('message', function idle(reply: Reply) {
          if ('progress' in reply) {
            worker.once('message', idle);
          } else {
            worker.unref();
          }
        });
        worker.postMessage(request, transfer);
      },
      end: () => void worker.terminate(),
    };
  }
  const worker = createWorker?.() ?? new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  worker.onmessage = (event: MessageEvent<Reply>) => receive(event.data);
  worker.onerror = (event) => receive(stopped(event.message ?? 'its script could not be loaded'));
  return { post: (request, transfer) => worker.postMessage(request, transfer), end: () => worker.terminate() };
}

async function filesOf(model: Model | undefined, onLoad: CreateOptions['onLoad']): Promise<Record<string, Uint8Array>> {
  if (model !== undefined && typeof model !== 'string' && !(model instanceof URL)) {
    return Object.fromEntries(Object.entries(model).map(([name, bytes]) =>
      [name, bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes)]));
  }
  const base = typeof location === 'object' ? location.href : import.meta.url;
  const folder = model === undefined ? new URL('../model/', import.meta.url) : new URL(model, base);
  const bundle = await load(new URL('bundle.json', folder));
  const names = [...namesIn(JSON.parse(new TextDecoder().decode(bundle)))];
  let done = 0;
  const loaded = await Promise.all(names.map(async (name) => {
    const bytes = await load(new URL(name, folder));
    onLoad?.(++done, names.length);
    return [name, bytes] as const;
  }));
  return { 'bundle.json': bundle, ...Object.fromEntries(loaded) };
}

// Every file that a bundle.json names, wherever it names it.
function* namesIn(part: unknown): Generator<string> {
  if (typeof part !== 'object' || part === null) {
    return;
  }
  if ('file' in part && 'sha256' in part && typeof part.file === 'string') {
    yield part.file;
  }
  for (const value of Object.values(part)) {
    yield* namesIn(value);
  }
}
