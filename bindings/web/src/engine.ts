import { MunjaError } from './types.js';
import type {
  Bytes, Document, EngineOptions, Format, Frame, LiveAnswer, LiveBox, LiveEvent, LiveKind, LiveSettings, Page, Pixels, Point,
  Polygon, Progress, ReadSettings, Status,
} from './types.js';

export * from './types.js';

/** Builds of the engine, the fastest first. */
export type Build = 'threads' | 'simd' | 'scalar';

// What the script that emscripten writes hands out.
interface Glue {
  HEAPU8: Uint8Array;
  /** Given by us where threads share it. */
  wasmMemory?: WebAssembly.Memory;
  onProgress?: (what: string, done: number, total: number) => number;
  onEvent?: (kind: number, id: number, time: number, firstTime: number, lastTime: number, text: string,
    confidence: number, polygon: number[], isFinal: number, readings: number) => void;
  onBox?: (id: number, polygon: number[], confidence: number, isFinal: number) => void;
  _malloc(size: number): number;
  _free(pointer: number): void;
  _munja_web_status_name(): number;
  _munja_web_message(): number;
  _munja_web_version(): number;
  _munja_web_add_file(name: number, size: number): number;
  _munja_web_create(threads: number, precision: number, languages: number, allowed: number, denied: number,
    settings: number): number;
  _munja_web_free(engine: number): void;
  _munja_web_read(engine: number, data: number, size: number, width: number, height: number, picture: number,
    task: number, minConfidence: number, left: number, top: number, regionWidth: number, regionHeight: number,
    source: number, formats: number): number;
  _munja_web_output(index: number): number;
  _munja_web_output_size(index: number): number;
  _munja_web_live_create(engine: number, left: number, top: number, width: number, height: number, frameMs: number,
    timeShare: number, agreeReadings: number, bestFrames: number, appearAfter: number, leaveAfter: number,
    minConfidence: number): number;
  _munja_web_live_feed(live: number, data: number, width: number, height: number, time: number): number;
  _munja_web_live_finish(live: number): number;
  _munja_web_live_free(live: number): void;
}
type MakeGlue = (module: object) => Promise<Glue>;

const tasks = { page: 0, detect: 1, line: 2 };
const kinds: LiveKind[] = ['new', 'changed', 'moved', 'final', 'gone', 'restarted', 'failed'];
const precisions = { mixed: 0, float32: 1 };

// A function with one 128-bit instruction: valid only where there are such.
const simdProbe = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65,
  0, 253, 15, 253, 98, 11]);

const isNode = typeof process === 'object' && typeof process.versions?.node === 'string';

/**
 * The fastest build that runs here: `threads` where pages may share memory with their workers (they are cross-origin
 * isolated) and the machine has several cores, but not in Node; `scalar` in browsers without vector instructions.
 */
export function bestBuild(): Build {
  if (!WebAssembly.validate(simdProbe)) {
    return 'scalar';
  }
  return !isNode && globalThis.crossOriginIsolated === true && navigator.hardwareConcurrency > 1 ? 'threads' : 'simd';
}

