// Composition root of libmunja-tflite: the runtime and plug-ins written against
// the TensorFlow Lite C API.
#include "capi/runtime/linked.h"
#include "tflite_api/plugin.h"

namespace munja::capi {

const LinkedParts& Linked() {
  static constexpr LinkedParts kParts = {.delegates = {},
                                         .describe_devices = nullptr,
                                         .add_operators = compat::AddOperators,
                                         .load_delegate = compat::LoadDelegate};
  return kParts;
}

}  // namespace munja::capi
