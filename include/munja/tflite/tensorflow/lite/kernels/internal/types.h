// Shapes checked against each other, and the parameters of kernels.
#ifndef MUNJA_TFLITE_KERNELS_INTERNAL_TYPES_H_
#define MUNJA_TFLITE_KERNELS_INTERNAL_TYPES_H_

#include <cstdint>

#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/kernels/internal/compatibility.h"
#include "tensorflow/lite/kernels/internal/runtime_shape.h"

namespace tflite {

enum class FusedActivationFunctionType : uint8_t {
  kNone,
  kRelu6,
  kRelu1,
  kRelu
};
enum class PaddingType : uint8_t { kNone, kSame, kValid };

struct PaddingValues {
  int16_t width;
  int16_t height;
  int16_t width_offset;  // One more on the far side.
  int16_t height_offset;
};

// The size that both have there.
inline int MatchingDim(const RuntimeShape& shape1, int index1,
                       const RuntimeShape& shape2, int index2) {
  TFLITE_DCHECK_EQ(shape1.Dims(index1), shape2.Dims(index2));
  (void)shape2;
  (void)index2;
  return shape1.Dims(index1);
}
template <class... Rest>
int MatchingDim(const RuntimeShape& shape1, int index1,
                const RuntimeShape& shape2, int index2, Rest&&... rest) {
  TFLITE_DCHECK_EQ(shape1.Dims(index1), shape2.Dims(index2));
  (void)shape1;
  (void)index1;
  return MatchingDim(shape2, index2, rest...);
}

// The number of elements that all of them have.
inline int MatchingFlatSize(const RuntimeShape& shape,
                            const RuntimeShape& check) {
  TFLITE_DCHECK_EQ(shape.DimensionsCount(), check.DimensionsCount());
  (void)check;
  return shape.FlatSize();
}
template <class... Rest>
int MatchingFlatSize(const RuntimeShape& shape, const RuntimeShape& check,
                     const RuntimeShape& next, const Rest&... rest) {
  MatchingFlatSize(shape, check);
  return MatchingFlatSize(shape, next, rest...);
}
inline int MatchingElementsSize(const RuntimeShape& shape,
                                const RuntimeShape& check) {
  TFLITE_DCHECK_EQ(shape.FlatSize(), check.FlatSize());
  (void)check;
  return shape.FlatSize();
}

// The number of elements without dimension `skip_dim`.
inline int FlatSizeSkipDim(const RuntimeShape& shape, int skip_dim) {
  int size = 1;
  for (int i = 0; i < shape.DimensionsCount(); ++i)
    if (i != skip_dim) size *= shape.Dims(i);
  return size;
}
inline int MatchingFlatSizeSkipDim(const RuntimeShape& shape, int skip_dim,
                                   const RuntimeShape& check) {
  TFLITE_DCHECK_EQ(FlatSizeSkipDim(shape, skip_dim),
                   FlatSizeSkipDim(check, skip_dim));
  (void)check;
  return FlatSizeSkipDim(shape, skip_dim);
}

struct ConvParams {
  PaddingType padding_type;
  PaddingValues padding_values;
  int16_t stride_width;
  int16_t stride_height;
  int16_t dilation_width_factor;
  int16_t dilation_height_factor;
  int32_t input_offset;
  int32_t weights_offset;
  int32_t output_offset;
  int32_t output_multiplier;
  int output_shift;
  int32_t quantized_activation_min;
  int32_t quantized_activation_max;
  float float_activation_min;
  float float_activation_max;
};

struct DepthwiseParams {
  PaddingType padding_type;
  PaddingValues padding_values;
  int16_t stride_width;
  int16_t stride_height;
  int16_t dilation_width_factor;
  int16_t dilation_height_factor;
  int16_t depth_multiplier;
  int32_t input_offset;
  int32_t weights_offset;
  int32_t output_offset;
  int32_t output_multiplier;
  int output_shift;
  int32_t quantized_activation_min;
  int32_t quantized_activation_max;
  float float_activation_min;
  float float_activation_max;
};

struct PoolParams {
  FusedActivationFunctionType activation;
  PaddingType padding_type;
  PaddingValues padding_values;
  int stride_height;
  int stride_width;
  int filter_height;
  int filter_width;
  int32_t quantized_activation_min;
  int32_t quantized_activation_max;
  float float_activation_min;
  float float_activation_max;
};

struct FullyConnectedParams {
  int32_t input_offset;
  int32_t weights_offset;
  int32_t output_offset;
  int32_t output_multiplier;
  int output_shift;
  int32_t quantized_activation_min;
  int32_t quantized_activation_max;
  float float_activation_min;
  float float_activation_max;
};

struct ArithmeticParams {
  int32_t input1_offset;
  int32_t input2_offset;
  int32_t output_offset;
  int32_t output_multiplier;
  int output_shift;
  int left_shift;
  int32_t input1_multiplier;
  int input1_shift;
  int32_t input2_multiplier;
  int input2_shift;
  int32_t quantized_activation_min;
  int32_t quantized_activation_max;
  float float_activation_min;
  float float_activation_max;
  int64_t int64_activation_min;
  int64_t int64_activation_max;
  int broadcast_shape[5];
};

struct SoftmaxParams {
  double beta;
  int32_t input_multiplier;
  int32_t input_left_shift;
  int diff_min;
};

struct SliceParams {
  int8_t begin_count;
  int32_t begin[5];
  int8_t size_count;
  int32_t size[5];
};

struct PadParams {
  int8_t left_padding_count;
  int32_t left_padding[5];
  int8_t right_padding_count;
  int32_t right_padding[5];
};

struct TransposeParams {
  int8_t perm_count;
  int32_t perm[6];
};

template <class P>
void SetActivationParams(float min, float max, P* params) {
  params->float_activation_min = min;
  params->float_activation_max = max;
}
template <class P>
void SetActivationParams(int32_t min, int32_t max, P* params) {
  params->quantized_activation_min = min;
  params->quantized_activation_max = max;
}
template <class P>
void GetActivationParams(const P& params, int32_t* min, int32_t* max) {
  *min = params.quantized_activation_min;
  *max = params.quantized_activation_max;
}
template <class P>
void GetActivationParams(const P& params, float* min, float* max) {
  *min = params.float_activation_min;
  *max = params.float_activation_max;
}

}  // namespace tflite

#endif  // MUNJA_TFLITE_KERNELS_INTERNAL_TYPES_H_
