#include <cstdlib>

#include "tensor/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto array = munja::ReadNpy({data, size});
  // An accepted array can be written and reads back the same.
  if (array.ok()) {
    auto bytes = munja::WriteNpy(array->view());
    if (!bytes.ok()) std::abort();
    const auto again = munja::ReadNpy(*bytes);
    if (!again.ok() || !(again->shape == array->shape)) std::abort();
  }
  return 0;
}
