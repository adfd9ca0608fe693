/* Images: pixels of the caller's, or decoded from the bytes of a file. */
#ifndef MUNJA_IMAGE_H_
#define MUNJA_IMAGE_H_

#include "munja/control.h"
#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An upright 8-bit RGB image. Never changes; may be read by several threads at
 * once. */
typedef struct munja_image munja_image;

typedef struct munja_decode_options {
  size_t struct_size;
  int64_t max_pixels; /* A larger image is refused. 0: 120 million. */
  /* Threads that may decode it, the caller's included; 0: one per processor.
   * WebP is decoded by up to two, other formats by the caller's thread. The
   * pixels never depend on it. */
  int32_t threads;
  munja_control* control; /* For this call; NULL: see munja/control.h. */
  int32_t picture;        /* Index of the page or frame, from 0. */
  /* Resolution at which a page of a PDF file is rendered. 0: that of the image
   * if it is the only content of the page, else 200. */
  double dpi;
  munja_error* error; /* Filled if the call fails; NULL: not wanted. */
} munja_decode_options;

/* JPEG, PNG, WebP, BMP, GIF, TIFF, PNM, PDF (where poppler-utils is installed),
 * HEIC, AVIF (libheif), JPEG 2000 (OpenJPEG) or JPEG XL (libjxl), recognized by
 * content; the EXIF orientation is applied. options may be NULL. A path may
 * name a pipe or a device, which is read to its end, at most 512 MiB. */
MUNJA_API munja_status munja_image_decode(const void* data, size_t size,
                                          const munja_decode_options* options,
                                          munja_image** image);
MUNJA_API munja_status munja_image_load(const char* path,
                                        const munja_decode_options* options,
                                        munja_image** image);
/* Number of images in a file: pages of a PDF or TIFF, frames of a GIF or WebP
 * animation, else 1. Damaged data behind the first counts as one more. */
MUNJA_API munja_status munja_image_count(const void* data, size_t size,
                                         int32_t* count);

/* Memory layouts of pixels, 8 bits per channel. The YUV formats are those of
 * cameras: BT.601, limited range; chroma at half width and height, rounded up.
 */
typedef enum munja_pixel_format MUNJA_ANY_INT {
  MUNJA_PIXELS_GRAY8 = 0,
  MUNJA_PIXELS_RGB = 1,
  MUNJA_PIXELS_BGR = 2,
  MUNJA_PIXELS_RGBA = 3, /* Alpha is not premultiplied; blended over white. */
  MUNJA_PIXELS_BGRA = 4,
  MUNJA_PIXELS_NV12 = 5, /* Planes: Y, then interleaved U and V. */
  MUNJA_PIXELS_NV21 = 6, /* Planes: Y, then interleaved V and U. */
  MUNJA_PIXELS_I420 = 7  /* Planes: Y, U, V. */
} munja_pixel_format;

/* Pixels in memory of the caller. */
typedef struct munja_pixels {
  size_t struct_size;
  munja_pixel_format format;
  int32_t width, height; /* As stored, before the rotation. */
  const void* planes[3]; /* Unused ones are NULL. */
  size_t strides[3];     /* Bytes from row to row of each plane. */
  int32_t rotation;      /* Clockwise degrees that make it upright: 0, 90, 180
                            or 270. */
} munja_pixels;

/* RGB pixels without rotation are borrowed: they must stay unchanged as long as
 * the image is used. All others are converted once, and the caller's memory is
 * not needed after the call. MUNJA_INVALID_ARGUMENT: a size, stride, plane or
 * rotation that cannot be. */
MUNJA_API munja_status munja_image_from_pixels(const munja_pixels* pixels,
                                               munja_image** image);
/* Copies rows of interleaved 8-bit RGB, `stride` bytes apart. */
MUNJA_API munja_status munja_image_from_rgb(const void* pixels, int32_t width,
                                            int32_t height, size_t stride,
                                            munja_image** image);
MUNJA_API void munja_image_free(munja_image* image);

/* Width and height of the upright image. */
MUNJA_API int32_t munja_image_width(const munja_image* image);
MUNJA_API int32_t munja_image_height(const munja_image* image);
/* Row 0 of interleaved RGB, and the bytes from row to row (stride may be NULL).
 * Valid as long as the image. */
MUNJA_API const uint8_t* munja_image_pixels(const munja_image* image,
                                            size_t* stride);

/* The file name extensions of the formats above (except PDF, which directories
 * of images often hold as output), lower case, separated by spaces: "jpg jpeg
 * png ...". For choosing files from a directory. */
MUNJA_API const char* munja_image_extensions(void);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_IMAGE_H_ */
