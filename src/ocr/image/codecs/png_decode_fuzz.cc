// Any bytes at all: an image or an error, never a crash.
#include <cstddef>
#include <cstdint>

#include "image/codecs/codec.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Small, so that an input costs little time and memory.
  const munja::image::DecodeLimits limits = {.max_pixels = 1 << 18};
  if (!munja::image::codecs::png::Sniff({data, size})) return 0;
  (void)munja::image::codecs::png::Decode({data, size}, limits).ok();
  return 0;
}
