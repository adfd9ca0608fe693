// Networks in float with layers, residuals and gates, weights and calibration
// data of any size among them, and models that make no sense: quantized with
// any options. What comes out is sound, is written, and runs.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "compress/quantization/quantize.h"
#include "compress/testing.h"
#include "random_graph.h"
#include "runtime/session.h"
#include "tflite/read.h"
#include "tflite/write.h"

using munja::Code;
using munja::ElementType;
using munja::Shape;
using munja::Status;
using munja::compress::Precision;
using munja::compress::Sample;
using munja::graph::Graph;
using munja::graph::Node;
using munja::graph::ValueId;
using munja::hostile::ByteSource;

// Nothing that a model of this size asks for may be larger: the rest is an
// error of the allocator, which the library must bear.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:max_allocation_size_mb=64:"
         "detect_stack_use_after_return=0";
}

namespace {

[[noreturn]] void Fail(const char* what, const Status& status) {
  std::fprintf(stderr, "%s: %s\n", what, std::string(status.message()).c_str());
  std::abort();
}

// A bug of ours, whatever the model.
void Check(const char* what, const Status& status) {
  if (status.code() == Code::kInternal) Fail(what, status);
}

// Mostly small, now and then what breaks a scale.
float Number(ByteSource& source) {
  constexpr float kEdges[] = {0.0f,
                              1e-38f,
                              -1e-45f,
                              3e38f,
                              -3e38f,
                              65504.0f,
                              std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::quiet_NaN()};
  const uint8_t byte = source.Byte();
  if (byte >= 252) return source.Pick(kEdges);
  return static_cast<float>(static_cast<int>(byte) - 126) / 64.0f;
}

std::vector<float> Numbers(ByteSource& source, size_t count) {
  std::vector<float> numbers(count);
  // One byte for many numbers, so that a short input reaches its end.
  const bool is_wild = source.Once(3);
  uint32_t state = source.Byte() + 1u;
  for (float& x : numbers) {
    state = state * 1664525u + 1013904223u;
    x = is_wild ? Number(source)
                : static_cast<float>(state >> 24) / 128.0f - 1.0f;
  }
  return numbers;
}

// Maps of one batch, few rows and channels, one operator after the other.
class Network {
 public:
  explicit Network(ByteSource& source) : source_(source), builder_(1) {
    shape_ = Shape{1, Side(), Side(), Channels()};
    last_ = builder_.Tensor("picture", shape_);
    builder_.main().inputs = {last_};
  }

  Graph Take() {
    const size_t count = 1 + source_.Below(7);
    for (size_t i = 0; i < count; ++i) {
      values_.push_back({last_, shape_});
      AddOne("node" + std::to_string(i));
    }
    builder_.main().outputs = {last_};
    if (source_.Once(3) && values_.back().first != last_)
      builder_.main().outputs.push_back(values_.back().first);
    return builder_.Take();
  }

 private:
  int32_t Side() { return 1 + static_cast<int32_t>(source_.Below(6)); }
  int32_t Channels() { return 1 + static_cast<int32_t>(source_.Below(5)); }

  ValueId Weights(const Shape& shape) {
    return builder_.Constant(
        shape, ElementType::kFloat32,
        Numbers(source_, static_cast<size_t>(shape.elements())));
  }
  std::string Activation() {
    constexpr const char* kNames[] = {"NONE", "NONE", "RELU", "RELU6",
                                      "RELU_N1_TO_1"};
    return source_.Pick(kNames);
  }
  Node& Add(const char* op, std::vector<ValueId> inputs,
            const std::string& name) {
    Node& node = builder_.Add(op, std::move(inputs), name, shape_);
    last_ = node.outputs[0];
    return node;
  }

