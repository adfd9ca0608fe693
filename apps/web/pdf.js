// PDF files: pdf.js draws their pages, which are read as pictures are.
const folder = new URL('./pdf/', import.meta.url);
const dpi = 200;
const mostPixels = 12e6;

// An open file: `count` pages; `draw` makes a canvas one of them, from 1 on.
export async function openPdf(file) {
  const { getDocument, GlobalWorkerOptions } = await import(new URL('pdf.min.mjs', folder));
  GlobalWorkerOptions.workerSrc = new URL('pdf.worker.min.mjs', folder).href;
  const loading = getDocument({
    data: await file.arrayBuffer(), isEvalSupported: false, cMapUrl: new URL('cmaps/', folder).href, cMapPacked: true,
    standardFontDataUrl: new URL('standard_fonts/', folder).href, wasmUrl: new URL('wasm/', folder).href,
    iccUrl: new URL('iccs/', folder).href,
  });
  const pdf = await loading.promise;
  return {
    count: pdf.numPages,
    async draw(number, canvas) {
      const page = await pdf.getPage(number);
      const size = page.getViewport({ scale: 1 });
      const scale = Math.min(dpi / 72, Math.sqrt(mostPixels / (size.width * size.height)));
      const viewport = page.getViewport({ scale });
      canvas.width = Math.max(1, Math.floor(viewport.width));
      canvas.height = Math.max(1, Math.floor(viewport.height));
      await page.render({ canvas, viewport, intent: 'print' }).promise;
      page.cleanup();
    },
    close: () => void loading.destroy(),
  };
}
