// Activation ranges and multipliers of quantized operators. Part of
// kernel_util.h.
#ifndef MUNJA_TFLITE_KERNELS_KERNEL_QUANTIZATION_H_
#define MUNJA_TFLITE_KERNELS_KERNEL_QUANTIZATION_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tensorflow/lite/core/c/builtin_op_data.h"
#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/kernels/internal/cppmath.h"
#include "tensorflow/lite/kernels/internal/quantization_util.h"

namespace tflite {

template <class T>
void CalculateActivationRange(TfLiteFusedActivation activation,
                              T* activation_min, T* activation_max) {
  *activation_min = std::numeric_limits<T>::lowest();
  *activation_max = std::numeric_limits<T>::max();
  if (activation == kTfLiteActRelu) {
    *activation_min = 0;
  } else if (activation == kTfLiteActRelu6) {
    *activation_min = 0;
    *activation_max = 6;
  } else if (activation == kTfLiteActReluN1To1) {
    *activation_min = -1;
    *activation_max = 1;
  }
}

// In steps of the output.
inline TfLiteStatus CalculateActivationRangeQuantized(
    TfLiteContext* context, TfLiteFusedActivation activation,
    TfLiteTensor* output, int32_t* act_min, int32_t* act_max) {
  int32_t low = 0, high = 0;
  switch (output->type) {
    case kTfLiteUInt8:
      low = 0;
      high = 255;
      break;
    case kTfLiteInt8:
      low = -128;
      high = 127;
      break;
    case kTfLiteInt16:
      low = -32768;
      high = 32767;
      break;
    default:
      TF_LITE_ENSURE_MSG(context, false, "%s is no type of activations.",
                         TfLiteTypeGetName(output->type));
  }
  TF_LITE_ENSURE(context, output->params.scale > 0);
  const auto step = [output](float value) {
    return SafeCast<int32_t>(TfLiteRound(value / output->params.scale)) +
           int64_t{output->params.zero_point};
  };
  int64_t from = low, to = high;
  if (activation == kTfLiteActRelu) {
    from = step(0.0f);
  } else if (activation == kTfLiteActRelu6) {
    from = step(0.0f);
    to = step(6.0f);
  } else if (activation == kTfLiteActReluN1To1) {
    from = step(-1.0f);
    to = step(1.0f);
  }
  *act_min = static_cast<int32_t>(std::max<int64_t>(low, from));
  *act_max = static_cast<int32_t>(std::min<int64_t>(high, to));
  return kTfLiteOk;
}

// scale(input) * scale(filter) / scale(output); a bias must have the scale of
// the products.
inline TfLiteStatus GetQuantizedConvolutionMultipler(TfLiteContext* context,
                                                     const TfLiteTensor* input,
                                                     const TfLiteTensor* filter,
                                                     TfLiteTensor* output,
                                                     double* multiplier) {
  const double product = static_cast<double>(input->params.scale) *
                         static_cast<double>(filter->params.scale);
  TF_LITE_ENSURE(context, product >= 0);
  *multiplier = product / static_cast<double>(output->params.scale);
  return kTfLiteOk;
}
inline TfLiteStatus GetQuantizedConvolutionMultipler(TfLiteContext* context,
                                                     const TfLiteTensor* input,
                                                     const TfLiteTensor* filter,
                                                     const TfLiteTensor* bias,
                                                     TfLiteTensor* output,
                                                     double* multiplier) {
  if (bias != nullptr) {
    const double product = static_cast<double>(input->params.scale) *
                           static_cast<double>(filter->params.scale);
    const double difference =
        std::abs(product - static_cast<double>(bias->params.scale));
    TF_LITE_ENSURE(
        context,
        difference / static_cast<double>(output->params.scale) <= 0.02);
  }
  return GetQuantizedConvolutionMultipler(context, input, filter, output,
                                          multiplier);
}

// Multipliers for each of `num_channels` outputs, from the filter's scales.
// `multiplier` and `shift` are those of the first one, for uint8.
inline TfLiteStatus PopulateConvolutionQuantizationParams(
    TfLiteContext* context, const TfLiteTensor* input,
    const TfLiteTensor* filter, const TfLiteTensor* bias, TfLiteTensor* output,
    const TfLiteFusedActivation& activation, int32_t* multiplier, int* shift,
    int32_t* output_activation_min, int32_t* output_activation_max,
    int32_t* per_channel_multiplier, int32_t* per_channel_shift,
    int num_channels) {
  TF_LITE_ENSURE_EQ(context, input->quantization.type,
                    kTfLiteAffineQuantization);
  TF_LITE_ENSURE_EQ(context, filter->quantization.type,
                    kTfLiteAffineQuantization);
  const auto* affine =
      static_cast<const TfLiteAffineQuantization*>(filter->quantization.params);
  TF_LITE_ENSURE(context, affine != nullptr);
  TF_LITE_ENSURE(context, affine->scale != nullptr);
  const bool is_per_channel = affine->scale->size > 1;
  if (is_per_channel) {
    TF_LITE_ENSURE(context,
                   input->type == kTfLiteInt8 || input->type == kTfLiteInt16);
    TF_LITE_ENSURE_EQ(context, affine->scale->size, num_channels);
  }
  const double ratio = static_cast<double>(input->params.scale) /
                       static_cast<double>(output->params.scale);
  for (int i = 0; i < num_channels; ++i) {
    const double scale = affine->scale->data[is_per_channel ? i : 0];
    int32_t significand = 0;
    int exponent = 0;
    QuantizeMultiplier(ratio * scale, &significand, &exponent);
    per_channel_multiplier[i] = significand;
    per_channel_shift[i] = exponent;
  }
  if (input->type == kTfLiteUInt8) {
    double real = 0;
    TF_LITE_ENSURE_STATUS(GetQuantizedConvolutionMultipler(
        context, input, filter, bias, output, &real));
    QuantizeMultiplier(real, multiplier, shift);
  }
  if (input->type == kTfLiteInt8 || input->type == kTfLiteUInt8 ||
      input->type == kTfLiteInt16) {
    TF_LITE_ENSURE_STATUS(CalculateActivationRangeQuantized(
        context, activation, output, output_activation_min,
        output_activation_max));
  }
  return kTfLiteOk;
}
// The number of outputs is that of the filter's scales.
inline TfLiteStatus PopulateConvolutionQuantizationParams(
    TfLiteContext* context, const TfLiteTensor* input,
    const TfLiteTensor* filter, const TfLiteTensor* bias, TfLiteTensor* output,
    const TfLiteFusedActivation& activation, int32_t* multiplier, int* shift,
    int32_t* output_activation_min, int32_t* output_activation_max,
    int32_t* per_channel_multiplier, int32_t* per_channel_shift) {
  const auto* affine =
      static_cast<const TfLiteAffineQuantization*>(filter->quantization.params);
  TF_LITE_ENSURE(context, affine != nullptr && affine->scale != nullptr);
  return PopulateConvolutionQuantizationParams(
      context, input, filter, bias, output, activation, multiplier, shift,
      output_activation_min, output_activation_max, per_channel_multiplier,
      per_channel_shift, affine->scale->size);
}

}  // namespace tflite

#endif  // MUNJA_TFLITE_KERNELS_KERNEL_QUANTIZATION_H_
