#include "samples/sample_inputs.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include "base/control.h"

namespace munja::tools {
namespace {

Result<Shape> ParseShape(const std::string& text) {
  Shape shape;
  const char* at = text.c_str();
  for (;;) {
    char* end = nullptr;
    const long value = std::strtol(at, &end, 10);
    if (end == at || *at < '0' || *at > '9' || value > (1 << 24) ||
        shape.rank() == kMaxRank)
      return InvalidArgument("'" + text +
                             "' is not a shape such as 1x640x640x3");
    shape.Append(static_cast<int32_t>(value));
    if (*end == 0) return shape;
    if (*end != 'x') return InvalidArgument("'" + text + "' is not a shape");
    at = end + 1;
  }
}

}  // namespace

Result<std::map<std::string, Shape>> ParseShapes(const std::string& text) {
  std::map<std::string, Shape> shapes;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find(',', at);
    if (end == text.npos) end = text.size();
    const std::string part = text.substr(at, end - at);
    const size_t equals = part.rfind('=');
    const bool named = equals != part.npos;
    MUNJA_ASSIGN_OR_RETURN(const Shape shape,
                           ParseShape(named ? part.substr(equals + 1) : part));
    shapes[named ? part.substr(0, equals) : ""] = shape;
    at = end + 1;
  }
  return shapes;
}

Result<std::map<std::string, double>> ParseValues(const std::string& text) {
  std::map<std::string, double> values;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find(',', at);
    if (end == text.npos) end = text.size();
    const std::string part = text.substr(at, end - at);
    const size_t equals = part.rfind('=');
    double value = 0;
    const char* last = part.data() + part.size();
    const auto read =
        equals == part.npos
            ? std::from_chars_result{part.data(), std::errc::invalid_argument}
            : std::from_chars(part.data() + equals + 1, last, value);
    if (equals == 0 || read.ec != std::errc() || read.ptr != last ||
        !std::isfinite(value))
      return InvalidArgument("'" + part + "' is no NAME=NUMBER");
    if (!values.emplace(part.substr(0, equals), value).second)
      return InvalidArgument("input '" + part.substr(0, equals) +
                             "' is given two numbers");
    at = end + 1;
  }
  return values;
}

std::string ShapesText(std::span<const runtime::TensorInfo> inputs,
                       std::span<const Shape> shapes) {
  std::string text;
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (i > 0) text += ", ";
    if (shapes.size() > 1) text += inputs[i].name + "=";
    text += shapes[i].ToString();
  }
  return text;
}

Result<std::vector<Shape>> SampleShapes(
    std::span<const runtime::TensorInfo> inputs, const std::string& given,
    int32_t side) {
  std::vector<Shape> shapes;
  for (const runtime::TensorInfo& input : inputs) {
    Shape shape = input.shape;
    for (int d = 0; d < shape.rank(); ++d)
      if (shape[d] == kDynamic) shape[d] = d == 0 ? 1 : side;
    shapes.push_back(shape);
  }
  MUNJA_ASSIGN_OR_RETURN(const auto wanted, ParseShapes(given));
  for (const auto& [name, shape] : wanted) {
    size_t i = 0;
    while (i < inputs.size() && inputs[i].name != name) ++i;
    if (name.empty() && inputs.size() == 1) i = 0;
    if (i == inputs.size())
      return InvalidArgument("'" + given + "' names no input of the model");
    shapes[i] = shape;
  }
  return shapes;
}

Result<SampleInputs> SampleInputs::Create(runtime::Session& session,
                                          std::span<const Shape> shapes) {
  const std::span<const runtime::TensorInfo> inputs = session.inputs();
  // Shapes that the model refuses, or for which there is no memory, are told
  // before anything is filled: a small file may state any size.
  if (auto plan = session.Plan(shapes);
      !plan.ok() && plan.status().code() != Code::kNeedsValues)
    return std::move(plan).TakeStatus();
  SampleInputs made;
  uint64_t state = 1;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].type != ElementType::kFloat32)
      return Unsupported("input '" + inputs[i].name + "' is not float32");
    const int64_t elements = shapes[i].elements();
    if (elements < 0) return InvalidArgument("the shape is too large");
    const size_t bytes = static_cast<size_t>(elements) * sizeof(float);
    MUNJA_ASSIGN_OR_RETURN(Buffer buffer, Buffer::Allocate(bytes));
    float* values = buffer.as<float>();
    for (int64_t k = 0; k < elements; ++k) {
      if (k % (1 << 20) == 0) MUNJA_RETURN_IF_ERROR(CheckControl());
      state = state * 6364136223846793005u + 1442695040888963407u;
      values[k] = static_cast<float>(state >> 40) * 0x1p-23f - 1.0f;
    }
    made.views_.push_back(
        {ElementType::kFloat32, shapes[i], buffer.data(), bytes, nullptr});
    made.buffers_.push_back(std::move(buffer));
  }
  return made;
}

Result<std::span<const TensorView>> RunOnSample(
    const graph::Graph& model, runtime::Session& session,
    std::span<const TensorView> inputs) {
  constexpr double kSecondsOfLoops = 5;
  const bool has_loop =
      std::ranges::any_of(model.subgraphs, [](const graph::Subgraph& subgraph) {
        return std::ranges::any_of(subgraph.nodes, [](const graph::Node& node) {
          return node.op == "WHILE";
        });
      });
  if (!has_loop) return session.Run(inputs);
  Control* const outer = CurrentControl();
  Control::Limits limits;
  if (outer != nullptr) limits.memory = outer->limits().memory;
  limits.seconds = kSecondsOfLoops;
  Control control(limits);
  // Who cancels the call does not wait for the time to pass.
  std::mutex mutex;
  std::condition_variable_any ended;
  std::jthread watch;
  if (outer != nullptr) {
    watch = std::jthread([&](const std::stop_token& end) {
      constexpr std::chrono::milliseconds kEvery(20);
      std::unique_lock lock(mutex);
      while (!end.stop_requested()) {
        ended.wait_for(lock, end, kEvery, [] { return false; });
        if (outer->IsStopped()) control.Cancel();
      }
    });
  }
  auto results = [&] {
    const ControlScope scope(&control, ControlScope::kSilent);
    return session.Run(inputs);
  }();
  MUNJA_RETURN_IF_ERROR(CheckControl());
  if (!results.ok() && results.status().code() == Code::kTimedOut)
    return std::move(results).With("a loop did not end on made-up numbers");
  return results;
}

}  // namespace munja::tools
