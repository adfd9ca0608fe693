// Models that are well formed and make no sense: read, planned and run.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "random_graph.h"
#include "runtime/session.h"
#include "tflite/read.h"
#include "tflite/write.h"

using munja::Code;
using munja::Status;
using munja::TensorView;
using munja::hostile::ByteSource;

// Nothing that a model of this size asks for may be larger: the rest is an
// error of the allocator, which the runtime must bear.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:max_allocation_size_mb=64:"
         "detect_stack_use_after_return=0";
}

namespace {

// A bug of ours, whatever the model.
void Check(const Status& status) {
  if (status.code() == Code::kInternal) {
    std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
    std::abort();
  }
}

void RunOnce(munja::runtime::Session& session, ByteSource& source) {
  std::vector<TensorView> views;
  std::vector<std::unique_ptr<uint8_t[]>> memory;
  for (const auto& info : session.inputs()) {
    munja::Shape shape = info.shape;
    const int32_t size = static_cast<int32_t>(source.Below(4));
    for (int d = 0; d < shape.rank(); ++d)
      if (shape[d] < 0) shape[d] = size;
    const int64_t elements = shape.elements();
    if (elements < 0 || elements > 65536) return;
    const auto bytes = munja::hostile::RandomData(
        source, info.type, static_cast<size_t>(elements));
    // Exactly as long as the data, so that the sanitizer sees its end.
    memory.emplace_back(new uint8_t[bytes.size()]);
    if (!bytes.empty())
      std::memcpy(memory.back().get(), bytes.data(), bytes.size());
    views.push_back(
        {info.type, shape, memory.back().get(), bytes.size(), nullptr});
  }
  auto outputs = session.Run(views);
  if (!outputs.ok()) return Check(outputs.status());
  unsigned sum = 0;
  for (const TensorView& view : *outputs)
    for (size_t i = 0; i < view.bytes; ++i) sum += view.as<uint8_t>()[i];
  // So that the compiler reads them all.
  if (sum == 0x12345678) std::fputc('\n', stderr);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ByteSource source({data, size});
  munja::runtime::SessionOptions options;
  options.run_passes = !source.Once(4);
  options.reference_kernels = source.Once(4);
  const munja::graph::Graph graph = munja::hostile::RandomGraph(source);
  const auto bytes = munja::tflite::Write(graph);
  if (!bytes.ok()) {
    Check(bytes.status());
    return 0;
  }
  auto read = munja::tflite::Read(*bytes, nullptr);
  if (!read.ok()) {
    Check(read.status());
    return 0;
  }
  if (std::getenv("MUNJA_SHOW_MODEL") != nullptr)
    std::fputs(munja::graph::ToText(**read).c_str(), stderr);
  auto session = munja::runtime::CreateSession(*read, options);
  if (std::getenv("MUNJA_SHOW_MODEL") != nullptr && !session.ok())
    std::fprintf(stderr, "%s\n",
                 std::string(session.status().message()).c_str());
  if (!session.ok()) {
    Check(session.status());
    return 0;
  }
  // The same shapes twice at times: the second run finds a plan.
  for (int i = 0; i < 3; ++i) RunOnce(**session, source);
  return 0;
}
