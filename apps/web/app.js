// The page: pictures from files, the clipboard, a drop or the camera go to a Munja, and what it reads is shown.
import { messages } from './messages.js';
import { Munja } from './munja/dist/index.js';

const $ = (id) => document.getElementById(id);
const canvas = $('canvas');
const video = $('video');
const over = $('over');
const formats = ['markdown', 'pdf', 'hocr', 'json2'];

let say = messages.en;
let page;
let name = 'picture';
let shown = () => '';
let camera;
let reading;

function useLanguage(code) {
  say = messages[code] ?? messages.en;
  document.documentElement.lang = code in messages ? code : 'en';
  $('language').value = document.documentElement.lang;
  for (const element of document.querySelectorAll('[data-text]')) {
    element.textContent = say[element.dataset.text];
  }
  for (const element of document.querySelectorAll('[data-label]')) {
    element.setAttribute('aria-label', say[element.dataset.label]);
  }
  $('camera').textContent = camera ? say.stop : say.camera;
  $('status').textContent = shown();
  showTimes();
}

// Kept as a function, so that it can be said in another language later.
function tell(text) {
  shown = text;
  $('status').textContent = text();
}

function showProgress(done, total) {
  const bar = $('progress');
  bar.hidden = !(total > 0) || done >= total;
  bar.value = total > 0 ? done / total : 0;
}

tell(() => say.loading);
const begun = performance.now();
const loading = Munja.create({ onLoad: showProgress });
loading.then((munja) => {
  document.body.dataset.ready = String(Math.round(performance.now() - begun));
  if (shown() === say.loading) {
    tell(() => say.ready);
  }
  $('times').dataset.build = munja.build;
}, (error) => tell(() => error.message));

function svg(tag, attributes, text = '') {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  element.textContent = text;
  return element;
}

// Boxes and words that can be selected, in pixels of the picture.
function drawOver() {
  over.replaceChildren();
  over.toggleAttribute('hidden', page === undefined);
  if (page === undefined) {
    return;
  }
  over.setAttribute('viewBox', `0 0 ${page.width} ${page.height}`);
  for (const line of page.lines) {
    over.append(svg('polygon', { points: line.polygon.join(' ') }));
    for (const { text, polygon: [a, b, , d] } of line.words) {
      const width = Math.hypot(b[0] - a[0], b[1] - a[1]);
      const height = Math.hypot(d[0] - a[0], d[1] - a[1]);
      const angle = (Math.atan2(b[1] - a[1], b[0] - a[0]) * 180) / Math.PI;
      over.append(svg('text', {
        x: 0, y: 0, 'font-size': height * 0.9, textLength: Math.max(width, 1), lengthAdjust: 'spacingAndGlyphs',
        transform: `translate(${d[0]} ${d[1]}) rotate(${angle}) translate(0 ${-height * 0.18})`,
      }, `${text} `));
    }
  }
}

function showTimes(frames) {
  if (page === undefined) {
    return;
  }
  const times = $('times');
  const rows = ['decode', 'detect', 'recognize', 'total'].map((key) => [say[key], `${page.timing_ms[key].toFixed(0)} ms`]);
  if (frames !== undefined) {
    rows.push([say.frames, frames.toFixed(1)]);
  }
  rows.push([say.memory, `${(Number(times.dataset.memory) / 2 ** 20).toFixed(0)} MiB`], [say.build, times.dataset.build]);
  times.replaceChildren(...rows.flatMap(([key, value]) => {
    const [term, description] = [document.createElement('dt'), document.createElement('dd')];
    term.textContent = key;
    description.textContent = value;
    return [term, description];
  }));
}

function show(result, frames) {
  page = result;
  $('text').value = page.text;
  canvas.setAttribute('aria-label', say.described(page.lines.length));
  for (const button of document.querySelectorAll('#downloads button')) {
    button.disabled = button.dataset.format !== undefined && button.dataset.format !== 'text' &&
      page.outputs[button.dataset.format] === undefined;
  }
  drawOver();
  showTimes(frames);
}

