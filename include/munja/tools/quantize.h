/* Quantizing networks to integers. */
#ifndef MUNJA_TOOLS_QUANTIZE_H_
#define MUNJA_TOOLS_QUANTIZE_H_

#include "munja/control.h"
#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Images to calibrate on: ranges of activations are measured on the inputs that
 * the networks of a model get while these are read. */
typedef struct munja_calibration {
  size_t struct_size;
  const char* const* images; /* Paths of files. */
  int32_t image_count;
  int32_t are_lines; /* Nonzero: each is a single line of text. */
  /* Maximum number of inputs; 0: 24 for the detector, 192 for the others. */
  int32_t max_pages, max_lines;
} munja_calibration;

typedef enum munja_quantize_mode MUNJA_ANY_INT {
  MUNJA_QUANTIZE_INT8 = 0,    /* int8 weights and activations. */
  MUNJA_QUANTIZE_INT16X8 = 1, /* int8 weights, int16 activations. */
  MUNJA_QUANTIZE_DYNAMIC = 2, /* int8 weights; activations quantized during the
                                 run. */
  MUNJA_QUANTIZE_WEIGHTS = 3  /* int8 weights, float arithmetic. */
} munja_quantize_mode;

/* How the range of an activation is chosen. */
typedef enum munja_quantize_range MUNJA_ANY_INT {
  MUNJA_RANGE_MSE = 0,
  MUNJA_RANGE_MINMAX = 1,
  MUNJA_RANGE_PERCENTILE = 2,
  MUNJA_RANGE_ENTROPY = 3
} munja_quantize_range;

/* The arithmetic of excluded layers. */
typedef enum munja_quantize_fallback MUNJA_ANY_INT {
  MUNJA_FALLBACK_FLOAT = 0,
  MUNJA_FALLBACK_DYNAMIC = 1,
  MUNJA_FALLBACK_INT16X8 = 2
} munja_quantize_fallback;

typedef struct munja_quantize_options {
  size_t struct_size;
  munja_quantize_mode mode;
  munja_quantize_range range;
  double percentile; /* For MUNJA_RANGE_PERCENTILE, in percent; 0: 99.99. */
  int32_t skip_equalization;
  int32_t nearest_rounding; /* Nonzero: no error feedback. */
  /* Nonzero: do not correct the means that rounding the weights shifts. */
  int32_t skip_bias_correction;
  /* Nonzero: do not tune biases by the means of the integer network. */
  int32_t skip_bias_tuning;
  int32_t integer_io; /* Nonzero: int8 inputs and outputs instead of float. */
  int32_t
      integer_logits; /* Nonzero: int8 for the layer before a softmax, too. */
  /* Layers, by the names of their outputs (a '*' at the end matches any rest),
   * that are not quantized but use `fallback`. */
  const char* const* exclude;
  int32_t exclude_count;
  munja_quantize_fallback fallback;
  /* Tolerated relative squared error of the outputs: the layers that contribute
   * most use `fallback`. 0: unlimited. */
  double max_loss;
  /* Share of decisions (classes, pixels of a map) that may change on the
   * calibration data. In a network that exceeds it with MUNJA_QUANTIZE_INT8, as
   * many of the first layers as necessary use int16x8 if that is faster than
   * MUNJA_QUANTIZE_WEIGHTS; otherwise, and with other modes, the latter is
   * used. 0: 0.1; 1: unlimited. */
  double max_changed;
  int32_t allow_noise;    /* Nonzero: accept calibration data that is noise. */
  int32_t threads;        /* 0: one per processor. */
  munja_control* control; /* For this call; NULL: see munja/control.h. */
  /* Nonzero, for whole models: keep the float networks and add integer ones,
   * for MUNJA_PRECISION_MIXED. */
  int32_t keep_float;
  munja_error* error; /* Filled if the call fails; NULL: not wanted. */
} munja_quantize_options;

/* Quantizes one network of a model as munja_model_find() finds it, "detector",
 * "recognizer" or "classifier", and writes it to `output`. `network` NULL: the
 * model's own; otherwise a .tflite file that replaces it and gets the same
 * inputs. `role` NULL: `network` is any .tflite file and no model is used;
 * `images` of the calibration are then files for its inputs, one input each
 * ("NAME=FILE", or FILE if there is only one): .npy arrays with the input's
 * shape or with several samples concatenated, .txt or .csv with one sample per
 * line, or images if the network's metadata specify how pixels are normalized.
 * All inputs must have the same number of samples.
 * The same files give the same bytes. *report (JSON, munja_free()): see
 * docs/how-to/quantize.md. calibration may be NULL for
 * MUNJA_QUANTIZE_WEIGHTS and _DYNAMIC. options, report may be NULL.
 * MUNJA_INVALID_ARGUMENT: also calibration data that is noise. */
MUNJA_API munja_status munja_quantize(const char* model, const char* role,
                                      const char* network,
                                      const munja_calibration* calibration,
                                      const munja_quantize_options* options,
                                      const char* output, char** report);

/* Quantizes all networks of a model; `directory` becomes a model with the same
 * settings and dictionary. *report as above, one object per network by its
 * role. */
MUNJA_API munja_status
munja_model_quantize(const char* model, const munja_calibration* calibration,
                     const munja_quantize_options* options,
                     const char* directory, char** report);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_TOOLS_QUANTIZE_H_ */
