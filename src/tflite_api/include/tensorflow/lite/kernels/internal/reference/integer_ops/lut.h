// Functions of quantized numbers by tables (LUTPopulate of common.h).
#ifndef MUNJA_TFLITE_KERNELS_INTERNAL_REFERENCE_INTEGER_OPS_LUT_H_
#define MUNJA_TFLITE_KERNELS_INTERNAL_REFERENCE_INTEGER_OPS_LUT_H_

#include "tensorflow/lite/kernels/internal/common.h"

namespace tflite::reference_integer_ops {

template <class Input, class Output>
void LookupTable(const Input* input_data, int num_elements, const Output* lut,
                 Output* output_data) {
  for (int i = 0; i < num_elements; ++i)
    output_data[i] = LUTLookup(input_data[i], lut);
}

}  // namespace tflite::reference_integer_ops

#endif  // MUNJA_TFLITE_KERNELS_INTERNAL_REFERENCE_INTEGER_OPS_LUT_H_
