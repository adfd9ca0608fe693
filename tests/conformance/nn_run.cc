#include "conformance/nn_run.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hal/lower/lowering.h"
#include "hal/types.h"
#include "runtime/session.h"

namespace munja::conformance {
namespace {

using hal::Case;
using hal::CaseStatus;
using hal::Outcome;

Outcome Failed(const Case& example, const Status& status) {
  if (example.expects_failure) return {};
  return {status.code() == Code::kUnsupported ? CaseStatus::kUnsupported
                                              : CaseStatus::kFailed,
          std::string(status.message())};
}

// A scalar and a vector of one element count as the same: the HAL has no
// tensors of rank 0.
hal::Dimensions DimensionsOf(const TensorView& view, int32_t type) {
  if (view.shape.rank() == 0 && hal::IsTensor(type)) return {1};
  return {view.shape.dims().begin(), view.shape.dims().end()};
}

// In the runtime float16 is float32; the criteria for it are far wider.
Case WithSchemaTypes(Case example) {
  for (hal::Expected& output : example.outputs)
    if (output.type == MUNJA_NN_TENSOR_FLOAT16)
      output.type = MUNJA_NN_TENSOR_FLOAT32;
  return example;
}

}  // namespace

Outcome RunExample(const Case& example, const RunOptions& options) {
  const hal::Subgraph& main = example.model.main();
  std::vector<hal::Known> known;
  std::vector<std::vector<uint8_t>> bytes;
  for (size_t i = 0; i < main.inputs.size(); ++i) {
    const hal::Operand& operand = main.operands[main.inputs[i]];
    hal::Known& input = known.emplace_back();
    input.is_absent = !example.inputs[i].has_value();
    input.dimensions = operand.dimensions;
    if (input.is_absent) continue;
    input.has_value = true;
    input.bytes = *example.inputs[i];
    bytes.push_back(hal::SchemaBytes(operand.type, input.bytes));
  }
  auto graph = hal::Lower(example.model, known);
  if (!graph.ok()) return Failed(example, graph.status());
  runtime::SessionOptions session_options;
  session_options.reference_kernels = options.reference_kernels;
  session_options.run_passes = options.run_passes;
  if (options.delegate) session_options.delegates.push_back(options.delegate());
  auto session = runtime::CreateSession(
      std::make_shared<const graph::Graph>(std::move(*graph)), session_options);
  if (!session.ok()) return Failed(example, session.status());
  std::vector<TensorView> inputs;
  for (const hal::Known& input : known) {
    if (input.is_absent) continue;
    const size_t k = inputs.size();
    TensorView& view = inputs.emplace_back();
    view.type = (*session)->inputs()[k].type;
    for (const uint32_t d : input.dimensions)
      view.shape.Append(static_cast<int32_t>(d));
    view.data = bytes[k].data();
    view.bytes = bytes[k].size();
  }
  const auto outputs = (*session)->Run(inputs);
  if (!outputs.ok()) return Failed(example, outputs.status());
  std::vector<hal::Output> results;
  for (const TensorView& view : *outputs) {
    const auto* data = static_cast<const uint8_t*>(view.data);
    const int32_t type = example.outputs[results.size()].type;
    results.push_back({DimensionsOf(view, type), {data, data + view.bytes}});
  }
  if (example.expects_failure) {
    // The HAL refuses outputs that do not fit what the model states; here the
    // operator decides.
    for (size_t i = 0; i < results.size(); ++i)
      if (results[i].dimensions != example.outputs[i].dimensions) return {};
    return {CaseStatus::kFailed, "should have failed"};
  }
  const std::string difference =
      hal::DifferenceFrom(WithSchemaTypes(example), results);
  if (difference.empty()) return {};
  return {CaseStatus::kFailed, difference};
}

}  // namespace munja::conformance
