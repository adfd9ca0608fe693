// Numbers of a quantized tensor as float32, for operators that compare them.
#ifndef MUNJA_TFLITE_KERNELS_DEQUANTIZE_H_
#define MUNJA_TFLITE_KERNELS_DEQUANTIZE_H_

#include <cmath>
#include <cstdint>
#include <limits>

#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/kernels/internal/tensor_ctypes.h"
#include "tensorflow/lite/kernels/kernel_util.h"
#include "tensorflow/lite/kernels/op_macros.h"

namespace tflite {
namespace ops {
namespace builtin {
namespace dequantize {

enum KernelType { kReference, kGenericOptimized };

// With a scale for each slice along a dimension.
inline bool IsQuantizedPerChannel(const TfLiteTensor* input) {
  if (input->quantization.type != kTfLiteAffineQuantization ||
      input->quantization.params == nullptr)
    return false;
  const auto* params =
      static_cast<const TfLiteAffineQuantization*>(input->quantization.params);
  return params->scale != nullptr && params->scale->size > 1;
}

namespace internal {

template <class T>
void Dequantize(const TfLiteTensor* input, TfLiteTensor* output) {
  const T* in = GetTensorData<T>(input);
  float* out = GetTensorData<float>(output);
  const int64_t count = NumElements(input);
  if (!IsQuantizedPerChannel(input)) {
    const double scale = static_cast<double>(input->params.scale);
    for (int64_t i = 0; i < count; ++i)
      out[i] = static_cast<float>(
          scale * (static_cast<int32_t>(in[i]) - input->params.zero_point));
    return;
  }
  const auto* params =
      static_cast<const TfLiteAffineQuantization*>(input->quantization.params);
  int64_t inner = 1;
  for (int d = params->quantized_dimension + 1; d < input->dims->size; ++d)
    inner *= input->dims->data[d];
  const int channels = params->scale->size;
  const TfLiteIntArray* zeros = params->zero_point;
  for (int64_t i = 0; i < count; ++i) {
    const auto c = static_cast<int>(i / inner % channels);
    const int zero = zeros == nullptr || zeros->size == 0 ? 0
                     : zeros->size == channels            ? zeros->data[c]
                                                          : zeros->data[0];
    out[i] = params->scale->data[c] * static_cast<float>(int32_t{in[i]} - zero);
  }
}

inline void WidenHalves(const TfLiteTensor* input, TfLiteTensor* output) {
  const auto* in = GetTensorData<TfLiteFloat16>(input);
  float* out = GetTensorData<float>(output);
  const int64_t count = NumElements(input);
  for (int64_t i = 0; i < count; ++i) {
    const uint16_t bits = in[i].data;
    const int exponent = bits >> 10 & 31;
    const auto fraction = static_cast<float>(bits & 1023);
    float value = exponent == 0 ? std::ldexp(fraction, -24)
                                : std::ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31)
      value = fraction == 0 ? std::numeric_limits<float>::infinity()
                            : std::numeric_limits<float>::quiet_NaN();
    out[i] = (bits & 0x8000) != 0 ? -value : value;
  }
}

}  // namespace internal

// From 8 and 16 bit integers and halves. Both are as large.
template <KernelType kernel_type>
TfLiteStatus DequantizeImpl(TfLiteContext* context, TfLiteNode* node,
                            const TfLiteTensor* input, TfLiteTensor* output) {
  (void)node;
  TF_LITE_ENSURE_EQ(context, NumElements(input), NumElements(output));
  TF_LITE_ENSURE_TYPES_EQ(context, output->type, kTfLiteFloat32);
  switch (input->type) {
    case kTfLiteInt8:
      internal::Dequantize<int8_t>(input, output);
      return kTfLiteOk;
    case kTfLiteUInt8:
      internal::Dequantize<uint8_t>(input, output);
      return kTfLiteOk;
    case kTfLiteInt16:
      internal::Dequantize<int16_t>(input, output);
      return kTfLiteOk;
    case kTfLiteFloat16:
      internal::WidenHalves(input, output);
      return kTfLiteOk;
    default:
      TF_LITE_UNSUPPORTED_TYPE(context, input->type, "Dequantize");
  }
}

}  // namespace dequantize
}  // namespace builtin
}  // namespace ops
}  // namespace tflite

#endif  // MUNJA_TFLITE_KERNELS_DEQUANTIZE_H_
