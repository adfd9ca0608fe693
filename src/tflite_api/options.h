// TfLiteInterpreterOptions, and the operators that they add up to.
#ifndef MUNJA_TFLITE_API_OPTIONS_H_
#define MUNJA_TFLITE_API_OPTIONS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"
#include "runtime/resolver.h"
#include "tensorflow/lite/core/c/c_api_experimental.h"
#include "tflite_api/reporter.h"
#include "tflite_api/shared_state.h"

namespace munja::compat {

// An operator that the application adds.
struct AddedOperator {
  int builtin_code = 0;  // kTfLiteBuiltinCustom: the name counts.
  std::string custom_name;
  TfLiteRegistration registration{};
  int min_version = 1, max_version = 1;
};

// Functions of the application that find operators, in place of our own.
struct FoundOperators {
  const TfLiteRegistration* (*builtin)(void*, TfLiteBuiltinOperator,
                                       int) = nullptr;
  const TfLiteRegistration* (*custom)(void*, const char*, int) = nullptr;
  const TfLiteOperator* (*external_builtin)(void*, int, int) = nullptr;
  const TfLiteOperator* (*external_custom)(void*, const char*, int) = nullptr;
  void* user_data = nullptr;
};

// The operators for the nodes of `graph`. `with_builtins`: those of this
// library are there as well, behind what the options add. Those of others share
// `shared`.
std::shared_ptr<const runtime::Resolver> MakeResolver(
    const TfLiteInterpreterOptions& options, const graph::Graph& graph,
    bool with_builtins, const std::shared_ptr<SharedState>& shared);

}  // namespace munja::compat

struct TfLiteInterpreterOptions {
  int num_threads = -1;
  std::vector<TfLiteDelegate*> delegates;
  std::optional<munja::compat::Reporter> reporter;
  std::vector<munja::compat::AddedOperator> operators;
  std::optional<munja::compat::FoundOperators> found;
  bool is_cancellable = false;
  bool uses_nnapi = false;
  bool falls_back = false;
};

#endif  // MUNJA_TFLITE_API_OPTIONS_H_
