/* The workshop: what one does with models besides running them. Converting,
 * looking inside, bundles and where they lie, evaluation against labels, arrays
 * in files. An application that reads pictures needs none of this. */
#ifndef MUNJA_WORKSHOP_H_
#define MUNJA_WORKSHOP_H_

#include "munja/control.h"
#include "munja/document.h"
#include "munja/runtime.h"
#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Converting ---- */

typedef struct munja_convert_options {
  size_t struct_size;
  int32_t fp16;           /* Nonzero: store float weights as float16. */
  const char* dictionary; /* A file packed with the model; NULL: none. */
  /* Shapes that the inputs get for good, "NAME=1x640x640x3,..." or
   * "1x640x640x3" (batch, height, width, channels); NULL: as in the source. */
  const char* shape;
  int32_t skip_comparison; /* Nonzero: no reference run of the source. */
  /* Nonzero: write a model with operators that the library has not got;
   * otherwise MUNJA_UNSUPPORTED names them all. */
  int32_t allow_custom_ops;
  /* Nonzero: hard sigmoids with RELU6, asymmetric resizes, transposed
   * convolutions without TRANSPOSE_CONV, for delegates that refuse the exact
   * forms. Not for .tflite sources. */
  int32_t gpu_safe;
  /* Pictures for the comparison with the source; none: a made-up one. */
  const char* const* pictures;
  int32_t picture_count;
  /* Shape at which the report counts and compares, as `shape`; NULL: the
   * model's own, free sizes filled in. */
  const char* report_shape;
  munja_control* control; /* Of this call; NULL: see munja/control.h. */
  /* Nonzero: inputs and outputs of four axes stay in the order of the source
   * (batch, channels, height, width), which shape and report_shape then have,
   * too; otherwise channels become last. */
  int32_t keep_layout;
  /* Inputs that are a number for good and no inputs any more, "train=0,
   * scale=1.5" without the blank: of ONNX and Paddle; NULL: none. */
  const char* values;
} munja_convert_options;

/* Reads an .onnx or .tflite file, an ncnn .param (its .bin of the same stem
 * lies beside it), a Paddle .pdmodel or inference.json (its .pdiparams beside
 * it), or the one model that a folder holds, and writes a .tflite. *report
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

typedef struct munja_bundle_options {
  size_t struct_size;
  const char* detector; /* Source models, as munja_convert() reads them. */
  const char* recognizer;
  const char* classifier; /* NULL: none. */
  /* One entry a line. NULL: the characters of an inference.yml, that of
   * `contracts` or the one that lies beside a Paddle recognizer. */
  const char* dictionary;
  /* "ppocrv6", "ppocrv5" or paths of Paddle's inference.yml files. Named ones
   * come first, then the inference.yml beside each Paddle model, then the files
   * given here. None: ppocrv6 where no inference.yml says otherwise. */
  const char* const* contracts;
  int32_t contract_count;
  const char* name;        /* NULL: the last part of the folder's path. */
  const char* description; /* NULL: none. */
  int32_t fp16;
  int32_t skip_comparison;
  int32_t gpu_safe; /* These as in munja_convert_options. */
  const char* const* pictures;
  int32_t picture_count;
  munja_control* control; /* Of this call; NULL: see munja/control.h. */
  /* Language models, files that end in .lm, all of different names. None:
   * those of the model inside the library, if there is one. */
  const char* const* languages;
  int32_t language_count;
  int32_t no_languages; /* Nonzero: none at all. */
} munja_bundle_options;

/* Writes the models, the dictionary and bundle.json to a folder beside `folder`
 * and puts it in its place when it is whole: a failure leaves what was there.
 * MUNJA_IO when `folder` holds files that are not a bundle's,
 * MUNJA_INVALID_ARGUMENT when it holds one of the inputs. *report as above, one
 * object for each model by its role. */
MUNJA_API munja_status munja_bundle_write(const char* folder,
                                          const munja_bundle_options* options,
                                          char** report);

/* ---- Quantizing ---- */

/* Pictures to calibrate on: what activations are like is measured on what the
 * networks of a bundle are given while these are read. */
typedef struct munja_calibration {
  size_t struct_size;
  const char* const* pictures; /* Paths of files. */
  int32_t picture_count;
  int32_t are_lines; /* Nonzero: each is a single line of text. */
  /* Inputs kept at most; 0: 24 of the detector, 192 of the others. */
  int32_t max_pages, max_lines;
} munja_calibration;

