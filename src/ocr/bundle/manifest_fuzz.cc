#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "bundle/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto manifest = munja::bundle::ParseManifest(
      std::string_view(reinterpret_cast<const char*>(data), size));
  // An accepted manifest must be accepted again after writing.
  if (manifest.ok() &&
      !munja::bundle::ParseManifest(munja::bundle::ToJson(*manifest)).ok())
    std::abort();
  return 0;
}