  void AddLayer(const std::string& name) {
    const bool is_depthwise = source_.Once(2);
    const int32_t size = source_.Once(2) ? 3 : 1;
    const int32_t out = is_depthwise ? shape_[3] : Channels();
    const ValueId w = Weights(is_depthwise ? Shape{1, size, size, out}
                                           : Shape{out, size, size, shape_[3]});
    const ValueId b = Weights(Shape{out});
    shape_ = Shape{1, shape_[1], shape_[2], out};
    Node& node = Add(is_depthwise ? "DEPTHWISE_CONV_2D" : "CONV_2D",
                     {last_, w, b}, name);
    builder_.Window(&node, Activation().c_str());
    if (is_depthwise) node.attributes.Set("depth_multiplier", int64_t{1});
  }

  void AddFullyConnected(const std::string& name) {
    const int32_t out = Channels();
    const ValueId w = Weights(Shape{out, shape_[3]});
    const ValueId b = Weights(Shape{out});
    shape_ = Shape{1, shape_[1], shape_[2], out};
    Node& node = Add("FULLY_CONNECTED", {last_, w, b}, name);
    node.attributes.Set("fused_activation_function", Activation());
    node.attributes.Set("keep_num_dims", true);
  }

  void AddPool(const std::string& name) {
    Node& node =
        Add(source_.Once(2) ? "MAX_POOL_2D" : "AVERAGE_POOL_2D", {last_}, name);
    node.attributes.Set("padding", std::string("SAME"));
    node.attributes.Set("stride_h", int64_t{1});
    node.attributes.Set("stride_w", int64_t{1});
    node.attributes.Set("fused_activation_function", Activation());
    node.attributes.Set("filter_height", int64_t{2});
    node.attributes.Set("filter_width", int64_t{2});
  }

  void AddPair(const std::string& name) {
    constexpr const char* kOps[] = {"ADD", "MUL",     "SUB",
                                    "DIV", "MAXIMUM", "MINIMUM"};
    ValueId other = -1;
    for (const auto& [value, shape] : values_)
      if (shape == shape_ && value != last_) other = value;
    if (other < 0 || source_.Once(3)) other = Weights(Shape{1});
    const char* const op = source_.Pick(kOps);
    Node& node = source_.Once(2) ? Add(op, {other, last_}, name)
                                 : Add(op, {last_, other}, name);
    if (std::strncmp(op, "M", 1) != 0 || std::strcmp(op, "MUL") == 0)
      node.attributes.Set("fused_activation_function", Activation());
  }

  void AddConcatenation(const std::string& name) {
    const ValueId first = last_;
    shape_ = Shape{1, shape_[1], shape_[2], 2 * shape_[3]};
    Node& node = Add("CONCATENATION", {first, first}, name);
    node.attributes.Set("axis", int64_t{3});
    node.attributes.Set("fused_activation_function", std::string("NONE"));
  }

  void AddOne(const std::string& name) {
    constexpr const char* kUnary[] = {
        "RELU", "RELU6", "LOGISTIC", "TANH", "HARD_SWISH", "ABS",    "NEG",
        "EXP",  "RSQRT", "SQRT",     "LOG",  "ELU",        "SQUARE", "GELU"};
    switch (source_.Below(9)) {
      case 0:
      case 1:
        return AddLayer(name);
      case 2:
        return AddFullyConnected(name);
      case 3:
        return AddPool(name);
      case 4:
        return AddPair(name);
      case 5:
        if (shape_[3] < 16) return AddConcatenation(name);
        return AddPair(name);
      case 6:
        Add("SOFTMAX", {last_}, name).attributes.Set("beta", 1.0f);
        return;
      case 7: {
        const ValueId axes = builder_.Constant(Shape{2}, ElementType::kInt32,
                                               std::vector<int32_t>{1, 2});
        shape_ = Shape{1, 1, 1, shape_[3]};
        Add("MEAN", {last_, axes}, name).attributes.Set("keep_dims", true);
        return;
      }
      default:
        Add(source_.Pick(kUnary), {last_}, name);
        return;
    }
  }

