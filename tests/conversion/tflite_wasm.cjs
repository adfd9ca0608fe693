// node tflite_wasm.cjs MUNJA FOLDER TOLERANCE SHAPE SRC [OPTION ...]
// Converts SRC with the command MUNJA at a fixed shape and runs the result with TensorFlow Lite's own
// interpreter (its WASM build from npm) and with `munja run`: the numbers must agree. TOLERANCE is a part
// of the largest number. Exit 77: @tensorflow/tfjs-tflite is absent.
const fs = require('fs'), path = require('path'), { execFileSync } = require('child_process');
let wasm;
try {
  wasm = path.join(path.dirname(require.resolve('@tensorflow/tfjs-tflite/package.json')), 'wasm', 'tflite_web_api_cc_simd');
} catch { console.log('skipped: no @tensorflow/tfjs-tflite'); process.exit(77); }

// Strokes like those of text, about [-1, 1]; channels last.
function picture(h, w, channels) {
  const v = new Float32Array(h * w * channels);
  for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) for (let c = 0; c < channels; c++) {
    const line = y % 40 >= 12 && y % 40 < 30;
    const stroke = line && ((x * 7 + Math.floor(x * x / 13)) % 17 < 6 || (y % 9 < 2 && Math.floor(x / 11) % 3 !== 0));
    v[(y * w + x) * channels + c] = (stroke ? -0.9 : 0.9) + 0.1 * Math.sin(0.03 * (x + 2 * y) + c);
  }
  return v;
}

function npy(shape, values) {
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape.join(', ')},), }`;
  const padded = text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11) + '\n';
  const head = Buffer.alloc(10);
  head.write('\x93NUMPY\x01\x00', 'latin1');
  head.writeUInt16LE(padded.length, 8);
  return Buffer.concat([head, Buffer.from(padded, 'latin1'), Buffer.from(values.buffer)]);
}

function npyFloats(file) {
  const bytes = fs.readFileSync(file), at = 10 + bytes.readUInt16LE(8);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset + at, bytes.byteOffset + bytes.length));
}

(async () => {
  const [munja, folder, tolerance, shapeText, source, ...options] = process.argv.slice(2);
  const shape = shapeText.split('x').map(Number), model = path.join(folder, 'model.tflite');
  execFileSync(munja, ['convert', source, '-o', model, '--shape', shapeText, '--no-compare', '--json', ...options]);
  const values = picture(shape[1], shape[2], shape[3]), input = path.join(folder, 'in.npy');
  fs.writeFileSync(input, npy(shape, values));

  const M = await require(wasm + '.js')({ wasmBinary: fs.readFileSync(wasm + '.wasm'), print: () => {}, printErr: () => {} });
  const bytes = fs.readFileSync(model), at = M._malloc(bytes.length);
  M.HEAPU8.set(bytes, at);
  const made = M.TFLiteWebModelRunner.CreateFromBufferAndOptions(at, bytes.length,
    { numThreads: 1, enableProfiling: false, maxProfilingBufferEntries: 1024 });
  if (!made.ok()) throw Error('TensorFlow Lite refuses it: ' + made.errorMessage());
  const runner = made.value(), ins = runner.GetInputs(), outs = runner.GetOutputs();
  ins.get(0).data().set(values);
  if (!runner.Infer()) throw Error('TensorFlow Lite fails to run it');

  execFileSync(munja, ['run', model, '--input', `${ins.get(0).name.replace(/^serving_default_|:0$/g, '')}=${input}`,
                       '--output-dir', path.join(folder, 'out')]);
  const mine = fs.readdirSync(path.join(folder, 'out')).filter((f) => f.endsWith('.npy'));
  if (mine.length !== outs.size() || mine.length !== 1) throw Error(`${outs.size()} outputs, munja run writes ${mine.length}`);
  const got = npyFloats(path.join(folder, 'out', mine[0])), want = outs.get(0).data();
  let largest = got.length === want.length ? 0 : Infinity, scale = 1e-6;
  for (let i = 0; i < got.length; i++) {
    largest = Math.max(largest, Math.abs(got[i] - want[i]));
    scale = Math.max(scale, Math.abs(want[i]));
  }
  console.log(`${source} ${options.join(' ')}: ${got.length} numbers, largest difference ${largest} of ${scale}`);
  process.exit(largest <= Number(tolerance) * scale ? 0 : 1);
})().catch((e) => { console.error(e.message || e); process.exit(1); });
