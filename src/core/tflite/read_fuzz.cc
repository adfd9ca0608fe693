#include <cstdlib>

#include "tflite/metadata.h"
#include "tflite/read.h"
#include "tflite/testing.h"
#include "tflite/write.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A null owner makes a copy, whose end the sanitizer watches.
  auto graph = munja::tflite::Read({data, size}, nullptr);
  if (!graph.ok()) return 0;
  const auto info = (*graph)->metadata.find(munja::tflite::kModelInfoName);
  if (info != (*graph)->metadata.end())
    (void)munja::tflite::ReadModelInfo(info->second);
  (void)munja::graph::ToText(**graph);
  (void)munja::graph::ToDot(**graph);
  auto bytes = munja::tflite::Write(**graph);
  if (!bytes.ok()) {
    // Only what was not interpreted may be refused.
    if (bytes.status().code() != munja::Code::kUnsupported) std::abort();
    return 0;
  }
  auto again = munja::tflite::Read(*bytes, nullptr);
  if (!again.ok()) std::abort();
  // Writing adds a description of packed files where there was none.
  if (!(*graph)->associated_files.empty() && info == (*graph)->metadata.end())
    (*again)->metadata.erase(munja::tflite::kModelInfoName);
  if (!munja::tflite::Difference(**graph, **again).empty()) std::abort();
  return 0;
}
