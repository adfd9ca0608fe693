// What the page reads with: the engine on this device. A server that shows the page has server.js here instead.
export { Munja } from './munja/dist/index.js';
export const place = 'device';
export const openPdf = async (file) => (await import('./pdf.js')).openPdf(file);

void navigator.serviceWorker?.register('sw.js').catch(() => undefined);
