/* Reading text: an engine of a bundle turns pictures into documents. */
#ifndef MUNJA_OCR_H_
#define MUNJA_OCR_H_

#include "munja/document.h"
#include "munja/image.h"
#include "munja/runtime.h"
#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* May be used by any number of threads at once, without locks of the caller's:
 * each munja_engine_read() that finds the others at work has working memory of
 * its own, which stays with the engine for later reads and is freed when many
 * of them did not need it. All share the weights and the engine's threads, so
 * for many callers at once an engine of one thread is best. The text is the
 * same as when they read one after the other. A child that fork() made may use
 * and free the engine of its parent, whatever other threads did with it. */
typedef struct munja_engine munja_engine;

typedef struct munja_engine_options {
  size_t struct_size;
  /* A bundle's folder, or the name of one that munja_models_find() finds.
   * NULL or "": the first bundle of $MUNJA_MODELS; where that is not set the
   * one called "default", which is built into the library unless it was built
   * without; failing that the first one found. */
  const char* model;
  /* 0: one for each processor. The text never depends on it. */
  int32_t threads;
  /* JSON that overrides parts of the bundle's contract, for example
   * {"detector": {"limit_side": 1280}}. NULL: none. */
  const char* overrides;
  /* Of all networks of the bundle; MUNJA_PRECISION_BUNDLE is the fastest that
   * the bundle is made for. MUNJA_PRECISION_AUTO: MUNJA_NOT_FOUND when
   * the bundle has none that compute with integers beside those in float;
   * munja_quantize_bundle() with keep_float makes such a bundle. */
  munja_precision precision;
  munja_control* control; /* Of munja_engine_create(); NULL: see
                           * munja/control.h. */
  /* Offered the nodes of every network of the bundle, as those of a session
   * are (munja_session_options). MUNJA_INVALID_ARGUMENT: one of them serves
   * one session only, as those of munja_delegate_load() and
   * munja_delegate_define() do. */
  munja_delegate* const* delegates;
  int32_t delegate_count;
  /* A file of words that are expected: names, products, numbers of parts.
   * UTF-8, what white space parts is a word, either case. Where the network is
   * in doubt a reading with one of them counts as more probable (setting
   * recognizer.words_weight); what it is sure of stays as it is. At most
   * 1,000,000 words of 100 characters and 64 MiB. NULL or "": none.
   * MUNJA_NOT_FOUND, MUNJA_IO, MUNJA_MALFORMED (not UTF-8, too long): the
   * message begins with the file's name. */
  const char* words;
} munja_engine_options;

/* options may be NULL. */
MUNJA_API munja_status munja_engine_create(const munja_engine_options* options,
                                           munja_engine** engine);
/* Not while any thread still uses it. */
MUNJA_API void munja_engine_free(munja_engine* engine);

/* The bundle's name. Valid as long as the engine. */
MUNJA_API const char* munja_engine_name(const munja_engine* engine);
/* The contract in force, overrides applied, as JSON. munja_free(). */
MUNJA_API munja_status munja_engine_settings(const munja_engine* engine,
                                             char** json);

typedef enum munja_task MUNJA_ANY_INT {
  MUNJA_READ_PAGE = 0,   /* Find lines and read them. */
  MUNJA_DETECT_ONLY = 1, /* Boxes without text. */
  MUNJA_READ_LINE = 2    /* The picture is one line of text. */
} munja_task;

typedef struct munja_read_options {
  size_t struct_size;
  munja_task task;
  float min_confidence; /* Lines below are left out; 0: the bundle's own. */
  /* A folder, made when absent, for the pictures between the stages: the
   * detector's input and text map, the line crops. NULL: none. */
  const char* dump_folder;
  double decode_ms;       /* Goes into the document's timing. */
  munja_control* control; /* Of this call; NULL: see munja/control.h. */
} munja_read_options;

/* Any number of threads at once, also with the same picture. options may be
 * NULL. Without text in it a picture gives an empty document.
 * MUNJA_INVALID_ARGUMENT: the options are wrong; MUNJA_MALFORMED,
 * MUNJA_UNSUPPORTED: the model fails at this picture, and the message names its
 * file; MUNJA_IO: dump_folder cannot be written. */
MUNJA_API munja_status munja_engine_read(munja_engine* engine,
                                         const munja_image* image,
                                         const munja_read_options* options,
                                         munja_document** document);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_OCR_H_ */