/** The bytes at an address; also files, in Node. */
export async function load(address: string | URL): Promise<Uint8Array> {
  const url = new URL(address, import.meta.url);
  if (isNode && url.protocol === 'file:') {
    const { readFile } = await import('node:fs/promises');
    return readFile(url);
  }
  const response = await fetch(url).catch((error: unknown) => {
    throw new MunjaError('io', `${url}: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (!response.ok) {
    throw new MunjaError(response.status === 404 ? 'not_found' : 'io', `${url}: HTTP status ${response.status}`);
  }
  return new Uint8Array(await response.arrayBuffer());
}

/** The compiled module of a build. */
export async function compile(build: Build, folder: string | URL = import.meta.url): Promise<WebAssembly.Module> {
  return WebAssembly.compile((await load(new URL(`munja-${build}.wasm`, folder))) as BufferSource);
}

/**
 * The engine itself. Its calls return when the work is done, so it belongs in a worker: {@link Munja} keeps one there.
 */
export class Engine {
  #glue: Glue;
  #engine: number;

  private constructor(glue: Glue, engine: number) {
    this.#glue = glue;
    this.#engine = engine;
  }

  /** Makes an engine of the files of a model. */
  static async create(files: Record<string, Bytes>, options: EngineOptions = {}, build: Build = bestBuild(),
    module?: WebAssembly.Module): Promise<Engine> {
    const compiled = module ?? (await compile(build));
    const { default: make } = (await import(/* @vite-ignore */ /* webpackIgnore: true */ `./munja-${build}.mjs`)) as {
      default: MakeGlue;
    };
    const threads = build !== 'threads' ? 1
      : Math.max(1, Math.min(options.threads ?? Math.min(navigator.hardwareConcurrency, 4), 64));
    const glue = await make({
      print: () => undefined,
      printErr: () => undefined,
      instantiateWasm: (imports: WebAssembly.Imports,
        receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void) => {
        void WebAssembly.instantiate(compiled, imports).then((instance) => receive(instance, compiled));
        return {};
      },
      ...(build === 'threads' && {
        poolSize: threads,
        wasmMemory: new WebAssembly.Memory({ initial: 512, maximum: 16384, shared: true }),
        mainScriptUrlOrBlob: new URL('./munja-threads.mjs', import.meta.url).href,
        locateFile: () => new URL('./munja-threads.worker.js', import.meta.url).href,
      }),
    });
    for (const [name, content] of Object.entries(files)) {
      const bytes = content instanceof Uint8Array ? content : new Uint8Array(content);
      const pointer = withTexts(glue, [name], ([at]) => glue._munja_web_add_file(at!, bytes.length));
      heap(glue).set(bytes, pointer);
    }
    const texts = [
      (options.languages ?? []).join(','), options.allowedCharacters ?? '', options.deniedCharacters ?? '',
      options.settings === undefined ? '' : JSON.stringify(options.settings),
    ];
    const engine = withTexts(glue, texts, ([languages, allowed, denied, settings]) =>
      glue._munja_web_create(threads, precisions[options.precision ?? 'mixed'], languages!, allowed!, denied!, settings!));
    if (engine === 0) {
      throw failure(glue);
    }
    return new Engine(glue, engine);
  }

  /** The version of the engine. */
  get version(): string {
    return textAt(this.#glue, this.#glue._munja_web_version());
  }

  /** Bytes of memory that the engine has taken from the system. It never gives any back before it is gone. */
  get memory(): number {
    return heap(this.#glue).length;
  }

  /**
   * Reads the file of a picture (JPEG, PNG, WebP, GIF, BMP, PNM) or pixels. `progress` may return true: the call then
   * fails with the status `cancelled`.
   */
  read(picture: Uint8Array | Pixels, settings: ReadSettings = {}, progress?: (at: Progress) => boolean | void): Page {
    const glue = this.#glue;
    const isFile = picture instanceof Uint8Array;
    const bytes = isFile ? picture : bytesOf(picture);
    const formats: Format[] = ['json2', 'text', ...(settings.formats ?? [])];
    const data = copied(glue, bytes);
    glue.onProgress = (what, done, total) => (progress?.({ what, done, total }) === true ? 1 : 0);
    const { left = 0, top = 0, width = 0, height = 0 } = settings.region ?? {};
    const count = withTexts(glue, [settings.source ?? '', formats.join(',')], ([source, names]) =>
      glue._munja_web_read(this.#engine, data, bytes.length, isFile ? 0 : picture.width, isFile ? 0 : picture.height,
        settings.picture ?? 0, tasks[settings.task ?? 'page'], settings.minConfidence ?? -1, left, top, width, height,
        source!, names!));
    if (count === 0) {
      throw failure(glue);
    }
    const output = (index: number) => {
      const at = glue._munja_web_output(index);
      return heap(glue).slice(at, at + glue._munja_web_output_size(index));
    };
    const decoder = new TextDecoder();
    const document = JSON.parse(decoder.decode(output(0))) as Document;
    const outputs: Page['outputs'] = {};
    formats.slice(2).forEach((format, index) => {
      outputs[format] = output(index + 2);
    });
    return {
      ...document, text: decoder.decode(output(1)), lines: document.blocks.flatMap((block) => block.lines), outputs,
    };
  }

  /** Begins to read a stream. Close it before the engine. */
  live(settings: LiveSettings = {}): LiveReader {
    return new LiveReader(this.#glue, this.#engine, settings);
  }

  /** Frees the engine. */
  close(): void {
    if (this.#engine !== 0) {
      this.#glue._munja_web_free(this.#engine);
      this.#engine = 0;
    }
  }
}

/** Reads the pictures of a stream, each when it is fed: none is left out, and the call returns when it is done. */
export class LiveReader {
  #glue: Glue;
  #live: number;

  /** Use {@link Engine.live}. */
  constructor(glue: Glue, engine: number, settings: LiveSettings) {
    const { left = 0, top = 0, width = 0, height = 0 } = settings.region ?? {};
    this.#glue = glue;
    this.#live = glue._munja_web_live_create(engine, left, top, width, height, settings.frameMs ?? 0,
      settings.timeShare ?? 0, settings.agreeReadings ?? 0, settings.bestFrames ?? 0, settings.appearAfter ?? 0,
      settings.leaveAfter ?? 0, settings.minConfidence ?? -1);
    if (this.#live === 0) {
      throw failure(glue);
    }
  }

  feed(frame: Frame): LiveAnswer {
    const bytes = bytesOf(frame);
    return this.#collect(() => this.#glue._munja_web_live_feed(this.#live, copied(this.#glue, bytes), frame.width,
      frame.height, frame.time));
  }

  /** The end of the stream: all lines are reported as gone. Another stream may follow. */
  finish(): LiveAnswer {
    return this.#collect(() => this.#glue._munja_web_live_finish(this.#live));
  }

  close(): void {
    if (this.#live !== 0) {
      this.#glue._munja_web_live_free(this.#live);
      this.#live = 0;
    }
  }

  #collect(call: () => number): LiveAnswer {
    if (this.#live === 0) {
      throw new MunjaError('invalid_argument', 'this reading of a stream was closed');
    }
    const events: LiveEvent[] = [];
    const boxes: LiveBox[] = [];
    this.#glue.onEvent = (kind, id, time, firstTime, lastTime, text, confidence, polygon, isFinal, readings) => events.push({
      kind: kinds[kind]!, id, time, firstTime, lastTime, text, confidence, polygon: pointsOf(polygon),
      isFinal: isFinal !== 0, readings,
    });
    this.#glue.onBox = (id, polygon, confidence, isFinal) =>
      boxes.push({ id, polygon: pointsOf(polygon), confidence, isFinal: isFinal !== 0 });
    if (call() === 0) {
      throw failure(this.#glue);
    }
    return { events, boxes };
  }
}

function pointsOf(places: number[]): Polygon {
  return [0, 2, 4, 6].map((at): Point => [places[at]!, places[at + 1]!]) as Polygon;
}

function bytesOf({ data, width, height }: Pixels): Uint8Array | Uint8ClampedArray {
  if (!(width > 0) || data.length !== width * height * 4) {
    throw new MunjaError('invalid_argument',
      `${width} x ${height} RGBA pixels have ${width * height * 4} bytes, here are ${data.length}`);
  }
  return data;
}

// A copy of bytes in the engine's memory, which the engine frees.
function copied(glue: Glue, bytes: Uint8Array | Uint8ClampedArray): number {
  const at = glue._malloc(Math.max(bytes.length, 1));
  if (at === 0) {
    throw new MunjaError('out_of_memory', `no memory for a picture of ${bytes.length} bytes`);
  }
  heap(glue).set(bytes, at);
  return at;
}

// Shared memory that has grown in another thread is seen in a new view only.
function heap(glue: Glue): Uint8Array {
  return glue.wasmMemory === undefined ? glue.HEAPU8 : new Uint8Array(glue.wasmMemory.buffer);
}

// A copy is decoded: browsers decode no shared memory.
function textAt(glue: Glue, pointer: number): string {
  const bytes = heap(glue);
  return new TextDecoder().decode(bytes.slice(pointer, bytes.indexOf(0, pointer)));
}

function failure(glue: Glue): MunjaError {
  const status = textAt(glue, glue._munja_web_status_name()).replace(/[- ]/g, '_') as Status;
  return new MunjaError(status, textAt(glue, glue._munja_web_message()));
}

// Zero-terminated UTF-8 for the time of a call.
function withTexts<T>(glue: Glue, texts: string[], call: (pointers: number[]) => T): T {
  const pointers = texts.map((text) => {
    const bytes = new TextEncoder().encode(text);
    const at = glue._malloc(bytes.length + 1);
    if (at === 0) {
      throw new MunjaError('out_of_memory', `no memory for a text of ${bytes.length} bytes`);
    }
    const memory = heap(glue);
    memory.set(bytes, at);
    memory[at + bytes.length] = 0;
    return at;
  });
  try {
    return call(pointers);
  } finally {
    pointers.forEach((at) => glue._free(at));
  }
}
