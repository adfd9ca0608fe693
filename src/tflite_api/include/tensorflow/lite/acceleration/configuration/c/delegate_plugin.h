/* Where sources include it. */
#ifndef MUNJA_TFLITE_ACCELERATION_DELEGATE_PLUGIN_H_
#define MUNJA_TFLITE_ACCELERATION_DELEGATE_PLUGIN_H_

#include "tensorflow/lite/core/acceleration/configuration/c/delegate_plugin.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_ACCELERATION_DELEGATE_PLUGIN_H_ */
