// node onnxruntime.cjs RUNNER MODEL.onnx HEIGHT WIDTH FOLDER TOLERANCE
// Feeds one picture-like input to ONNX Runtime and to RUNNER (the importer's
// reference path) and compares all numbers. Exit 77: onnxruntime-node is absent.
const fs = require('fs'), path = require('path'), { execFileSync } = require('child_process');
let ort;
try { ort = require('onnxruntime-node'); } catch { console.log('skipped: no onnxruntime-node'); process.exit(77); }

(async () => {
  const [runner, model, hs, ws, folder, tolerance] = process.argv.slice(2);
  const h = Number(hs), w = Number(ws), nhwc = new Float32Array(h * w * 3), nchw = new Float32Array(h * w * 3);
  for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) for (let c = 0; c < 3; c++) {
    const line = y % 40 >= 12 && y % 40 < 30;
    const stroke = line && ((x * 7 + Math.floor(x * x / 13)) % 17 < 6 || (y % 9 < 2 && Math.floor(x / 11) % 3 !== 0));
    const v = (stroke ? -1.2 : 1.1) + 0.1 * Math.sin(0.03 * (x + 2 * y) + c);
    nhwc[(y * w + x) * 3 + c] = v;
    nchw[(c * h + y) * w + x] = v;
  }
  const session = await ort.InferenceSession.create(model, { executionProviders: ['cpu'], graphOptimizationLevel: 'disabled' });
  const result = (await session.run({ [session.inputNames[0]]: new ort.Tensor('float32', nchw, [1, 3, h, w]) }))[session.outputNames[0]];
  const input = path.join(folder, 'in.raw'), output = path.join(folder, 'out.raw');
  fs.writeFileSync(input, Buffer.from(nhwc.buffer));
  execFileSync(runner, [model, hs, ws, input, output], { stdio: 'inherit' });
  const bytes = fs.readFileSync(output), mine = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  // Rank 4 results have one channel here, so NCHW and NHWC hold the same order.
  let largest = mine.length === result.data.length ? 0 : Infinity;
  for (let i = 0; i < mine.length; i++) largest = Math.max(largest, Math.abs(mine[i] - result.data[i]));
  console.log(`${path.basename(model)}: ${mine.length} numbers, largest difference ${largest}`);
  process.exit(largest <= Number(tolerance) ? 0 : 1);
})().catch((e) => { console.error(e.message || e); process.exit(1); });
