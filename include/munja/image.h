/* Pictures: decoded from a file's bytes, upright, 8-bit RGB. */
#ifndef MUNJA_IMAGE_H_
#define MUNJA_IMAGE_H_

#include "munja/control.h"
#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct munja_image munja_image;

typedef struct munja_decode_options {
  size_t struct_size;
  int64_t max_pixels; /* 0: 120 million. A larger picture is refused. */
  /* How many may decode it, the calling one counted; 0: one for each
   * processor. WebP is decoded by up to two, all else by the calling thread.
   * The pixels never depend on it. */
  int32_t threads;
  munja_control* control; /* Of this call; NULL: see munja/control.h. */
  int32_t picture;        /* Which one, of a file of several; from 0 on. */
  /* Pixels to the inch at which a page of a PDF file is drawn. 0: those of the
   * picture, where it is the only thing on the page, else 200. */
  double dpi;
} munja_decode_options;

/* JPEG, PNG, WebP, BMP, GIF, TIFF, PNM, HEIC or AVIF (where libheif is
 * installed) or PDF (where poppler-utils is), told by its content; EXIF
 * orientation is applied. options may be NULL. A path may name a pipe or a
 * device, which is read to its end, 512 MiB at most. */
MUNJA_API munja_status munja_image_decode(const void* data, size_t size,
                                          const munja_decode_options* options,
                                          munja_image** image);
MUNJA_API munja_status munja_image_load(const char* path,
                                        const munja_decode_options* options,
                                        munja_image** image);
/* How many pictures a file holds: pages of a PDF or TIFF, of a GIF or WebP
 * animation its pictures, else 1. What is damaged behind the first counts as
 * one more. */
MUNJA_API munja_status munja_image_count(const void* data, size_t size,
                                         int32_t* count);
/* Copies rows of interleaved 8-bit RGB, `stride` bytes from row to row. */
MUNJA_API munja_status munja_image_from_rgb(const void* pixels, int32_t width,
                                            int32_t height, size_t stride,
                                            munja_image** image);
MUNJA_API void munja_image_free(munja_image* image);

MUNJA_API int32_t munja_image_width(const munja_image* image);
MUNJA_API int32_t munja_image_height(const munja_image* image);
/* Row 0; rows follow each other without a gap, 3 * width bytes each. */
MUNJA_API const uint8_t* munja_image_pixels(const munja_image* image);

/* The extensions of the picture formats above (not of PDF, which is written
 * into folders of pictures, too), lower case, separated by spaces:
 * "jpg jpeg png ...". For choosing files from a folder. */
MUNJA_API const char* munja_image_extensions(void);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_IMAGE_H_ */