typedef struct munja_quantize_options {
  size_t struct_size;
  /* NULL or "int8": int8 weights and activations; "int16x8": int16
   * activations; "dynamic": int8 weights, activations quantized during the
   * run; "weights": int8 weights, computed with in float. */
  const char* mode;
  /* NULL or "mse", "minmax", "percentile", "entropy": how the range of an
   * activation is chosen. */
  const char* range;
  double percentile; /* Share kept in percent; 0: 99.99. */
  int32_t skip_equalization;
  int32_t nearest_rounding;     /* Nonzero: no error feedback. */
  int32_t skip_bias_correction; /* Of what rounding weights does to means. */
  int32_t skip_bias_tuning;     /* Of means that differ in the integer model. */
  int32_t integer_io;     /* Nonzero: int8 inputs and outputs, not float. */
  int32_t integer_logits; /* Nonzero: the layer before a softmax too is int8. */
  /* Layers, by the names of their outputs ('*' at the end: any that begins so),
   * that stay in `kept`: NULL or "float", "dynamic", "int16x8". */
  const char* const* keep;
  int32_t keep_count;
  const char* kept;
  /* Relative squared error of the outputs that is tolerated: the layers that
   * cost the most stay in `kept`. 0: whatever comes. */
  double max_loss;
  /* Share of decisions (classes, pixels of a map) that may change on the
   * calibration data. Of a network that goes beyond it with mode "int8" as many
   * of its first layers as it takes become int16x8, where that is faster than
   * mode "weights"; else, and with other modes, it is made with the latter.
   * 0: 0.1; 1: whatever comes. */
  double max_changed;
  int32_t allow_noise;    /* Nonzero: take calibration data that is noise. */
  int32_t threads;        /* 0: one for each processor. */
  munja_control* control; /* Of this call; NULL: see munja/control.h. */
  /* Nonzero, of whole bundles: the networks stay as they are, and those that
   * compute with integers come beside them, for MUNJA_PRECISION_AUTO. */
  int32_t keep_float;
} munja_quantize_options;

/* Quantizes one network of a bundle as found by munja_models_find(),
 * "detector", "recognizer" or "classifier", and writes it to `output`. `model`
 * NULL: the bundle's own; otherwise a .tflite file that takes its place and is
 * given the same inputs. `role` NULL: `model` is any .tflite file and no bundle
 * is used; `pictures` of the calibration are then files with what its inputs
 * are given, each for one input ("NAME=FILE", or FILE where there is one):
 * .npy arrays of the input's shape or of several behind one another, .txt or
 * .csv with the numbers of a sample on each line, or pictures where the model's
 * metadata say how pixels become numbers. All inputs must have as many samples.
 * The same files give the same bytes. *report (JSON, munja_free()): see
 * docs/how-to/quantize.md. calibration may be NULL for modes "weights" and
 * "dynamic". options, report may be NULL. MUNJA_INVALID_ARGUMENT: also
 * calibration data that is noise. */
MUNJA_API munja_status munja_quantize(const char* bundle, const char* role,
                                      const char* model,
                                      const munja_calibration* calibration,
                                      const munja_quantize_options* options,
                                      const char* output, char** report);

/* All networks of a bundle; `folder` becomes a bundle of the same contract and
 * dictionary. *report as above, one object for each network by its role. */
MUNJA_API munja_status munja_quantize_bundle(
    const char* bundle, const munja_calibration* calibration,
    const munja_quantize_options* options, const char* folder, char** report);

