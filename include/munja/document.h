/* Document: the text of one image. */
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

/* Size of the upright image, in pixels. */
MUNJA_API int32_t munja_document_width(const munja_document* document);
MUNJA_API int32_t munja_document_height(const munja_document* document);

/* Direction in which the text of a line runs, as seen on the page. */
typedef enum munja_direction MUNJA_ANY_INT {
  MUNJA_DIRECTION_LEFT_TO_RIGHT = 0,
  MUNJA_DIRECTION_RIGHT_TO_LEFT = 1,
  MUNJA_DIRECTION_DOWN = 2,
  MUNJA_DIRECTION_UP = 3
} munja_direction;

/* A line of text. Texts are valid as long as the document. */
typedef struct munja_line {
  size_t struct_size;
  const char* text;
  float confidence; /* 0 to 1. */
  /* x0 y0 x1 y1 ...: clockwise from the text's own top left corner, pixels of
   * the upright image. */
  float polygon[8];
  /* Lines of one paragraph, column or table part share a number, which grows
   * along the document. */
  int32_t block;
  /* Lines side by side that are read in sequence (cells of a table row, an item
   * and its price) share a number, which grows along the document. -1: the line
   * is a row by itself. */
  int32_t row;
  munja_direction direction;
  float baseline[4]; /* x0 y0 x1 y1, from the line's start to its end. */
  /* The script of a line that the model cannot read, as guessed from its shape:
   * "cyrillic", "greek", "arabic", "hebrew", "cjk", "hangul" or "other"; NULL
   * for all other lines. Such a line of a page has an empty text; one that was
   * read alone (MUNJA_TASK_LINE) keeps it. */
  const char* unknown_script;
} munja_line;

/* Lines are in reading order. */
MUNJA_API int32_t munja_document_line_count(const munja_document* document);
MUNJA_API munja_status munja_document_line(const munja_document* document,
                                           int32_t index, munja_line* line);

/* A word, delimited by white space; a line of Chinese or Japanese is one. */
typedef struct munja_word {
  size_t struct_size;
  const char* text; /* Valid as long as the document. */
  float confidence; /* 0 to 1: the mean of its characters. */
  float polygon[8]; /* Around the word's ink; corners as in munja_line. */
  /* Its characters within the line; 0 and 0 if the line has none. */
  int32_t first_character, character_count;
} munja_word;

/* 0 for a line that does not exist, as in the following. */
MUNJA_API int32_t munja_document_word_count(const munja_document* document,
                                            int32_t line);
MUNJA_API munja_status munja_document_word(const munja_document* document,
                                           int32_t line, int32_t index,
                                           munja_word* word);

/* A character, spaces included; concatenated they are the line's text. */
typedef struct munja_character {
  size_t struct_size;
  const char* text; /* Valid as long as the document. */
  float confidence; /* 0 to 1: the network's probability. */
  float polygon[8];
  int32_t alternative_count;
} munja_character;

/* Only lines that munja_engine_read() recognized have characters. */
MUNJA_API int32_t munja_document_character_count(const munja_document* document,
                                                 int32_t line);
MUNJA_API munja_status munja_document_character(const munja_document* document,
                                                int32_t line, int32_t index,
                                                munja_character* character);

/* Another reading of a character, the most likely first; models whose networks
 * output only the best class have none. */
typedef struct munja_alternative {
  size_t struct_size;
  const char* text; /* Valid as long as the document. */
  float confidence; /* 0 to 1. */
} munja_alternative;

MUNJA_API munja_status munja_document_alternative(
    const munja_document* document, int32_t line, int32_t character,
    int32_t index, munja_alternative* alternative);

/* ---- The whole document in one call ---- */

/* Elements of the arrays below. Their layout is permanently fixed. Texts
 * are ranges of munja_document_view.text, UTF-8. */
typedef struct munja_line_view {
  uint32_t text_begin, text_size;
  uint32_t word_begin, word_count;
  uint32_t character_begin, character_count;
  float confidence;
  float polygon[8];
  float baseline[4];
  int32_t block, row, direction;
} munja_line_view;

typedef struct munja_word_view {
  uint32_t text_begin, text_size;
  uint32_t line;
  uint32_t character_begin, character_count;
  float confidence;
  float polygon[8];
} munja_word_view;

typedef struct munja_character_view {
  uint32_t text_begin, text_size;
  float confidence;
  float polygon[8];
} munja_character_view;

/* All lines, words and characters in arrays, for bindings: no call for each
 * word. Everything is valid as long as the document. */
typedef struct munja_document_view {
  size_t struct_size;
  const char* text; /* The lines' texts, "\n" after each; zero-terminated. */
  size_t text_size;
  const munja_line_view* lines;
  size_t line_count;
  const munja_word_view* words;
  size_t word_count;
  const munja_character_view* characters;
  size_t character_count;
} munja_document_view;

/* Builds the arrays at the first call of a document. */
MUNJA_API munja_status munja_document_get_view(const munja_document* document,
                                               munja_document_view* view);

/* Milliseconds by stage; 0 where a stage did not run. */
typedef struct munja_timing {
  size_t struct_size;
  double decode, detect, recognize, total;
} munja_timing;

MUNJA_API munja_status munja_document_timing(const munja_document* document,
                                             munja_timing* timing);

/* The lines' texts, "\n" after each, an empty line between blocks.
 * munja_free(). */
MUNJA_API munja_status munja_document_to_text(const munja_document* document,
                                              char** text);
/* One JSON object without line breaks, schema_version 1; `source` becomes its
 * field of that name. munja_free(). */
MUNJA_API munja_status munja_document_to_json(const munja_document* document,
                                              const char* source, char** json);

/* Writes a PNG file: the image with the polygons of the lines drawn over it. */
MUNJA_API munja_status munja_document_write_overlay(
    const munja_document* document, const munja_image* image, const char* path);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_DOCUMENT_H_ */
