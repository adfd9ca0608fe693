// Composition root of libraries that have the runtime's own operators only.
#include "capi/runtime/linked.h"

namespace munja::capi {

const LinkedParts& Linked() {
  static constexpr LinkedParts kParts = {};
  return kParts;
}

}  // namespace munja::capi
