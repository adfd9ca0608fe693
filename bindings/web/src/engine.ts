import { MunjaError } from './types.js';
import type { Bytes, Document, EngineOptions, Format, Page, Pixels, Progress, ReadSettings, Status } from './types.js';

export * from './types.js';

/** Builds of the engine, the fastest first. */
export type Build = 'simd' | 'scalar';

// What the script that emscripten writes hands out.
interface Glue {
  HEAPU8: Uint8Array;
  onProgress?: (what: string, done: number, total: number) => number;
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
}
type MakeGlue = (module: object) => Promise<Glue>;

const tasks = { page: 0, detect: 1, line: 2 };
const precisions = { mixed: 0, float32: 1 };

// A function with one 128-bit instruction: valid only where there are such.
const simdProbe = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65,
  0, 253, 15, 253, 98, 11]);

/** The fastest build that runs here. */
export function bestBuild(): Build {
  return WebAssembly.validate(simdProbe) ? 'simd' : 'scalar';
}

const isNode = typeof process === 'object' && typeof process.versions?.node === 'string';

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
    const glue = await make({
      print: () => undefined,
      printErr: () => undefined,
      instantiateWasm: (imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void) => {
        void WebAssembly.instantiate(compiled, imports).then(receive);
        return {};
      },
    });
    for (const [name, content] of Object.entries(files)) {
      const bytes = content instanceof Uint8Array ? content : new Uint8Array(content);
      const pointer = withTexts(glue, [name], ([at]) => glue._munja_web_add_file(at!, bytes.length));
      glue.HEAPU8.set(bytes, pointer);
    }
    const texts = [
      (options.languages ?? []).join(','), options.allowedCharacters ?? '', options.deniedCharacters ?? '',
      options.settings === undefined ? '' : JSON.stringify(options.settings),
    ];
    const engine = withTexts(glue, texts, ([languages, allowed, denied, settings]) =>
      glue._munja_web_create(1, precisions[options.precision ?? 'mixed'], languages!, allowed!, denied!, settings!));
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
    return this.#glue.HEAPU8.length;
  }

  /**
   * Reads the file of a picture (JPEG, PNG, WebP, GIF, BMP, PNM) or pixels. `progress` may return true: the call then
   * fails with the status `cancelled`.
   */
  read(picture: Uint8Array | Pixels, settings: ReadSettings = {}, progress?: (at: Progress) => boolean | void): Page {
    const glue = this.#glue;
    const isFile = picture instanceof Uint8Array;
    const bytes = isFile ? picture : picture.data;
    if (!isFile && (!(picture.width > 0) || bytes.length !== picture.width * picture.height * 4)) {
      throw new MunjaError('invalid_argument',
        `${picture.width} x ${picture.height} RGBA pixels have ${picture.width * picture.height * 4} bytes, here are ` +
        `${bytes.length}`);
    }
    const formats: Format[] = ['json2', 'text', ...(settings.formats ?? [])];
    const data = glue._malloc(Math.max(bytes.length, 1));
    if (data === 0) {
      throw new MunjaError('out_of_memory', `no memory for a picture of ${bytes.length} bytes`);
    }
    glue.HEAPU8.set(bytes, data);
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
      return glue.HEAPU8.slice(at, at + glue._munja_web_output_size(index));
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

  /** Frees the engine. */
  close(): void {
    if (this.#engine !== 0) {
      this.#glue._munja_web_free(this.#engine);
      this.#engine = 0;
    }
  }
}

function textAt(glue: Glue, pointer: number): string {
  return new TextDecoder().decode(glue.HEAPU8.subarray(pointer, glue.HEAPU8.indexOf(0, pointer)));
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
    glue.HEAPU8.set(bytes, at);
    glue.HEAPU8[at + bytes.length] = 0;
    return at;
  });
  try {
    return call(pointers);
  } finally {
    pointers.forEach((at) => glue._free(at));
  }
}
