import { pixelsOf } from './pixels.js';
import { MunjaError } from './types.js';
import type { Frame, LiveAnswer, LiveBox, LiveEvent, LiveSettings } from './types.js';

/** Where pictures come from: a track of a camera, an element that shows a video, or a program's own pictures. */
export type LiveSource = MediaStreamTrack | HTMLVideoElement | AsyncIterable<Frame>;

export interface LiveOptions extends LiveSettings {
  /** Told after each picture that was taken, with where the lines are in it. */
  onFrame?: (boxes: LiveBox[], frame: { time: number; width: number; height: number }) => void;
  /** Ends it, as `stop` does. */
  signal?: AbortSignal;
}

type Ask = (request: { settings?: LiveSettings; frame?: Frame }) => Promise<LiveAnswer>;

/** The reading of a stream, begun by `munja.live()`. */
export class Live {
  /**
   * Settled when the stream has ended or was stopped, after the last event. It is rejected where reading cannot go on;
   * an event `failed` tells that, too.
   */
  readonly done: Promise<void>;
  #boxes: LiveBox[] = [];
  #stop!: () => void;
  #stopped = new Promise<'stopped'>((resolve) => {
    this.#stop = () => resolve('stopped');
  });

  /** Use `munja.live()`. */
  constructor(source: LiveSource, onEvent: (event: LiveEvent) => void, options: LiveOptions, ask: Ask) {
    const { onFrame, signal, ...settings } = options;
    if (signal?.aborted === true) {
      this.#stop();
    }
    signal?.addEventListener('abort', this.#stop, { once: true });
    this.done = this.#run(source, onEvent, onFrame, settings, ask)
      .finally(() => signal?.removeEventListener('abort', this.#stop));
    this.done.catch(() => undefined);  // Programs that listen to events alone are told there.
  }

  /** Where the lines are in the picture that was read last. */
  get boxes(): LiveBox[] {
    return this.#boxes;
  }

  /** Ends the reading: all lines are reported as gone. The track or element stays as it is. */
  stop(): Promise<void> {
    this.#stop();
    return this.done;
  }

  async #run(source: LiveSource, onEvent: (event: LiveEvent) => void, onFrame: LiveOptions['onFrame'],
    settings: LiveSettings, ask: Ask): Promise<void> {
    let time = 0;
    const tell = ({ status, message }: MunjaError): undefined => {
      onEvent({
        kind: 'failed', id: 0, time, firstTime: time, lastTime: time, text: message, confidence: 0,
        polygon: [[0, 0], [0, 0], [0, 0], [0, 0]], isFinal: false, readings: 0, status,
      });
    };
    let frames: AsyncIterator<Frame> | undefined;
    let isOpen = false;
    try {
      await ask({ settings });
      isOpen = true;
      frames = framesOf(source)[Symbol.asyncIterator]();
      for (;;) {
        const next = await Promise.race([this.#stopped, frames.next()]);
        if (next === 'stopped' || next.done === true) {
          break;
        }
        const { width, height } = next.value;
        time = next.value.time;
        // One picture that fails does not end the stream; the end of the engine does.
        const answer = await ask({ frame: next.value }).catch((error: unknown) => {
          if (error instanceof MunjaError && ['malformed', 'out_of_memory', 'timed_out'].includes(error.status)) {
            return tell(error);
          }
          throw error;
        });
        if (answer !== undefined) {
          this.#boxes = answer.boxes;
          answer.events.forEach(onEvent);
          onFrame?.(answer.boxes, { time, width, height });
        }
      }
      this.#boxes = [];
      isOpen = false;
      (await ask({})).events.forEach(onEvent);
    } catch (error) {
      if (error instanceof MunjaError) {
        tell(error);
      }
      throw error;
    } finally {
      if (isOpen) {
        await ask({}).catch(() => undefined);
      }
      void frames?.return?.();
    }
  }
}

function framesOf(source: LiveSource): AsyncIterable<Frame> {
  if (Symbol.asyncIterator in source) {
    return copiesOf(source);
  }
  return 'videoWidth' in source ? framesOfVideo(source, () => source.ended) : framesOfTrack(source);
}

// The worker takes the pixels away; the program keeps its own. A generator would not hear of the end while it waits for
// a picture.
function copiesOf(frames: AsyncIterable<Frame>): AsyncIterable<Frame> {
  const source = frames[Symbol.asyncIterator]();
  const iterator: AsyncIterator<Frame> = {
    next: async () => {
      const next = await source.next();
      return next.done === true ? next : { done: false, value: { ...next.value, data: next.value.data.slice() } };
    },
    return: async () => (await source.return?.()) ?? { done: true, value: undefined },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

async function* framesOfTrack(track: MediaStreamTrack): AsyncGenerator<Frame> {
  const video = document.createElement('video');
  video.muted = true;
  video.playsInline = true;
  video.srcObject = new MediaStream([track]);
  try {
    await video.play();
    yield* framesOfVideo(video, () => track.readyState === 'ended');
  } finally {
    video.srcObject = null;
  }
}

async function* framesOfVideo(video: HTMLVideoElement, isOver: () => boolean): AsyncGenerator<Frame> {
  const canvas = new OffscreenCanvas(1, 1);
  let last = -1;
  while (!isOver()) {
    await nextPicture(video);
    if (video.videoWidth > 0 && video.currentTime !== last) {
      last = video.currentTime;
      yield { ...pixelsOf(video, video.videoWidth, video.videoHeight, canvas), time: last };
    }
  }
}

// The timer is for browsers that do not tell, and for videos that stand still.
function nextPicture(video: HTMLVideoElement): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 'requestVideoFrameCallback' in video ? 250 : 33);
    video.requestVideoFrameCallback?.(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
