#include "conformance/nn_run.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "conformance/nn_lowering.h"
#include "runtime/session.h"

namespace munja::conformance {
namespace {

// |actual - expected| <= absolute + relative * |expected|.
struct Tolerance {
  double absolute = 0.0, relative = 0.0;
};

bool Mentions(const NnExample& example, std::string_view type) {
  const auto has = [&](const NnGraph& graph) {
    return std::any_of(graph.operands.begin(), graph.operands.end(),
                       [&](const NnOperand& o) { return o.type == type; });
  };
  return has(example.main) ||
         std::any_of(example.referenced.begin(), example.referenced.end(), has);
}

// The criteria of the HAL's own test suites.
Tolerance ToleranceOf(const NnExample& example, const NnOperand& output) {
  constexpr Tolerance kHalf = {5.0 * 0.0009765625, 5.0 * 0.0009765625};
  if (output.type.ends_with("FLOAT16")) return kHalf;
  if (output.type.ends_with("FLOAT32")) {
    return example.is_relaxed || Mentions(example, "TENSOR_FLOAT16")
               ? kHalf
               : Tolerance{1e-5, 5.0 * 1.1920928955078125e-7};
  }
  if (output.type == "TENSOR_BOOL8") return {};
  const bool is_byte = output.type.find("QUANT8") != std::string::npos;
  return {is_byte && example.test.find("mobilenet") != std::string::npos ? 3.0
                                                                         : 1.0,
          0.0};
}

double ElementAt(const TensorView& view, size_t i) {
  switch (view.type) {
    case ElementType::kFloat32:
      return view.as<float>()[i];
    case ElementType::kInt32:
      return view.as<int32_t>()[i];
    case ElementType::kInt64:
      return static_cast<double>(view.as<int64_t>()[i]);
    case ElementType::kInt16:
      return view.as<int16_t>()[i];
    case ElementType::kUInt16:
      return view.as<uint16_t>()[i];
    case ElementType::kInt8:
      return view.as<int8_t>()[i];
    default:
      return view.as<uint8_t>()[i];
  }
}

// A scalar and a vector of one element count as the same: the HAL has no
// tensors of rank 0.
bool SameDims(const Shape& shape, const std::vector<int32_t>& dims) {
  if (shape.rank() == 0 && dims == std::vector<int32_t>{1}) return true;
  return std::ranges::equal(shape.dims(), dims);
}

std::string Compare(const NnSpec& spec, const NnExample& example,
                    const NnOperand& expected, const TensorView& actual) {
  if (!SameDims(actual.shape, expected.dims))
    return "shape " + actual.shape.ToString();
  const NnBuffer& values = spec.buffers[expected.buffer];
  const Tolerance tolerance = ToleranceOf(example, expected);
  for (size_t i = 0; i < values.size(); ++i) {
    const double want = values[i], got = ElementAt(actual, i);
    if (std::isnan(want) ? std::isnan(got) : want == got) continue;
    const double error = std::abs(got - want);
    if (error <= tolerance.absolute + tolerance.relative * std::abs(want))
      continue;
    return "at " + std::to_string(i) + " got " + std::to_string(got) +
           ", wants " + std::to_string(want);
  }
  return "";
}

// Classes are drawn as often as their probabilities say.
std::string CompareFrequencies(const NnSpec& spec, const NnExample& example,
                               const TensorView& drawn) {
  const NnOperand& logits = example.main.operands[example.main.inputs[0]];
  const NnBuffer& values = spec.buffers[logits.buffer];
  const auto batches = static_cast<size_t>(logits.dims[0]);
  const auto classes = static_cast<size_t>(logits.dims[1]);
  const size_t samples = drawn.bytes / ElementSize(drawn.type) / batches;
  for (size_t b = 0; b < batches; ++b) {
    double total = 0.0;
    for (size_t c = 0; c < classes; ++c)
      total += std::exp(values[b * classes + c]);
    std::vector<double> counts(classes);
    for (size_t s = 0; s < samples; ++s)
      counts.at(static_cast<size_t>(ElementAt(drawn, b * samples + s))) += 1.0;
    for (size_t c = 0; c < classes; ++c) {
      const double wanted = std::exp(values[b * classes + c]) / total;
      if (std::abs(counts[c] / static_cast<double>(samples) - wanted) >
          example.multinomial_tolerance)
        return "class " + std::to_string(c) + " is drawn at another rate";
    }
  }
  return "";
}

std::string Judge(const NnSpec& spec, const NnExample& example,
                  std::span<const TensorView> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const NnOperand& expected = example.main.operands[example.main.outputs[i]];
    if (expected.is_ignored) continue;
    const std::string difference =
        example.multinomial_tolerance > 0.0
            ? CompareFrequencies(spec, example, outputs[i])
            : Compare(spec, example, expected, outputs[i]);
    if (!difference.empty())
      return "output " + std::to_string(i) + ": " + difference;
  }
  return "";
}

Outcome Failed(const NnExample& example, const Status& status) {
  if (example.expects_failure) return {};
  return {status.code() == Code::kUnsupported ? Verdict::kUnsupported
                                              : Verdict::kFailed,
          std::string(status.message())};
}

}  // namespace

