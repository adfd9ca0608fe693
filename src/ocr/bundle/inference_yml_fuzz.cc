#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/inference_yml.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  munja::ocr::Config config;
  std::vector<std::string> dictionary;
  (void)munja::bundle::ReadInferenceYml(
      std::string_view(reinterpret_cast<const char*>(data), size), &config,
      &dictionary);
  return 0;
}
