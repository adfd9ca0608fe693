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

typedef enum munja_direction MUNJA_ANY_INT {
  MUNJA_LEFT_TO_RIGHT = 0,
  MUNJA_RIGHT_TO_LEFT = 1,
  MUNJA_DOWNWARDS = 2, /* As seen on the page. */
  MUNJA_UPWARDS = 3
} munja_direction;

typedef struct munja_line_layout {
  size_t struct_size;
  /* Lines of one paragraph, column or table part have the same number; it grows
   * along the document. */
  int32_t block;
  munja_direction direction;
  /* x0 y0 x1 y1: where the letters stand, from the line's start to its end. */
  float baseline[4];
  /* Lines that stand side by side and read on from one to the next, the cells
   * of a table's row or an item and its amount, have the same number; it grows
   * along the document. -1: the line is a row by itself. */
  int32_t row;
} munja_line_layout;

MUNJA_API munja_status munja_document_line_layout(
    const munja_document* document, int32_t line, munja_line_layout* layout);

/* A word: what white space separates; a line of Chinese or Japanese is one. */
typedef struct munja_word {
  size_t struct_size;
  const char* text; /* Valid as long as the document. */
  float confidence; /* 0 to 1: the mean of its characters'. */
  float polygon[8]; /* As of munja_line: around the word's ink. */
  /* Of the line's; 0 and 0 where it has none. */
  int32_t first_character, character_count;
} munja_word;

/* 0 where there is no such line, as in the following. */
MUNJA_API int32_t munja_document_word_count(const munja_document* document,
                                            int32_t line);
MUNJA_API munja_status munja_document_word(const munja_document* document,
                                           int32_t line, int32_t index,
                                           munja_word* word);

/* A character, spaces too; their texts in a row are the line's. */
typedef struct munja_character {
  size_t struct_size;
  const char* text; /* Valid as long as the document. */
  float confidence; /* 0 to 1: the network's probability. */
  float polygon[8];
  int32_t alternative_count;
} munja_character;

/* Documents that no munja_engine_read() of a line or a page made have none. */
MUNJA_API int32_t munja_document_character_count(const munja_document* document,
                                                 int32_t line);
MUNJA_API munja_status munja_document_character(const munja_document* document,
                                                int32_t line, int32_t index,
                                                munja_character* character);

/* What else the character may be, the likeliest first; bundles whose networks
 * give the best class alone have none. */
typedef struct munja_alternative {
  size_t struct_size;
  const char* text; /* Valid as long as the document. */
  float confidence; /* 0 to 1. */
} munja_alternative;

MUNJA_API munja_status munja_document_alternative(
    const munja_document* document, int32_t line, int32_t character,
    int32_t index, munja_alternative* alternative);

/* Milliseconds by stage; 0 where a stage did not run. */
typedef struct munja_timing {
  size_t struct_size;
  double decode, detect, recognize, total;
} munja_timing;

MUNJA_API munja_status munja_document_timing(const munja_document* document,
                                             munja_timing* timing);

/* One line of text for each line read, "\n" after each, an empty one between
 * blocks. munja_free(). */
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
