// Pictures as a page has them, made into bytes or pixels.
import { MunjaError } from './types.js';
import type { Bytes, Pixels, ReadSettings } from './types.js';

/** A picture: the bytes of a file, pixels, or whatever a page shows. */
export type Picture =
  | Blob | Bytes | Pixels | ImageData | ImageBitmap | HTMLImageElement | HTMLVideoElement | HTMLCanvasElement
  | OffscreenCanvas;

export async function contentOf(picture: Picture, settings: ReadSettings):
    Promise<{ content: Uint8Array | Pixels; blob?: Blob }> {
  if (picture instanceof Uint8Array) {
    return { content: picture };
  }
  if (picture instanceof ArrayBuffer) {
    return { content: new Uint8Array(picture) };
  }
  if (picture instanceof Blob) {
    if (settings.source === undefined && typeof File !== 'undefined' && picture instanceof File) {
      settings.source = picture.name;
    }
    return { content: new Uint8Array(await picture.arrayBuffer()), blob: picture };
  }
  if ('data' in picture) {
    return { content: { data: picture.data as Uint8ClampedArray, width: picture.width, height: picture.height } };
  }
  if ('naturalWidth' in picture) {
    await picture.decode();
    return { content: pixelsOf(picture, picture.naturalWidth, picture.naturalHeight) };
  }
  if ('videoWidth' in picture) {
    return { content: pixelsOf(picture, picture.videoWidth, picture.videoHeight) };
  }
  return { content: pixelsOf(picture, picture.width, picture.height) };
}

/**
 * In its own size: browsers enlarge and reduce in different ways, the engine in one. `canvas` is used where it is given,
 * and takes the picture's size.
 */
export function pixelsOf(picture: CanvasImageSource, width: number, height: number, canvas?: OffscreenCanvas): Pixels {
  if (!(width > 0 && height > 0)) {
    throw new MunjaError('invalid_argument', 'the picture has no pixels yet');
  }
  canvas ??= new OffscreenCanvas(width, height);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) {
    throw new MunjaError('unavailable', 'this browser has no canvas to take pixels from');
  }
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  return { data, width, height };
}