typedef struct munja_prune_options {
  size_t struct_size;
  /* "0.7", "70" or "70%": of each layer's n filters floor(n * 0.3) are kept, at
   * least one; "0" changes nothing. Must be given where budget is not. */
  const char* level;
  /* Which are kept. NULL or "l1": largest sum of magnitudes; "l2";
   * "geometric-median"; "bn": largest factor of a batch normalization;
   * "random"; "clusters": of each cluster of similar feature maps the one that
   * varies most inside of the objects' boxes. */
  const char* criterion;
  /* Of "clusters": NULL or "ratio": 1 / (1 - level) centers; "kept": as many
   * as filters are kept. */
  const char* centers;
  /* Labels (.jsonl) with boxes, of pictures for "clusters"; the first
   * max_pictures with boxes are used. 0: 1. */
  const char* calibrate;
  int32_t max_pictures;
  /* Bundle whose detector's pre-processing the model shares; NULL: as found by
   * munja_models_find(). */
  const char* bundle;
  uint64_t seed;          /* Of "clusters" and "random". */
  int32_t threads;        /* 0: one for each processor. */
  munja_control* control; /* Of this call; NULL: see munja/control.h. */
  /* With level NULL: the share of the cost that may be left, above 0 and at
   * most 1, by a level of its own for each group of layers: those that change
   * the outputs least on the pictures of `calibrate` give most. */
  double budget;
  /* With budget, what layers cost: a file that `munja bench MODEL --op-profile
   * --json` printed. NULL: their weights. */
  const char* profile;
  /* Of a layer that gives filters a multiple of so many stays, rounded down
   * but at least one, so that vectors are full. 0: 1. */
  int32_t multiple;
} munja_prune_options;

/* Takes filters out of the layers of a .tflite model in float and writes the
 * smaller model to `output`; its inputs and outputs stay what they are. *report
 * (JSON, munja_free(), may be NULL): see docs/how-to/prune.md.
 * MUNJA_INVALID_ARGUMENT: also a level that leaves a layer no filter, which is
 * named. */
MUNJA_API munja_status munja_prune(const char* model,
                                   const munja_prune_options* options,
                                   const char* output, char** report);

/* The operators that a program must have to run these models, one name a line,
 * sorted: those in the files, and those that this runtime makes of them; not
 * custom ones that the library lacks. *names for munja_free().
 * MUNJA_UNSUPPORTED: a model needs a builtin operator that is missing. */
MUNJA_API munja_status munja_models_operators(const munja_model* const* models,
                                              int32_t count, char** names);

/* A copy of the model whose main subgraph gives out everything that its nodes
 * compute, in the order in which they run: to look for the first tensor that
 * two executors disagree about. Tables and variables are left out. */
MUNJA_API munja_status munja_model_expose(const munja_model* model,
                                          munja_model** exposed);
/* The node of the main subgraph that computes its output `output`. The text is
 * valid as long as the model. MUNJA_NOT_FOUND: none does. */
MUNJA_API munja_status munja_model_producer(const munja_model* model,
                                            int32_t output, int32_t* node,
                                            const char** op);

/* Nonzero: output `output` of the main subgraph comes, through whatever lies
 * between, from floats that are quantized to 8 bits during the run to meet
 * integer weights ("dynamic range"). What rounds differently in the last bit
 * before may be a whole step of them, 1/127 of the largest, after. */
MUNJA_API int32_t munja_model_output_is_hybrid(const munja_model* model,
                                               int32_t output);

/* A listing of a model for people, or its graph for Graphviz. munja_free(). */
MUNJA_API munja_status munja_model_to_text(const munja_model* model,
                                           char** text);
MUNJA_API munja_status munja_model_to_dot(const munja_model* model, char** dot);

/* ---- Bundles ---- */

/* All bundles found, JSON: [{"name", "path", "embedded", "description"?,
 * "bytes"?, "measured"?, "error"?}], in the order of search: $MUNJA_MODELS
 * (folders separated by ':'), the user's data folder, beside the program, the
 * one called "default" inside the library. "bytes" is the size of its files;
 * "measured", where the bundle says so, {"page_ms", "word_f1", "on"}:
 * milliseconds of one thread for a page, words read right in percent (F1), and
 * on what pages and machine. A damaged bundle has "error" alone. munja_free().
 */
MUNJA_API munja_status munja_models_list(char** json);
/* The folder of the bundle `name` (a path is taken as it is); NULL: the one
 * that munja_engine_create() takes then. The bundle inside the library has no
 * folder: "embedded:default" stands for it, which is taken wherever a name is.
 * munja_free(). */
MUNJA_API munja_status munja_models_find(const char* name, char** path);
/* Where munja_models_pull() puts bundles. munja_free(). */
MUNJA_API munja_status munja_models_folder(char** path);
/* Checks every file of a bundle against its size and SHA-256 and loads it.
 * `name` as for munja_models_find(). */
MUNJA_API munja_status munja_models_verify(const char* name);
/* Writes the files of a bundle, each checked first, and puts them in the place
 * of `folder` as munja_bundle_write() does, with its MODEL_CARD.md where it has
 * one. */
MUNJA_API munja_status munja_models_extract(const char* name,
                                            const char* folder);