Outcome RunExample(const NnSpec& spec, const NnExample& example,
                   const RunOptions& options) {
  auto graph = Lower(spec, example);
  if (!graph.ok()) return Failed(example, graph.status());
  runtime::SessionOptions session_options;
  session_options.use_reference = options.use_reference;
  session_options.run_passes = options.run_passes;
  if (options.delegate) session_options.delegates.push_back(options.delegate());
  auto session = runtime::CreateSession(
      std::make_shared<const graph::Graph>(std::move(*graph)), session_options);
  if (!session.ok()) return Failed(example, session.status());
  std::vector<std::vector<uint8_t>> bytes;
  std::vector<TensorView> inputs;
  for (const int v : example.main.inputs) {
    const NnOperand& operand = example.main.operands[v];
    if (spec.buffers[operand.buffer].empty()) continue;
    bytes.push_back(Encode(operand, spec.buffers[operand.buffer]));
  }
  for (size_t i = 0, k = 0; i < example.main.inputs.size(); ++i) {
    const NnOperand& operand = example.main.operands[example.main.inputs[i]];
    if (spec.buffers[operand.buffer].empty()) continue;
    inputs.push_back({(*session)->inputs()[k].type, Shape(operand.dims),
                      bytes[k].data(), bytes[k].size(), nullptr});
    ++k;
  }
  const auto outputs = (*session)->Run(inputs);
  if (!outputs.ok()) return Failed(example, outputs.status());
  if (example.expects_failure) {
    // The HAL refuses outputs that do not fit what the model states; here the
    // operator decides.
    for (size_t i = 0; i < outputs->size(); ++i) {
      if (!SameDims((*outputs)[i].shape,
                    example.main.operands[example.main.outputs[i]].dims))
        return {};
    }
    return {Verdict::kFailed, "should have failed"};
  }
  const std::string difference = Judge(spec, example, *outputs);
  if (difference.empty()) return {};
  return {Verdict::kFailed, difference};
}

bool CanBeSigned(const NnExample& example) {
  if (!Mentions(example, "TENSOR_QUANT8_ASYMM")) return false;
  // Raw bytes mean something there.
  constexpr std::string_view kRaw[] = {"CAST", "HASHTABLE_LOOKUP",
                                       "EMBEDDING_LOOKUP", "LSH_PROJECTION",
                                       "QUANTIZED_16BIT_LSTM"};
  return std::none_of(example.main.operations.begin(),
                      example.main.operations.end(),
                      [&](const NnOperation& operation) {
                        return std::find(std::begin(kRaw), std::end(kRaw),
                                         operation.type) != std::end(kRaw);
                      });
}

NnExample Signed(NnSpec& spec, NnExample example) {
  const auto shift = [&](NnOperand& operand) {
    if (operand.buffer < 0) return;
    NnBuffer values = spec.buffers[operand.buffer];
    for (double& v : values) v -= 128;
    operand.buffer = static_cast<int>(spec.buffers.size());
    spec.buffers.push_back(std::move(values));
  };
  const auto convert = [&](NnGraph& graph) {
    for (const NnOperation& operation : graph.operations) {
      if (operation.type != "PAD_V2") continue;
      NnOperand& filler = graph.operands[operation.inputs[2]];
      if (filler.type == "INT32" &&
          graph.operands[operation.inputs[0]].type == "TENSOR_QUANT8_ASYMM")
        shift(filler);
    }
    for (NnOperand& operand : graph.operands) {
      if (operand.type != "TENSOR_QUANT8_ASYMM") continue;
      operand.type = "TENSOR_QUANT8_ASYMM_SIGNED";
      operand.zero_point -= 128;
      shift(operand);
    }
  };
  convert(example.main);
  for (NnGraph& graph : example.referenced) convert(graph);
  return example;
}

}  // namespace munja::conformance
