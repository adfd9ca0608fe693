#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "bundle/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto manifest = munja::bundle::ParseManifest(
      std::string_view(reinterpret_cast<const char*>(data), size));
  // What was accepted is written as something that is accepted again.
  if (manifest.ok() &&
      !munja::bundle::ParseManifest(munja::bundle::ToJson(*manifest)).ok())
    std::abort();
  return 0;
}