typedef struct munja_pull_options {
  size_t struct_size;
  /* The address above the bundle's folder. NULL: $MUNJA_MODELS_URL, else the
   * one built in. https, or http to this machine. */
  const char* base_url;
  /* Bytes of each file, as they come in; the same as that of a control. */
  munja_progress progress;
  void* context;
  munja_control* control; /* Of this call; NULL: see munja/control.h. */
} munja_pull_options;

/* Downloads base_url/NAME/bundle.json and the files it names into the user's
 * data folder. What an interrupted call left is resumed; the bundle appears
 * under its name only when every SHA-256 is right. *path: its folder. */
MUNJA_API munja_status munja_models_pull(const char* name,
                                         const munja_pull_options* options,
                                         char** path);

/* ---- Evaluation ---- */

typedef struct munja_evaluation munja_evaluation;

/* Reads labels, one JSON object a line: {"image", "lines": [{"poly", "text"}]}
 * or {"image", "text"} for pictures of single lines. */
MUNJA_API munja_status munja_evaluation_create(const char* labels,
                                               munja_evaluation** evaluation);
MUNJA_API void munja_evaluation_free(munja_evaluation* evaluation);
MUNJA_API int32_t munja_evaluation_count(const munja_evaluation* evaluation);
/* Path of the picture of an entry; NULL for an index out of range. */
MUNJA_API const char* munja_evaluation_image(const munja_evaluation* evaluation,
                                             int32_t index);
/* Nonzero when the entry is a picture of a single line. */
MUNJA_API int32_t munja_evaluation_is_crop(const munja_evaluation* evaluation,
                                           int32_t index);
/* Labels whose text is exactly this one count neither way; by such a text many
 * sets mark what nobody can read ("###"). Lines are taken as those with
 * "ignore"; pictures of single lines are no entries any longer, so that the
 * indices of others change. MUNJA_INVALID_ARGUMENT once an entry is scored. */
MUNJA_API munja_status
munja_evaluation_ignore_text(munja_evaluation* evaluation, const char* text);
/* Reads what an engine, this one or another, said earlier: a file of documents
 * as munja_document_to_json() prints them. Of each only "source", a path that
 * ends in the label's "image", and the "text" and "polygon" of "lines" are
 * needed, or "text" alone for a picture of a single line. */
MUNJA_API munja_status
munja_evaluation_load_results(munja_evaluation* evaluation, const char* path);
/* What those results say of an entry; *document NULL when nothing. */
MUNJA_API munja_status
munja_evaluation_result(const munja_evaluation* evaluation, int32_t index,
                        munja_document** document);
/* Scores an entry; document NULL: nothing was read. */
MUNJA_API munja_status munja_evaluation_add(munja_evaluation* evaluation,
                                            int32_t index,
                                            const munja_document* document);
/* What was read of an entry beside its label, line by line: a JSON list of
 * objects with "label" and "outline" ([x0, y0, ...], pixels of the upright
 * picture; only where one is labeled), "read", "polygon" and "confidence" (only
 * where something was read) and "right" (the same text in Unicode's form NFKC,
 * white space squeezed). Matched like the figures: one to one, from an
 * intersection over union of 1/2 up. The labels come in their order, then what
 * else was read; labels with "ignore" are left out. A picture of a single line
 * is one object. document NULL: nothing was read. munja_free(). */
MUNJA_API munja_status
munja_evaluation_compare(const munja_evaluation* evaluation, int32_t index,
                         const munja_document* document, char** json);
/* The figures so far, JSON; the names are those of docs/lab/accuracy.md. */
MUNJA_API munja_status
munja_evaluation_figures(const munja_evaluation* evaluation, char** json);

/* ---- Vector instructions ---- */

/* The set of vector instructions in use: "avx3" (AVX-512), "avx2", "sse4",
 * "neon" or "scalar"; the best of this processor unless selected. */
MUNJA_API const char* munja_simd_name(void);
/* Uses another set in the whole process, for tests and measurements; NULL or
 * "": the best. By one thread, while nothing runs. Models are packed for the
 * set in use: MUNJA_INVALID_ARGUMENT for another one while there are sessions
 * or engines. It names the sets that there are where `name` is none of them.
 * Text and boxes do not depend on the set. */
MUNJA_API munja_status munja_simd_select(const char* name);

/* ---- Drivers of accelerators (munja/driver.h) ---- */

