// Runs a model on ones and prints the first number of each float output.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "runtime/session.h"
#include "tflite/read.h"

namespace {

using munja::Result;
using munja::Status;
using munja::TensorView;

Status RunModel(const char* path) {
  MUNJA_ASSIGN_OR_RETURN(auto graph, munja::tflite::ReadFile(path));
  MUNJA_ASSIGN_OR_RETURN(auto session,
                         munja::runtime::CreateSession(std::move(graph), {}));
  std::vector<std::vector<float>> data;
  std::vector<TensorView> inputs;
  for (const munja::runtime::TensorInfo& info : session->inputs()) {
    if (info.type != munja::ElementType::kFloat32 || !info.shape.is_static())
      return munja::Unsupported("wants float inputs of fixed shape");
    data.emplace_back(static_cast<size_t>(info.shape.elements()), 1.0f);
    TensorView view;
    view.shape = info.shape;
    view.data = data.back().data();
    view.bytes = data.back().size() * sizeof(float);
    inputs.push_back(view);
  }
  MUNJA_ASSIGN_OR_RETURN(const auto outputs, session->Run(inputs));
  for (const TensorView& view : outputs) {
    if (view.type == munja::ElementType::kFloat32 && view.bytes > 0)
      std::printf("%.9g\n", static_cast<double>(view.as<float>()[0]));
  }
  return Status();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const Status status = RunModel(argv[1]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}
