/* Converting networks of other formats to .tflite, and making models of them.
 */
#ifndef MUNJA_TOOLS_CONVERT_H_
#define MUNJA_TOOLS_CONVERT_H_

#include "munja/control.h"
#include "munja/tools/quantize.h"
#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct munja_convert_options {
  size_t struct_size;
  int32_t fp16;           /* Nonzero: store float weights as float16. */
  const char* dictionary; /* A file packed with the model; NULL: none. */
  /* Static input shapes, "NAME=1x640x640x3,..." or "1x640x640x3" (batch,
   * height, width, channels); NULL: as in the source. */
  const char* shape;
  int32_t skip_comparison; /* Nonzero: do not compare with the source. */
  /* Nonzero: write a model with operators that the library lacks; otherwise
   * MUNJA_UNSUPPORTED names them all. */
  int32_t allow_custom_ops;
  /* Nonzero: hard sigmoids with RELU6, asymmetric resizes, transposed
   * convolutions without TRANSPOSE_CONV, for delegates that refuse the exact
   * forms. Not for .tflite sources. */
  int32_t gpu_safe;
  /* Image files for the comparison with the source; none: a synthetic image. */
  const char* const* images;
  int32_t image_count;
  /* Shape at which the report counts and compares, as `shape`; NULL: the
   * model's own, dynamic dimensions filled in. */
  const char* report_shape;
  munja_control* control; /* For this call; NULL: see munja/control.h. */
  /* Nonzero: inputs and outputs with four axes keep the order of the source
   * (batch, channels, height, width), and so do shape and report_shape;
   * otherwise channels become the last axis. */
  int32_t keep_layout;
  /* Inputs to bind to constants, "train=0,scale=1.5": ONNX and Paddle; NULL:
   * none. */
  const char* constants;
  munja_error* error; /* Filled if the call fails; NULL: not wanted. */
} munja_convert_options;

/* Reads an .onnx or .tflite file, an ncnn .param with the .bin of the same stem
 * next to it, a Paddle .pdmodel or inference.json with its .pdiparams next to
 * it, or the only model in a directory, and writes a .tflite file. *report
 * (JSON, munja_free()) has operators, parameters, multiply_accumulates, shape,
 * file_bytes, notes and, where the source is not a .tflite, max_difference
 * over its outputs, compared_shape and parity: {"input", "tensors",
 * "tolerance", "first_difference" (null, or {"tensor", "operator",
 * "max_difference", "mean_difference", "largest"}: the first tensor in the
 * order of execution that differs from the source's by more than tolerance
 * times its largest number), "outputs"}, and agrees: false where there is such
 * a tensor, or where nothing could be compared (but true where gpu_safe moved
 * the samples of resizes). options, report may be NULL. */
MUNJA_API munja_status munja_convert(const char* source, const char* output,
                                     const munja_convert_options* options,
                                     char** report);

typedef struct munja_model_create_options {
  size_t struct_size;
  const char* detector; /* Source networks, as munja_convert() reads them. */
  const char* recognizer;
  const char* classifier; /* NULL: none. */
  /* One entry per line. NULL: the characters of an inference.yml, that of
   * `configs` or the one next to a Paddle recognizer. */
  const char* dictionary;
  /* Pre- and post-processing: "ppocrv6", "ppocrv5" or paths of Paddle's
   * inference.yml files. Named ones apply first, then the inference.yml next to
   * each Paddle network, then the files given here. None: ppocrv6 unless an
   * inference.yml specifies otherwise. */
  const char* const* configs;
  int32_t config_count;
  const char* name;        /* NULL: the last part of the directory's path. */
  const char* description; /* NULL: none. */
  int32_t fp16;
  int32_t skip_comparison;
  int32_t gpu_safe; /* fp16 to gpu_safe: as in munja_convert_options. */
  const char* const* images;
  int32_t image_count;
  munja_control* control; /* For this call; NULL: see munja/control.h. */
  /* Language models, files that end in .lm, all of different names; the codes
   * of their languages may stand before them: "en,de=dir/latin.lm". None: those
   * of the model inside the library, if there is one. */
  const char* const* languages;
  int32_t language_count;
  int32_t no_languages; /* Nonzero: none at all. */
  munja_error* error;   /* Filled if the call fails; NULL: not wanted. */
} munja_model_create_options;

/* Writes networks, dictionary and bundle.json to a temporary directory and
 * moves it to `directory` when it is complete: a failure leaves what was there.
 * MUNJA_IO: `directory` has files that are not a model's;
 * MUNJA_INVALID_ARGUMENT: it has one of the inputs. *report as above, one
 * object per network by its role. */
MUNJA_API munja_status
munja_model_create(const char* directory,
                   const munja_model_create_options* options, char** report);

typedef struct munja_model_get_options {
  size_t struct_size;
  /* Where the files are instead of the publisher's address: the address of a
   * mirror with the same paths (https, or http to this machine), or a directory
   * with REPOSITORY/FILE, which needs no network. NULL: none. */
  const char* from;
  /* The new model; NULL: NAME in munja_model_directory(), where engines find it
   * by its name. */
  const char* directory;
  int32_t fp16, skip_comparison; /* As in munja_convert_options. */
  /* Nonzero: also the network that tells lines that are upside down. */
  int32_t classifier;
  munja_control* control; /* For this call; NULL: see munja/control.h. */
  munja_error* error;     /* Filled if the call fails; NULL: not wanted. */
  /* Quantizes the converted networks; NULL: they stay in float. Its control
   * and error are not used. calibration may be NULL for
   * MUNJA_QUANTIZE_WEIGHTS and _DYNAMIC. */
  const munja_quantize_options* quantize;
  const munja_calibration* calibration;
} munja_model_get_options;

/* Downloads the networks of a model of munja_model_catalog(), compares each
 * with its SHA-256, converts them and writes the model and its MODEL_CARD.md.
 * Files are kept in $XDG_CACHE_HOME/munja/downloads or
 * ~/.cache/munja/downloads, where an interrupted download is resumed and the
 * next model finds them; proxies are those of the variable https_proxy. A model
 * that is there and whole is left as it is. *path: its directory; *report: as
 * of munja_model_create(), {} where the model was there; quantized networks
 * have "quantized", their report. A model in float is made anew for `quantize`.
 * options, report may be NULL. MUNJA_NOT_FOUND: no such model or file;
 * MUNJA_UNAVAILABLE: no connection; MUNJA_MALFORMED: another file. */
MUNJA_API munja_status munja_model_get(const char* name,
                                       const munja_model_get_options* options,
                                       char** path, char** report);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_TOOLS_CONVERT_H_ */
