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
  /** Threads that read, in the build `threads` alone. Default: as many as the machine has, at most 4. */
  threads?: number;
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

/** A picture of a stream. */
export interface Frame extends Pixels {
  /** Seconds, from any origin, later than those of the frame before. */
  time: number;
}

/** How the pictures of a camera or a video are read. Left out: the library's defaults, as munja/live.h has them. */
export interface LiveSettings {
  /** Only this part of the pictures is read. */
  region?: { left: number; top: number; width: number; height: number };
  /** Milliseconds that reading one picture may take: fewer lines and a coarser search keep to it. Default: no limit. */
  frameMs?: number;
  /** The share of the time that may be spent on reading, 0 to 1. Default: no limit. */
  timeShare?: number;
  /** Equal readings that make a text final. Default: 3. */
  agreeReadings?: number;
  /** The best readings of a line that are combined. Default: 5. */
  bestFrames?: number;
  /** Searches that must find a line before it is reported. Default: 1. */
  appearAfter?: number;
  /** Searches in a row that must miss a line before it is gone. Default: 2. */
  leaveAfter?: number;
  /** Readings below it are ignored, 0 to 1. Default: the model's own threshold. */
  minConfidence?: number;
}

/**
 * `new`: a line appeared; `changed`: its text is another one; `moved`: by more than half of its height; `final`: its
 * readings agree; `gone`: it left. Events of the whole stream, with id 0 and the reason as text: `restarted`: the size
 * of the pictures changed or the time jumped, and all lines are gone; `failed`: a picture could not be read.
 */
export type LiveKind = 'new' | 'changed' | 'moved' | 'final' | 'gone' | 'restarted' | 'failed';

export interface LiveEvent {
  kind: LiveKind;
  /** The line's, from 1; never used again. */
  id: number;
  /** Seconds, of the picture that it comes from; then those of the first and the last picture with this line. */
  time: number;
  firstTime: number;
  lastTime: number;
  /** Agreed on by the line's readings. */
  text: string;
  confidence: number;
  polygon: Polygon;
  isFinal: boolean;
  /** Readings that the text is made of. */
  readings: number;
  /** Of `failed` alone: why. */
  status?: Status;
}

/** A line as it is in the newest picture. Its text came with the events. */
export interface LiveBox {
  id: number;
  polygon: Polygon;
  confidence: number;
  isFinal: boolean;
}

/** What one picture of a stream brought. */
export interface LiveAnswer {
  events: LiveEvent[];
  boxes: LiveBox[];
}
