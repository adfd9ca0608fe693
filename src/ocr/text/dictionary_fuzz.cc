#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "text/dictionary.h"
#include "text/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto dictionary = munja::text::Dictionary::Parse(bytes, size % 2 == 0);
  if (!dictionary.ok()) return 0;
  size_t total = 0;
  for (int cls = 0; cls < dictionary->classes(); ++cls) {
    const std::string_view symbol = dictionary->symbol(cls);
    if (!munja::text::IsValidUtf8(symbol)) std::abort();
    total += symbol.size();
  }
  if (total > size + 1) std::abort();  // The appended space is the one more.
  return 0;
}
