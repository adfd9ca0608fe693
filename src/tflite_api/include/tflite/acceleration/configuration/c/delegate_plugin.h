/* The same header under the shorter prefix. */
#ifndef MUNJA_TFLITE_SHORT_ACCELERATION_CONFIGURATION_C_DELEGATE_PLUGIN_H_
#define MUNJA_TFLITE_SHORT_ACCELERATION_CONFIGURATION_C_DELEGATE_PLUGIN_H_

#include "tensorflow/lite/acceleration/configuration/c/delegate_plugin.h" /* IWYU pragma: export */

#endif /* MUNJA_TFLITE_SHORT_ACCELERATION_CONFIGURATION_C_DELEGATE_PLUGIN_H_ \
        */
