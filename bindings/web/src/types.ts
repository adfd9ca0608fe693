/** A point in pixels of the upright picture. */
export type Point = [x: number, y: number];

/** Clockwise from the top left of the text in its own reading direction. */
export type Polygon = [Point, Point, Point, Point];

/** What lines, words and characters have. Confidences are 0 to 1. */
export interface Part {
  text: string;
  confidence: number;
  polygon: Polygon;
}

export interface Character extends Part {
  /** What else it may be, the most likely first. */
  alternatives?: { text: string; confidence: number }[];
}

export interface Word extends Part {
  characters: Character[];
}

export interface Line extends Part {
  /** Where the letters stand, from the line's start to its end. */
  baseline: [Point, Point];
  direction: 'left-to-right' | 'right-to-left' | 'downwards' | 'upwards';
  /** Lines that are read one after the other (cells of a table's row) share it. */
  row?: number;
  /** A guess at a writing that the model does not know; `text` is then empty. */
  unknown_writing?: string;
  words: Word[];
}

/** A paragraph, a column or a part of a table. */
export interface Block {
  lines: Line[];
}

/** Milliseconds by stage; 0 where a stage did not run. */
export interface Timing {
  decode: number;
  detect: number;
  recognize: number;
  total: number;
}

/** What `munja read --format json2` prints for a page. */
export interface Document {
  schema_version: 2;
  source: string;
  width: number;
  height: number;
  model: string;
  /** In reading order. */
  blocks: Block[];
  timing_ms: Timing;
}

/** Files that a page can be written as. */
export type Format =
  | 'text' | 'json' | 'json2' | 'tsv' | 'hocr' | 'alto' | 'page' | 'markdown' | 'svg' | 'pdf' | 'pdf_text' | 'pdfa'
  | 'png';

/** The text of one picture. */
export interface Page extends Document {
  /** The lines' texts, with an empty line between blocks. */
  text: string;
  /** The lines of all blocks. */
  lines: Line[];
  /** One file for each of the `formats` that were asked for. */
  outputs: Partial<Record<Format, Uint8Array>>;
}

/** Why a call failed, as docs/reference/errors.md of Munja lists them. */
export type Status =
  | 'invalid_argument' | 'malformed' | 'unsupported' | 'out_of_memory' | 'io' | 'not_found' | 'unavailable'
  | 'cancelled' | 'internal' | 'timed_out' | 'needs_values';

/** A failed call: the engine's message, and its status. */
export class MunjaError extends Error {
  readonly status: Status;
  constructor(status: Status, message: string) {
    super(message);
    this.name = 'MunjaError';
    this.status = status;
  }
}

/** Bytes of a file of a model. */
export type Bytes = Uint8Array | ArrayBuffer;

/**
 * Where a model is: the address of its folder, which ends in a slash, or its files by name, "bundle.json" among them.
 */
export type Model = string | URL | Record<string, Bytes>;

export interface EngineOptions {
  /** `mixed`: integer networks, and again with float ones where a line is unsure. The default. */
  precision?: 'mixed' | 'float32';
  /** Codes of the languages of the text, for example `['ko', 'en']`: only their language models help. */
  languages?: string[];
  /** Characters that a text may have; all others are excluded. */
  allowedCharacters?: string;
  /** Characters that no text has. */
  deniedCharacters?: string;
  /** Settings of the model that are changed, for example `{detector: {limit_side: 1280}}`. */
  settings?: Record<string, unknown>;
}

/** How a picture is read. */
export interface ReadSettings {
  /** `page` (default): finds lines and reads them; `detect`: boxes without text; `line`: the picture is one line. */
  task?: 'page' | 'detect' | 'line';
  /** Lines below it are left out, 0 to 1. Default: the model's own threshold. */
  minConfidence?: number;
  /** Only this part of the upright picture is read. Results are in pixels of the whole. */
  region?: { left: number; top: number; width: number; height: number };
  /** Index of the frame of an animation, from 0. */
  picture?: number;
  /** Becomes the document's `source`. */
  source?: string;
  /** Files to write in addition: `page.outputs`. */
  formats?: Format[];
}

/** What is being done: the activity, the units done and their total (0: not known). */
export interface Progress {
  what: string;
  done: number;
  total: number;
}

/** Pixels: RGBA, 8 bits each, alpha not premultiplied. */
export interface Pixels {
  data: Uint8Array | Uint8ClampedArray;
  width: number;
  height: number;
}
