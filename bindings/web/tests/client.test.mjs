// The client over a worker that answers as the test wants: what needs no engine.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';

import { Live, Munja, MunjaError } from '../dist/index.js';

const page = (text) => ({ schema_version: 2, text, lines: [], blocks: [], outputs: {} });
const turn = () => new Promise(setImmediate);

// A worker that keeps what it is asked. `answer` is what a test gives it.
class FakeWorker {
  asked = [];
  isEnded = false;
  postMessage(request) {
    this.asked.push(request);
    if ('create' in request) {
      this.answer({ result: undefined });
    }
  }
  answer(reply) {
    queueMicrotask(() => this.onmessage({ data: { id: 0, version: '1', memory: 7, ...reply } }));
  }
  terminate() {
    this.isEnded = true;
  }
}

describe('Client', () => {
  let folder;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'munja-client-'));
    // The smallest module there is.
    await writeFile(join(folder, 'munja-simd.wasm'), Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  // A client, and all workers that it has made.
  async function create(options = {}) {
    const workers = [];
    const munja = await Munja.create({
      build: 'simd', model: { 'bundle.json': new Uint8Array() }, wasmFolder: pathToFileURL(`${folder}/`),
      createWorker: () => {
        workers.push(new FakeWorker());
        return workers.at(-1);
      }, ...options,
    });
    return { munja, workers };
  }
  const reads = (worker) => worker.asked.filter((request) => 'read' in request);

  it('Options_GoToTheEngine', async () => {
    const { munja, workers } = await create({ languages: ['ko'], allowedCharacters: '0' });
    const [{ create: asked }] = workers[0].asked;
    assert.deepEqual(asked.options, { languages: ['ko'], allowedCharacters: '0' });
    assert.deepEqual(Object.keys(asked.files), ['bundle.json']);
    assert.equal(munja.version, '1');
    assert.equal(munja.memory, 7);
    munja.close();
    await turn();
    assert.ok(workers[0].isEnded);
  });

  it('Calls_WaitForThoseBeforeThem', async () => {
    const { munja, workers: [worker] } = await create();
    const [first, second] = [munja.read(Uint8Array.of(1)), munja.read(Uint8Array.of(2))];
    await turn();
    assert.equal(reads(worker).length, 1);
    worker.answer({ result: page('one') });
    assert.equal((await first).text, 'one');
    await turn();
    assert.deepEqual(reads(worker).map(({ read }) => [...read.picture]), [[1], [2]]);
    worker.answer({ result: page('two') });
    assert.equal((await second).text, 'two');
    munja.close();
  });

  it('Pictures_BecomeBytesOrPixels', async () => {
    const { munja, workers: [worker] } = await create();
    const asked = async (picture) => {
      const reading = munja.read(picture);
      await turn();
      await turn();
      const { read } = worker.asked.at(-1);
      worker.answer({ result: page('') });
      await reading;
      return read;
    };
    assert.deepEqual([...(await asked(Uint8Array.of(1, 2).buffer)).picture], [1, 2]);
    assert.deepEqual([...(await asked(new Blob([Uint8Array.of(3)]))).picture], [3]);
    const data = new Uint8ClampedArray(4);
    assert.deepEqual((await asked({ data, width: 1, height: 1, more: 1 })).picture, { data, width: 1, height: 1 });
    if (typeof File !== 'undefined') {
      assert.equal((await asked(new File([Uint8Array.of(4)], 'a.png'))).settings.source, 'a.png');
    }
    munja.close();
  });

  it('WaitingCall_ThatIsAborted_IsNeverAsked', async () => {
    const { munja, workers: [worker] } = await create();
    const controller = new AbortController();
    const first = munja.read(Uint8Array.of(1));
    const second = munja.read(Uint8Array.of(2), { signal: controller.signal });
    await turn();
    controller.abort();
    await assert.rejects(second, { name: 'AbortError' });
    worker.answer({ result: page('one') });
    await first;
    await turn();
    assert.equal(reads(worker).length, 1);
    munja.close();
  });

  it('RunningCall_ThatIsAborted_TellsTheEngine', async () => {
    const { munja, workers: [worker] } = await create();
    const controller = new AbortController();
    const told = [];
    const reading = munja.read(Uint8Array.of(1),
      { signal: controller.signal, onProgress: (progress) => told.push(progress) });
    await turn();
    const [{ read }] = reads(worker);
    assert.ok(read.tells);
    worker.answer({ progress: 'a' });
    await turn();
    assert.equal(new Int32Array(read.cancel)[0], 0);
    controller.abort();
    await assert.rejects(reading, { name: 'AbortError' });
    assert.equal(new Int32Array(read.cancel)[0], 1);
    worker.answer({ progress: 'b' });
    worker.answer({ error: { status: 'cancelled', message: 'it was' }, ends: false });
    await turn();
    assert.deepEqual(told, ['a']);
    // The next call is not cancelled.
    const next = munja.read(Uint8Array.of(2));
    await turn();
    assert.equal(new Int32Array(reads(worker)[1].read.cancel)[0], 0);
    worker.answer({ result: page('two') });
    assert.equal((await next).text, 'two');
    munja.close();
  });

  it('Errors_HaveAStatusAndTheEngineGoesOn', async () => {
    const { munja, workers } = await create();
    const reading = munja.read(Uint8Array.of(1));
    await turn();
    workers[0].answer({ error: { status: 'malformed', message: 'it is cut' }, ends: false });
    await assert.rejects(reading, (error) => error instanceof MunjaError && error.status === 'malformed' &&
      error.message === 'it is cut');
    const next = munja.read(Uint8Array.of(2));
    await turn();
    workers[0].answer({ result: page('two') });
    assert.equal((await next).text, 'two');
    assert.equal(workers.length, 1);
    munja.close();
  });

  for (const [name, end] of [
    ['EngineThatEnds', (worker) => worker.answer({ error: { status: 'out_of_memory', message: 'm' }, ends: true })],
    ['WorkerThatStops', (worker) => worker.onerror({ message: 'gone' })],
  ]) {
    it(`${name}_CostsItsCallAlone`, async () => {
      const { munja, workers } = await create();
      const [first, second] = [munja.read(Uint8Array.of(1)), munja.read(Uint8Array.of(2))];
      await turn();
      end(workers[0]);
      await assert.rejects(first, MunjaError);
      await turn();
      await turn();
      // Another worker makes the engine and reads.
      assert.equal(workers.length, 2);
      assert.ok(workers[0].isEnded);
      assert.deepEqual(workers[1].asked.map((request) => Object.keys(request)[1]), ['create', 'read']);
      workers[1].answer({ result: page('two') });
      assert.equal((await second).text, 'two');
      munja.close();
    });
  }

  it('Close_EndsOpenCalls', async () => {
    const { munja, workers: [worker] } = await create();
    const open = [munja.read(Uint8Array.of(1)), munja.read(Uint8Array.of(2))];
    await turn();
    munja.close();
    for (const reading of open) {
      await assert.rejects(reading, { status: 'cancelled' });
    }
    await turn();
    assert.ok(worker.isEnded);
    await assert.rejects(munja.read(Uint8Array.of(3)), { status: 'invalid_argument' });
  });

  it('MissingBuild_IsAnError', async () => {
    await assert.rejects(create({ build: 'scalar' }));
  });
});