  ByteSource& source_;
  munja::compress::testing::NetworkBuilder builder_;
  Shape shape_;
  ValueId last_ = -1;
  std::vector<std::pair<ValueId, Shape>> values_;
};

// As the inputs want them most of the time.
std::vector<Sample> Samples(ByteSource& source, const Graph& graph) {
  std::vector<Sample> samples(source.Below(4));
  for (Sample& sample : samples)
    for (const ValueId id : graph.main().inputs) {
      Shape shape = graph.main().values[static_cast<size_t>(id)].shape;
      for (int d = 0; d < shape.rank(); ++d)
        if (shape[d] < 0 || source.Once(128))
          shape[d] = static_cast<int32_t>(source.Below(4));
      const int64_t elements = shape.elements();
      if (elements < 0 || elements > 65536) return {};
      sample.push_back({shape, Numbers(source, static_cast<size_t>(elements))});
      if (source.Once(128) && !sample.back().values.empty())
        sample.back().values.pop_back();
    }
  return samples;
}

munja::compress::QuantizeOptions Options(ByteSource& source) {
  constexpr Precision kModes[] = {Precision::kInt8, Precision::kInt16,
                                  Precision::kDynamic, Precision::kWeights};
  using munja::compress::RangeMethod;
  constexpr RangeMethod kMethods[] = {RangeMethod::kMse, RangeMethod::kMinMax,
                                      RangeMethod::kPercentile,
                                      RangeMethod::kEntropy};
  munja::compress::QuantizeOptions options;
  options.mode = source.Pick(kModes);
  options.range.method = source.Pick(kMethods);
  options.rounding.error_feedback = !source.Once(3);
  options.rounding.correct_bias = !source.Once(3);
  options.equalize = !source.Once(3);
  options.tune_bias = !source.Once(3);
  options.integer_io = source.Once(3);
  options.float_logits = !source.Once(3);
  options.wide_layers = static_cast<int>(source.Below(8)) / 5;
  if (source.Once(4)) options.keep = {"node1*"};
  options.kept = source.Pick(kModes);
  if (source.Once(6)) options.max_loss = 0.001;
  return options;
}

// Whether the model runs on the first sample.
bool Runs(const Graph& graph, const std::vector<Sample>& samples) {
  auto session = munja::runtime::CreateSession(
      std::make_shared<Graph>(graph), munja::runtime::SessionOptions());
  if (!session.ok()) {
    Check("session", session.status());
    return false;
  }
  if (samples.empty()) return true;
  for (size_t i = 0; i < samples[0].size(); ++i)
    if ((*session)->inputs().size() != samples[0].size() ||
        (*session)->inputs()[i].type != ElementType::kFloat32)
      return true;
  const auto outputs = (*session)->Run(munja::compress::ViewsOf(samples[0]));
  if (!outputs.ok()) Check("run", outputs.status());
  return outputs.ok();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ByteSource source({data, size});
  const auto options = Options(source);
  const Graph model = source.Once(3) ? munja::hostile::RandomGraph(source)
                                     : Network(source).Take();
  // Models that no file can hold are skipped.
  if (!munja::graph::Verify(model).ok() || !munja::tflite::Write(model).ok())
    return 0;
  const std::vector<Sample> samples = Samples(source, model);
  if (std::getenv("MUNJA_SHOW_MODEL") != nullptr)
    std::fputs(munja::graph::ToText(model).c_str(), stderr);
  const auto made = munja::compress::Quantize(model, samples, options);
  if (!made.ok()) {
    Check("quantize", made.status());
    return 0;
  }
  if (const Status sound = munja::graph::Verify(made->graph); !sound.ok())
    Fail("unsound", sound);
  const auto bytes = munja::tflite::Write(made->graph);
  if (!bytes.ok()) {
    if (bytes.status().code() != Code::kUnsupported)
      Fail("write", bytes.status());
    return 0;
  }
  const auto again = munja::tflite::Read(*bytes, nullptr);
  if (!again.ok()) Fail("read", again.status());
  // A model that ran does so still.
  if (Runs(model, samples) && !Runs(**again, samples))
    Fail("lost", Status(Code::kInternal, "the quantized model does not run"));
  return 0;
}