async function read(picture, source) {
  stopCamera();
  reading?.abort();
  const mine = (reading = new AbortController());
  page = undefined;
  drawOver();
  tell(() => say.reading);
  try {
    const munja = await loading;
    const bitmap = await createImageBitmap(picture).catch(() => undefined);
    if (bitmap !== undefined && !mine.signal.aborted) {
      canvas.width = bitmap.width;
      canvas.height = bitmap.height;
      canvas.getContext('2d').drawImage(bitmap, 0, 0);
      bitmap.close();
      canvas.hidden = false;
      $('drop').hidden = true;
    }
    const result = await munja.read(picture, {
      source, formats, signal: mine.signal, onProgress: ({ done, total }) => showProgress(done, total),
    });
    $('times').dataset.memory = munja.memory;
    name = source.replace(/\.[^.]*$/, '') || 'picture';
    show(result);
    tell(() => (result.lines.length === 0 ? say.nothing : say.done(result.lines.length)));
  } catch (error) {
    if (!mine.signal.aborted) {
      tell(() => error.message);
    }
  } finally {
    showProgress(1, 1);
  }
}

function stopCamera() {
  camera?.getTracks().forEach((track) => track.stop());
  camera = undefined;
  video.hidden = true;
  video.srcObject = null;
  $('take').hidden = true;
  $('camera').textContent = say.camera;
}

// Reads one picture of the camera after the other and draws where the text is.
async function watch() {
  let last = performance.now();
  const munja = await loading;
  const current = camera;
  while (camera !== undefined && camera === current) {
    const result = await munja.read(video).catch((error) => tell(() => error.message));
    if (camera !== current || result === undefined) {
      return;
    }
    $('times').dataset.memory = munja.memory;
    const now = performance.now();
    show(result, 1000 / (now - last));
    tell(() => say.done(result.lines.length));
    last = now;
  }
}

async function startCamera() {
  try {
    camera = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment', width: { ideal: 1280 } } });
  } catch (error) {
    tell(() => `${say.noCamera}: ${error.message}`);
    return;
  }
  reading?.abort();
  video.srcObject = camera;
  await video.play();
  canvas.hidden = true;
  $('drop').hidden = true;
  video.hidden = false;
  $('take').hidden = false;
  $('camera').textContent = say.stop;
  await watch();
}

function save(bytes, extension) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = `${name}.${extension}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

$('file').addEventListener('change', ({ target }) => {
  const [file] = target.files;
  target.value = '';
  if (file !== undefined) {
    void read(file, file.name);
  }
});
document.addEventListener('paste', ({ clipboardData }) => {
  const [file] = clipboardData.files;
  if (file !== undefined) {
    void read(file, file.name);
  }
});
document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener('drop', (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file !== undefined) {
    void read(file, file.name);
  }
});
$('camera').addEventListener('click', () => (camera === undefined ? startCamera() : stopCamera()));
$('take').addEventListener('click', () => {
  const { videoWidth, videoHeight } = video;
  const still = new OffscreenCanvas(videoWidth, videoHeight);
  still.getContext('2d').drawImage(video, 0, 0);
  void still.convertToBlob().then((blob) => read(blob, 'camera.png'));
});
$('show').addEventListener('change', ({ target }) => over.classList.toggle('solid', target.checked));
$('copy').addEventListener('click', async () => {
  await navigator.clipboard.writeText(page.text);
  tell(() => say.copied);
});
for (const button of document.querySelectorAll('[data-format]')) {
  const { format, extension } = button.dataset;
  button.addEventListener('click', () => save(format === 'text' ? page.text : page.outputs[format], extension));
}
$('language').addEventListener('change', ({ target }) => {
  localStorage.setItem('language', target.value);
  useLanguage(target.value);
});
useLanguage(localStorage.getItem('language') ?? navigator.language.slice(0, 2));
void navigator.serviceWorker?.register('sw.js').catch(() => undefined);