describe('LiveClient', () => {
  async function* frames(count) {
    for (let i = 0; i < count; ++i) {
      yield { data: new Uint8ClampedArray(4), width: 1, height: 1, time: i };
    }
  }
  const answer = (text) => ({ boxes: [{ id: 1 }], events: [{ kind: 'changed', id: 1, text }] });

  it('Events_ComeInTheirOrder', async () => {
    const [asked, events, counts] = [[], [], []];
    const live = new Live(frames(2), ({ kind, text }) => events.push(`${kind} ${text}`),
      { timeShare: 0.5, onFrame: (boxes, { time }) => counts.push([boxes.length, time]) }, async (request) => {
        asked.push(request);
        return answer(request.frame === undefined ? 'last' : String(request.frame.time));
      });
    await live.done;
    assert.deepEqual(asked.map((request) => Object.keys(request)), [['settings'], ['frame'], ['frame'], []]);
    assert.deepEqual(asked[0].settings, { timeShare: 0.5 });
    assert.deepEqual(events, ['changed 0', 'changed 1', 'changed last']);
    assert.deepEqual(counts, [[1, 0], [1, 1]]);
    assert.deepEqual(live.boxes, []);
  });

  it('PictureThatFails_IsToldAndTheStreamGoesOn', async () => {
    const events = [];
    const live = new Live(frames(3), ({ kind, status }) => events.push(status ?? kind), {}, async ({ frame }) => {
      if (frame?.time === 1) {
        throw new MunjaError('timed_out', 'late');
      }
      return frame === undefined ? { boxes: [], events: [] } : answer('');
    });
    await live.done;
    assert.deepEqual(events, ['changed', 'timed_out', 'changed']);
  });

  it('EndOfTheEngine_EndsTheStream', async () => {
    const [asked, events] = [[], []];
    const live = new Live(frames(3), ({ kind, text }) => events.push(`${kind} ${text}`), {}, async (request) => {
      asked.push(request);
      if (request.frame !== undefined) {
        throw new MunjaError('internal', 'gone');
      }
      return { boxes: [], events: [] };
    });
    await assert.rejects(live.done, { status: 'internal' });
    assert.deepEqual(events, ['failed gone']);
    // The stream is closed where it still can be.
    assert.deepEqual(Object.keys(asked.at(-1)), []);
  });

  it('Stop_EndsAStreamThatWaits', async () => {
    let isReturned = false;
    const endless = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return: async () => {
          isReturned = true;
          return { done: true, value: undefined };
        },
      }),
    };
    const live = new Live(endless, () => undefined, {}, async () => ({ boxes: [], events: [] }));
    await turn();
    await live.stop();
    assert.ok(isReturned);
  });
});
