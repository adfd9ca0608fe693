/* Document: what was read from one picture. */
#ifndef MUNJA_DOCUMENT_H_
#define MUNJA_DOCUMENT_H_

#include "munja/image.h"
#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Never changes; may be read by several threads at once. */
typedef struct munja_document munja_document;

MUNJA_API void munja_document_free(munja_document* document);

/* Of the upright picture, in pixels. */
MUNJA_API int32_t munja_document_width(const munja_document* document);
MUNJA_API int32_t munja_document_height(const munja_document* document);

typedef struct munja_line {
  const char* text; /* Valid as long as the document. */
  float confidence; /* 0 to 1. */
  /* x0 y0 x1 y1 ...: clockwise from the text's own top-left, pixels of the
   * upright picture. */
  float polygon[8];
} munja_line;

/* Lines are in reading order. */
MUNJA_API int32_t munja_document_line_count(const munja_document* document);
MUNJA_API munja_status munja_document_line(const munja_document* document,
                                           int32_t index, munja_line* line);

/* The writing of a line that the model does not know, by its looks:
 * "cyrillic", "greek", "arabic", "hebrew", "cjk", "hangul" or "other". Such a
 * line of a page has an empty text; one that was read alone (MUNJA_READ_LINE)
 * keeps it. NULL for every other line, and where there is none. Valid as long
 * as the document. */
MUNJA_API const char* munja_document_unknown_writing(
    const munja_document* document, int32_t index);

/* Milliseconds by stage; 0 where a stage did not run. */
typedef struct munja_timing {
  size_t struct_size;
  double decode, detect, recognize, total;
} munja_timing;

MUNJA_API munja_status munja_document_timing(const munja_document* document,
                                             munja_timing* timing);

/* One line of text for each line read, "\n" after each. munja_free(). */
MUNJA_API munja_status munja_document_to_text(const munja_document* document,
                                              char** text);
/* One JSON object without a line break, schema_version 1; `source` goes into
 * its field of that name. munja_free(). */
MUNJA_API munja_status munja_document_to_json(const munja_document* document,
                                              const char* source, char** json);

/* Writes a PNG: the picture with the polygons of the lines drawn over it, as
 * munja_write_file() of munja/workshop.h writes. */
MUNJA_API munja_status munja_document_write_overlay(
    const munja_document* document, const munja_image* image, const char* path);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_DOCUMENT_H_ */
