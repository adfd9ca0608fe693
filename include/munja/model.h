/* Models: what an engine reads with, as they are installed on this machine. A
 * model is a directory with bundle.json, networks, a dictionary and language
 * models. */
#ifndef MUNJA_MODEL_H_
#define MUNJA_MODEL_H_

#include "munja/control.h"
#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All models found, JSON: [{"name", "path", "embedded", "description"?,
 * "bytes"?, "languages"?, "measured"?, "error"?}], in the order of search:
 * $MUNJA_MODELS (directories separated by ':'), the user's data directory, next
 * to the program, the one named "default" inside the library. "bytes" is the
 * size of its files; "languages" has what munja_engine_options.languages may
 * name; "measured", if the model has it, {"page_ms", "word_f1", "on"}: the
 * author's measurements of milliseconds per page on one thread, word F1 in
 * percent, and the pages and machine. A damaged model has "error" instead.
 * munja_free(). */
MUNJA_API munja_status munja_model_list(char** json);
/* The directory of the model `name` (a path is returned as it is); NULL: the
 * one that munja_engine_create() uses by default. The model inside the library
 * has no directory; "embedded:default" is returned for it and accepted wherever
 * a name is. munja_free(). */
MUNJA_API munja_status munja_model_find(const char* name, char** path);
/* The directory in which munja_model_pull() stores models. munja_free(). */
MUNJA_API munja_status munja_model_directory(char** path);
/* Checks every file of a model against its size and SHA-256 and loads it.
 * `name` as for munja_model_find(). */
MUNJA_API munja_status munja_model_verify(const char* name);
/* Copies the verified files of a model, its MODEL_CARD.md included, to a new
 * directory that replaces `directory` when it is complete. */
MUNJA_API munja_status munja_model_extract(const char* name,
                                           const char* directory);

typedef struct munja_model_pull_options {
  size_t struct_size;
  /* The address above the model's directory. NULL: $MUNJA_MODELS_URL, else the
   * one built in. https, or http to this machine. */
  const char* base_url;
  /* Reports the bytes of each file, in addition to that of a control. */
  munja_progress progress;
  void* context;
  munja_control* control; /* For this call; NULL: see munja/control.h. */
  munja_error* error;     /* Filled if the call fails; NULL: not wanted. */
} munja_model_pull_options;

/* Downloads base_url/NAME/bundle.json and the files that it names to the user's
 * data directory. An interrupted download is resumed; the model appears under
 * its name only when every SHA-256 matches. *path: its directory. */
MUNJA_API munja_status munja_model_pull(const char* name,
                                        const munja_model_pull_options* options,
                                        char** path);

/* The catalog: models that others publish and that munja_model_get()
 * (munja/tools/convert.h) downloads and converts. JSON: [{"name",
 * "description", "languages" (ISO 639 codes), "download_bytes", "accuracy"?
 * (lines read right on the publisher's own sets, in percent), "publisher",
 * "license", "installed", "files": [{"role", "address", "sha256", "bytes"?}]}].
 * munja_free(). */
MUNJA_API munja_status munja_model_catalog(char** json);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_MODEL_H_ */