typedef struct munja_nn_test_options {
  size_t struct_size;
  /* What runs the cases: "reference", "cpu", or the path of a driver's library
   * (what ends with ".so" or has a '/'), with '#' and a number behind it that
   * of its devices. NULL: "reference". */
  const char* driver;
  int32_t isolated;       /* Nonzero: in a process of its own. */
  munja_control* control; /* Of this call; NULL: see munja/control.h. */
  /* How each case is run, names between commas: "sync" (also where this is
   * NULL), "async", "burst", "fenced", "memory" (from and to buffers of the
   * device), "dynamic" (dimensions of outputs are known from the run only),
   * "short" (likewise, and the first output's memory lacks a byte), "cache",
   * "signed" (unsigned 8-bit values as signed ones); "all": each of these. A
   * case counts once, as passed where it passes in each way that the driver
   * has, as unsupported where it has none of them. MUNJA_INVALID_ARGUMENT names
   * what is none of these. */
  const char* ways;
} munja_nn_test_options;

/* Runs cases of operations: models of munja/driver.h with inputs and the
 * outputs that they expect, in files of the format "nnspec-json-1"
 * (docs/explanation/testing.md), plain or packed by gzip. Folders are searched
 * deep. *report (JSON, munja_free()): "passed", "failed", "unsupported"
 * (refused by the driver), "operations" (the same three of each by its name),
 * "driver" (the name of the device), "files", "ways" (of each that was asked
 * for, by its name: "run", the cases run so, and "lacking", those that could
 * not be, since the driver does not have the way), "failures" (a list of
 * "file", "case", "operation", "reason") and "problems" (texts: files that
 * could not be read). Cases that fail do not make the call fail.
 *
 * MUNJA_NOT_FOUND, MUNJA_IO: a path; MUNJA_MALFORMED: no case was found;
 * MUNJA_UNAVAILABLE: the driver cannot be used. options may be NULL. */
MUNJA_API munja_status munja_nn_test(const char* const* paths,
                                     int32_t path_count,
                                     const munja_nn_test_options* options,
                                     char** report);

/* ---- What the machine can do ---- */

/* Measured with the vector instructions in use; all threads together. */
typedef struct munja_machine_speed {
  size_t struct_size;
  /* Float multiply-adds, two operations each, 1e9 a second. */
  double fp32_gflops;
  /* A copy from one array to another that have copy_bytes together on each
   * thread: bytes read and written, 1e9 a second. Ascending by copy_bytes, from
   * what a first-level cache holds to what no cache does. */
  int64_t copy_bytes[4];
  double copy_gb_per_s[4];
  /* Multiply-adds of integers, two operations each, 1e9 a second, by the
   * instructions that integer operators use: of 8 bits by 8, and of activations
   * of 16 bits. */
  double int8_gops;
  double int16_gops;
} munja_machine_speed;

/* Takes about a tenth of a second and 64 MiB a thread. threads: as in
 * munja_session_options. */
MUNJA_API munja_status munja_measure_machine(int32_t threads,
                                             munja_machine_speed* speed);

/* ---- Arrays in NumPy's .npy format ---- */

typedef struct munja_array munja_array;

/* The element types above, little endian, C order. The path may name a pipe. */
MUNJA_API munja_status munja_array_load(const char* path, munja_array** array);
MUNJA_API void munja_array_free(munja_array* array);
/* The data is valid as long as the array. */
MUNJA_API munja_status munja_array_tensor(const munja_array* array,
                                          munja_tensor* tensor);
MUNJA_API munja_status munja_array_save(const char* path,
                                        const munja_tensor* tensor);

/* Writes a whole file. Every function with an output path does it so; all
 * failures are MUNJA_IO.
 *
 * A regular file, or none yet: written to a private name beside it
 * (".munja-*.part") and renamed, so that a failure leaves the old one. Owner,
 * group, permissions, access control list and extended attributes of the old
 * one are kept as far as this process may. A symbolic link stays, and what it
 * leads to is replaced; other hard links keep the old bytes. Where the folder
 * may not be changed but the file may, it is written in place.
 *
 * A pipe, a character device or an open file (/dev/stdout, /dev/fd/3) gets the
 * bytes. Folders, disks and sockets are refused. */
MUNJA_API munja_status munja_write_file(const char* path, const void* data,
                                        size_t size);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_WORKSHOP_H_ */
