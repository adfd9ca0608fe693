// What the page that "munja serve" shows reads with: requests to that server, with the interface of the package munja.
export const place = 'server';
// The server takes PDF files as they are.
export const openPdf = undefined;

class MunjaError extends Error {
  constructor(status, message) {
    super(message);
    this.name = 'MunjaError';
    this.status = status;
  }
}

// As the format "text" has it: rows are lines, and blocks have an empty line between them.
function textOf({ blocks }) {
  return blocks.map(({ lines }) => lines.filter(({ text }) => text !== '').map(({ text, row }, index, all) =>
    (index === 0 ? '' : row !== undefined && row === all[index - 1].row ? ' ' : '\n') + text).join(''))
    .filter((text) => text !== '').join('\n\n');
}

// Reads one picture of a track after the other. The server does not follow lines: those of each picture are new ones.
class Live {
  #isStopped = false;
  #lines = [];

  constructor(munja, track, onEvent, onFrame) {
    this.done = this.#run(munja, track, onEvent, onFrame);
    this.done.catch(() => undefined);
  }

  stop() {
    this.#isStopped = true;
    return this.done;
  }

  async #run(munja, track, onEvent, onFrame) {
    const video = document.createElement('video');
    Object.assign(video, { muted: true, playsInline: true, srcObject: new MediaStream([track]) });
    const begun = performance.now();
    let id = 0;
    const show = (lines, time) => {
      this.#lines.forEach((line) => onEvent({ ...line, kind: 'gone', time }));
      this.#lines = lines.map(({ text, confidence, polygon }) => ({
        id: ++id, text, confidence, polygon, firstTime: time, lastTime: time, isFinal: true, readings: 1,
      }));
      this.#lines.forEach((line) => onEvent({ ...line, kind: 'new', time }));
    };
    const time = () => (performance.now() - begun) / 1000;
    try {
      await video.play();
      while (!this.#isStopped && track.readyState !== 'ended') {
        const taken = time();
        const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight);
        canvas.getContext('2d').drawImage(video, 0, 0);
        const page = await munja.read(await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.92 }));
        if (!this.#isStopped) {
          show(page.lines, taken);
          onFrame?.(this.#lines, { time: taken, width: canvas.width, height: canvas.height });
        }
      }
      show([], time());
    } catch (error) {
      onEvent({ kind: 'failed', id: 0, time: time(), text: error.message, status: error.status });
      throw error;
    } finally {
      video.srcObject = null;
    }
  }
}

export class Munja {
  build = 'HTTP';
  memory = 0;
  key = '';

  static async create() {
    const munja = new Munja();
    await munja.#ask('/readyz');
    return munja;
  }

  // A picture or a PDF file. `outputs` has functions: each asks the server to write the format.
  async read(picture, { source = '', signal, formats = [] } = {}) {
    const ask = (format) => this.#ask(`/v1/read?${new URLSearchParams({ format, ...(source && { name: source.slice(0, 255) }) })}`, {
      method: 'POST', body: picture, signal, headers: { 'Content-Type': picture.type || 'application/octet-stream' },
    });
    const pages = (await (await ask('json2')).text()).trim().split('\n').map((line) => {
      const page = JSON.parse(line);
      return { ...page, text: textOf(page), lines: page.blocks.flatMap(({ lines }) => lines) };
    });
    return {
      ...pages[0], pages, text: pages.map(({ text }) => text).join('\f'),
      outputs: Object.fromEntries(formats.map((format) => [format, async () => (await ask(format)).arrayBuffer()])),
    };
  }

  live(track, onEvent, { onFrame } = {}) {
    return new Live(this, track, onEvent, onFrame);
  }

  async #ask(path, options = {}) {
    const headers = { ...options.headers, ...(this.key && { 'X-Api-Key': this.key }) };
    const answer = await fetch(path, { ...options, headers }).catch((error) => {
      throw options.signal?.aborted ? error : new MunjaError('io', `The server did not answer: ${error.message}`);
    });
    if (!answer.ok) {
      const { code, error } = await answer.json().catch(() => ({ code: 'internal', error: `HTTP status ${answer.status}` }));
      throw new MunjaError(code, error);
    }
    return answer;
  }
}
