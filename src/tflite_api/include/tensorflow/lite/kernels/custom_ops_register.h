// The functions that give TensorFlow Lite's own custom operators. Their sources
// define them; a program that calls one compiles that source with it.
#ifndef MUNJA_TFLITE_KERNELS_CUSTOM_OPS_REGISTER_H_
#define MUNJA_TFLITE_KERNELS_CUSTOM_OPS_REGISTER_H_

#include "tensorflow/lite/core/c/common.h"

namespace tflite::ops::custom {

TfLiteRegistration* Register_ATAN2();
TfLiteRegistration* Register_AVG_POOL_3D();
TfLiteRegistration* Register_HASHTABLE();
TfLiteRegistration* Register_HASHTABLE_FIND();
TfLiteRegistration* Register_HASHTABLE_IMPORT();
TfLiteRegistration* Register_HASHTABLE_SIZE();
TfLiteRegistration* Register_IRFFT2D();
TfLiteRegistration* Register_MAX_POOL_3D();
TfLiteRegistration* Register_MULTINOMIAL();
TfLiteRegistration* Register_RANDOM_STANDARD_NORMAL();
TfLiteRegistration* Register_RANDOM_UNIFORM();
TfLiteRegistration* Register_RANDOM_UNIFORM_INT();
TfLiteRegistration* Register_ROLL();
TfLiteRegistration* Register_SIGN();
TfLiteRegistration* Register_TABLE();

}  // namespace tflite::ops::custom

#endif  // MUNJA_TFLITE_KERNELS_CUSTOM_OPS_REGISTER_H_
