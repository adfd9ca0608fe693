// Files of the compilation cache: as they are, and with a digest that fits.
#include <sys/stat.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "hal/manager/cache.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using munja::hal::CacheToken;
  CacheToken token;
  token.fill(7);
  const uint32_t model_files = size == 0 ? 0 : data[0] % 4;
  const uint32_t data_files = size == 0 ? 0 : data[0] / 4 % 4;
  std::vector<uint8_t> bytes(data + (size == 0 ? 0 : 1), data + size);
  for (const bool is_sealed : {false, true}) {
    if (is_sealed) {
      const auto digest = munja::hal::DigestOf(bytes);
      if (!digest.ok()) return 0;
      bytes.insert(bytes.end(), digest->begin(), digest->end());
    }
    const auto files =
        munja::hal::Unpack(bytes, token, model_files, data_files);
    if (!files.ok()) continue;
    if (files->count() != model_files + data_files) abort();
    // An accepted file packs to the same bytes.
    const auto again = munja::hal::Pack(token, *files, uint64_t{1} << 30);
    if (again.ok() && !again->empty() && *again != bytes) abort();
  }
  return 0;
}
