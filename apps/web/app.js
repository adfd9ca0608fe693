// The page: pictures from files, the clipboard, a drop or the camera go to a Munja, and what it reads is shown.
import { Munja, openPdf, place } from './client.js';
import { messages } from './messages.js';

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
let live;
let reading;
let refused;
let rate;
// Of a PDF file: what was read of its pages, the one that is shown, and the open file.
let pages = [];
let at = 0;
let opened;
let turning = Promise.resolve();

function useLanguage(code) {
  say = messages[code] ?? messages.en;
  document.documentElement.lang = code in messages ? code : 'en';
  $('language').value = document.documentElement.lang;
  for (const element of document.querySelectorAll('[data-text]')) {
    const text = say[element.dataset.text];
    element.textContent = text[place] ?? text;
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
  const isShown = page !== undefined && !(canvas.hidden && video.hidden);
  over.toggleAttribute('hidden', !isShown);
  if (!isShown) {
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

function showTimes() {
  if (page === undefined) {
    return;
  }
  const times = $('times');
  const memory = Number(times.dataset.memory);
  const rows = [
    ...(page.timing_ms === undefined ? [] : ['decode', 'detect', 'recognize', 'total']
      .map((key) => [say[key], `${page.timing_ms[key].toFixed(0)} ms`])),
    ...(rate === undefined ? [] : [[say.frames, rate.toFixed(1)]]),
    ...(memory > 0 ? [[say.memory, `${(memory / 2 ** 20).toFixed(0)} MiB`]] : []),
    [say.build, times.dataset.build],
  ];
  times.replaceChildren(...rows.flatMap(([key, value]) => {
    const [term, description] = [document.createElement('dt'), document.createElement('dd')];
    term.textContent = key;
    description.textContent = value;
    return [term, description];
  }));
}

function show(result) {
  page = result;
  if ($('text').value !== page.text) {
    $('text').value = page.text;
  }
  canvas.setAttribute('aria-label', say.described(page.lines.length));
  for (const button of document.querySelectorAll('#downloads button')) {
    button.disabled = button.dataset.format !== undefined && button.dataset.format !== 'text' &&
      page.outputs[button.dataset.format] === undefined;
  }
  drawOver();
  showTimes();
}

function showNumber() {
  $('pages').hidden = pages.length < 2;
  $('number').textContent = `${at + 1} / ${pages.length}`;
  $('previous').disabled = at === 0;
  $('next').disabled = at + 1 >= pages.length;
}

// One page is drawn at a time; those that were turned over meanwhile are not.
function turnTo(index) {
  at = index;
  showNumber();
  const pdf = opened;
  const isWanted = () => opened === pdf && at === index;
  turning = turning.then(async () => {
    if (isWanted()) {
      await pdf.draw(index + 1, canvas);
    }
    if (isWanted()) {
      canvas.hidden = false;
      $('drop').hidden = true;
      show(pages[index]);
    }
  }).catch((error) => isWanted() && tell(() => error.message));
  return turning;
}

async function readPdf(munja, file, source, options) {
  const pdf = await openPdf(file);
  if (options.signal.aborted) {
    pdf.close();
    return undefined;
  }
  opened = pdf;
  const drawn = document.createElement('canvas');
  for (let number = 1; number <= pdf.count; ++number) {
    tell(() => say.readingPage(number, pdf.count));
    await pdf.draw(number, drawn);
    const result = await munja.read(drawn, { ...options, source: `${source}#page=${number}` });
    pages.push(result);
    await (number === 1 ? turnTo(0) : showNumber());
  }
  return pages.flatMap(({ lines }) => lines).length;
}

async function readPicture(munja, picture, source, options) {
  const bitmap = await createImageBitmap(picture).catch(() => undefined);
  if (bitmap !== undefined && !options.signal.aborted) {
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
    canvas.getContext('2d').drawImage(bitmap, 0, 0);
    bitmap.close();
    canvas.hidden = false;
    $('drop').hidden = true;
  }
  const result = await munja.read(picture, { ...options, source });
  show(result);
  return (result.pages ?? [result]).flatMap(({ lines }) => lines).length;
}

async function read(picture, source) {
  stopCamera();
  reading?.abort();
  const mine = (reading = new AbortController());
  opened?.close();
  opened = undefined;
  pages = [];
  page = undefined;
  rate = undefined;
  canvas.hidden = true;
  $('drop').hidden = false;
  $('pages').hidden = true;
  drawOver();
  tell(() => say.reading);
  try {
    const munja = await loading;
    name = source.replace(/\.[^.]*$/, '') || 'picture';
    const isPdf = picture.type === 'application/pdf' || /\.pdf$/i.test(source);
    const lines = await (isPdf && openPdf !== undefined ? readPdf : readPicture)(munja, picture, source, {
      formats, signal: mine.signal, onProgress: ({ done, total }) => showProgress(done, total),
    });
    $('times').dataset.memory = munja.memory;
    showTimes();
    if (lines !== undefined) {
      tell(() => (lines === 0 ? say.nothing : say.done(lines)));
    }
  } catch (error) {
    if (!mine.signal.aborted) {
      tell(() => error.message);
      if (error.status === 'unauthorized') {
        refused = () => read(picture, source);
        $('key-row').hidden = false;
        $('key').focus();
      }
    }
  } finally {
    if (reading === mine) {
      showProgress(1, 1);
    }
  }
}

function stopCamera() {
  if (camera === undefined) {
    return;
  }
  void live?.stop().catch(() => undefined);
  live = undefined;
  camera.getTracks().forEach((track) => track.stop());
  camera = undefined;
  video.hidden = true;
  video.srcObject = null;
  over.toggleAttribute('hidden', true);
  $('drop').hidden = false;
  $('take').hidden = true;
  $('camera').textContent = say.camera;
}

// Follows the lines in the pictures of the camera.
async function watch() {
  const current = camera;
  const munja = await loading;
  if (camera !== current) {
    return;
  }
  const lines = new Map();
  let count;
  const at = [];
  live = munja.live(current.getVideoTracks()[0], (event) => {
    if (event.kind === 'failed') {
      tell(() => event.text);
    } else if (event.kind === 'restarted') {
      lines.clear();
    } else if (event.kind === 'gone') {
      lines.delete(event.id);
    } else {
      lines.set(event.id, event.text);
    }
  }, {
    frameMs: 200, timeShare: 0.8,
    onFrame: (boxes, { width, height }) => {
      if (camera !== current) {
        return;
      }
      at.push(performance.now());
      at.splice(0, at.length - 20);
      rate = at.length < 2 ? undefined : (1000 * (at.length - 1)) / (at.at(-1) - at[0]);
      $('times').dataset.memory = munja.memory;
      const shownLines = boxes.filter(({ id }) => lines.has(id)).map(({ id, polygon }) => ({
        polygon, text: lines.get(id), words: [{ text: lines.get(id), polygon }],
      })).sort(({ polygon: [a] }, { polygon: [b] }) => a[1] - b[1] || a[0] - b[0]);
      show({ width, height, lines: shownLines, text: shownLines.map(({ text }) => text).join('\n'), outputs: {} });
      if (count !== shownLines.length) {
        count = shownLines.length;
        const now = count;
        tell(() => say.done(now));
      }
    },
  });
  await live.done.catch(() => undefined);
}

async function startCamera() {
  try {
    camera = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment', width: { ideal: 1280 } } });
  } catch (error) {
    tell(() => `${say.noCamera}: ${error.message}`);
    return;
  }
  reading?.abort();
  pages = [];
  $('pages').hidden = true;
  video.srcObject = camera;
  await video.play();
  canvas.hidden = true;
  $('drop').hidden = true;
  video.hidden = false;
  $('take').hidden = false;
  $('camera').textContent = say.stop;
  await watch();
}

function save(bytes, extension, as = name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = `${as}.${extension}`;
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
  button.addEventListener('click', async () => {
    try {
      // Texts of all pages are one file; the others have the page that is shown.
      const join = { text: '\f', markdown: '\n\n' }[format];
      const of = async (one) => {
        const output = format === 'text' ? one.text : one.outputs[format];
        return typeof output === 'function' ? output() : output;
      };
      if (pages.length < 2) {
        save(await of(page), extension);
      } else if (join === undefined) {
        save(await of(page), extension, `${name}-${at + 1}`);
      } else {
        const parts = await Promise.all(pages.map(of));
        save(new Blob(parts.flatMap((part, index) => (index === 0 ? [part] : [join, part]))), extension);
      }
    } catch (error) {
      tell(() => error.message);
    }
  });
}
$('previous').addEventListener('click', () => turnTo(at - 1));
$('next').addEventListener('click', () => turnTo(at + 1));
$('key').addEventListener('change', async ({ target }) => {
  (await loading).key = target.value;
  await refused?.();
});
$('language').addEventListener('change', ({ target }) => {
  localStorage.setItem('language', target.value);
  useLanguage(target.value);
});
useLanguage(localStorage.getItem('language') ?? navigator.language.slice(0, 2));
