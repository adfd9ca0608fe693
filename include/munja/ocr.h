/* Reading text: an engine turns images into documents. */
#ifndef MUNJA_OCR_H_
#define MUNJA_OCR_H_

#include "munja/document.h"
#include "munja/image.h"
#include "munja/runtime.h"
#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A pool of threads that several engines and sessions share. */
typedef struct munja_thread_pool munja_thread_pool;

/* threads: 1 to 1024, the caller's included; 0: one per processor. */
MUNJA_API munja_status munja_thread_pool_create(int32_t threads,
                                                munja_thread_pool** pool);
/* Engines and sessions keep the threads that they use. */
MUNJA_API void munja_thread_pool_free(munja_thread_pool* pool);

/* May be used by any number of threads at once without locks: each
 * munja_engine_read() that finds others at work takes working memory of its
 * own, which stays with the engine for later reads and is freed after many
 * reads that did not need it. All share weights and threads, so for many
 * concurrent callers an engine of one thread is best. Results do not depend on
 * concurrency. A child made by fork() may use and free the engine of its
 * parent. */
typedef struct munja_engine munja_engine;

/* A file of a model that is not in a directory: "bundle.json" or one that it
 * names. Its bytes are in memory, or a range of an open file (an asset of an
 * application package). */
typedef struct munja_file {
  const char* name;
  const void* data; /* NULL: fd. */
  size_t size;
  int32_t fd;     /* Read during the call; it stays open. */
  int64_t offset; /* Position of the first byte in fd. */
} munja_file;

typedef struct munja_engine_options {
  size_t struct_size;
  /* A model's directory, or the name of one that munja_model_find() finds. NULL
   * or "": the first model of $MUNJA_MODELS; if that is not set the one named
   * "default", which is part of the library unless it was built without; else
   * the first one found. */
  const char* model;
  /* Threads, 1 to 1024; 0: one per processor. The text never depends on it. */
  int32_t threads;
  /* JSON that overrides settings of the model, for example
   * {"detector": {"limit_side": 1280}}. NULL: none. */
  const char* overrides;
  /* For all networks. MUNJA_PRECISION_MIXED: MUNJA_NOT_FOUND if the model has
   * no integer networks beside the float ones. */
  munja_precision precision;
  munja_control* control; /* For munja_engine_create(); NULL: see
                           * munja/control.h. */
  /* Offered the nodes of all networks, as in munja_session_options.
   * MUNJA_INVALID_ARGUMENT: one of them serves one session only, as those of
   * munja_delegate_load() and munja_delegate_define() do. */
  munja_delegate* const* delegates;
  int32_t delegate_count;
  /* A file of expected words (names, products, part numbers), UTF-8, separated
   * by white space, in any case. Where the network is unsure, a reading with
   * one of them counts as more probable (setting recognizer.words_weight). At
   * most 1,000,000 words of 100 characters and 64 MiB. NULL or "": none.
   * MUNJA_NOT_FOUND, MUNJA_IO, MUNJA_MALFORMED (not UTF-8, too long): the
   * message begins with the file's name. */
  const char* words;
  /* The model as files in memory instead of `model`; they may be freed after
   * the call. */
  const munja_file* files;
  int32_t file_count;
  /* The threads to use instead of `threads`; NULL: threads of its own. */
  munja_thread_pool* pool;
  /* Characters that a text may have, UTF-8; all others are excluded while a
   * line is decoded, so that the best permitted character is read instead. A
   * space must be listed to be read. NULL or "": all that the model knows.
   * MUNJA_INVALID_ARGUMENT: the model knows none of them. */
  const char* allowed_characters;
  /* Nonzero: convolutions are summed product by product instead of by
   * Winograd's algorithm, as in munja_session_options. */
  int32_t no_winograd;
  munja_error* error; /* Filled if the call fails; NULL: not wanted. */
  /* Languages of the text, codes separated by commas ("ko,en"), in any case:
   * only the model's language models for these help where the network is
   * unsure. NULL or "": all of them. munja_model_list() names the codes. If
   * `model` is not given and the one used by default has not all of them, the
   * first installed model that has is used.
   * MUNJA_INVALID_ARGUMENT: the model has no language model for one of them;
   * the message lists those that it has. */
  const char* languages;
  /* Characters that no text has, UTF-8: excluded as all are that are not among
   * allowed_characters, also where they are among these. With either list the
   * language models and `words` do not help, since they could bring excluded
   * characters back. NULL or "": none. MUNJA_INVALID_ARGUMENT: nothing that
   * the model knows is left. */
  const char* denied_characters;
} munja_engine_options;

/* options may be NULL. */
MUNJA_API munja_status munja_engine_create(const munja_engine_options* options,
                                           munja_engine** engine);
/* Not while any thread still uses it. */
MUNJA_API void munja_engine_free(munja_engine* engine);

/* The model's name. Valid as long as the engine. */
MUNJA_API const char* munja_engine_name(const munja_engine* engine);
/* The settings in force, overrides applied, as JSON. munja_free(). */
MUNJA_API munja_status munja_engine_settings(const munja_engine* engine,
                                             char** json);

typedef enum munja_task MUNJA_ANY_INT {
  MUNJA_TASK_PAGE = 0,   /* Find lines and read them. */
  MUNJA_TASK_DETECT = 1, /* Boxes without text. */
  MUNJA_TASK_LINE = 2,   /* The image is one line of text. */
  MUNJA_TASK_BOXES = 3   /* Read the lines in the given boxes. */
} munja_task;

typedef struct munja_read_options {
  size_t struct_size;
  munja_task task;
  /* Lines below it are left out, 0 to 1. Counts if has_min_confidence is
   * nonzero; otherwise the model's own threshold applies. */
  float min_confidence;
  int32_t has_min_confidence;
  /* A directory, created if absent, for the intermediate images: the detector's
   * input and probability map, the line crops. NULL: none. */
  const char* dump_directory;
  munja_control* control; /* For this call; NULL: see munja/control.h. */
  /* MUNJA_TASK_BOXES: box_count quadrilaterals, 8 numbers each as
   * munja_line.polygon has them. The document has their lines in this order. */
  const float* boxes;
  int32_t box_count;
  /* Only this part of the image is read: left, top, width, height in pixels of
   * the upright image. All 0: the whole image. Results are in pixels of the
   * whole image. */
  int32_t region[4];
  munja_error* error; /* Filled if the call fails; NULL: not wanted. */
} munja_read_options;

/* May be called by any number of threads at once, also with the same image.
 * options may be NULL. An image without text gives an empty document.
 * MUNJA_INVALID_ARGUMENT: the options are wrong; MUNJA_MALFORMED,
 * MUNJA_UNSUPPORTED: the model fails on this image, and the message names its
 * file; MUNJA_IO: dump_directory cannot be written. */
MUNJA_API munja_status munja_engine_read(munja_engine* engine,
                                         const munja_image* image,
                                         const munja_read_options* options,
                                         munja_document** document);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_OCR_H_ */
