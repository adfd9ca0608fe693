// Networks of operators that can make rows, run whole map by whole map and by
// bands of rows: for the test and the fuzzer of bands.
#ifndef MUNJA_RUNTIME_REGION_NETWORK_FUZZ_H_
#define MUNJA_RUNTIME_REGION_NETWORK_FUZZ_H_

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/differential_fuzz.h"
#include "runtime/bands.h"
#include "runtime/node_context.h"

namespace munja::runtime::testing {

// Operators on maps of one image, prepared and with memory: float32, or
// integers of one type.
class Network {
 public:
  using ValueId = graph::ValueId;
  static constexpr ValueId kNoValue = graph::kNoValue;

  explicit Network(int threads, ElementType type = ElementType::kFloat32,
                   bool is_reduced = false)
      : type_(type), pool_(threads) {
    make_options_.reduced_precision = is_reduced;
  }

  bool is_float() const { return type_ == ElementType::kFloat32; }
  ElementType type() const { return type_; }

  ValueId Input(Shape shape) { return InputOf(shape, type_); }
  ValueId RealInput(Shape shape) {
    return InputOf(shape, ElementType::kFloat32);
  }
  ValueId Sizes(const std::vector<int32_t>& sizes) {
    std::vector<uint8_t> bytes(sizes.size() * sizeof(int32_t));
    std::memcpy(bytes.data(), sizes.data(), bytes.size());
    return ConstantOf({static_cast<int32_t>(sizes.size())}, ElementType::kInt32,
                      {}, std::move(bytes));
  }

  ValueId Conv(ValueId x, int32_t out_c, int32_t kernel, int32_t stride,
               const char* padding, ValueId residual = kNoValue) {
    const int32_t in_c = shape(x)[3];
    std::vector<ValueId> inputs = {x, Weights({out_c, kernel, kernel, in_c}),
                                   Bias(out_c)};
    if (residual != kNoValue) inputs.push_back(residual);
    return Node("CONV_2D", std::move(inputs),
                {{"padding", std::string(padding)},
                 {"stride_h", int64_t{stride}},
                 {"stride_w", int64_t{stride}},
                 {"has_residual", residual != kNoValue},
                 {"fused_activation_function", std::string("RELU")}});
  }
  ValueId Depthwise(ValueId x, int32_t kernel, int32_t stride,
                    const char* padding) {
    const int32_t c = shape(x)[3];
    return Node("DEPTHWISE_CONV_2D",
                {x, Weights({1, kernel, kernel, c}), Bias(c)},
                {{"padding", std::string(padding)},
                 {"stride_h", int64_t{stride}},
                 {"stride_w", int64_t{stride}}});
  }
  ValueId Pool(ValueId x, const char* op, int32_t kernel, int32_t stride,
               const char* padding) {
    return Node(op, {x},
                {{"padding", std::string(padding)},
                 {"filter_height", int64_t{kernel}},
                 {"filter_width", int64_t{kernel}},
                 {"stride_h", int64_t{stride}},
                 {"stride_w", int64_t{stride}}});
  }
  ValueId Transposed(ValueId x, int32_t out_c, int32_t kernel) {
    const Shape& in = shape(x);
    return Node("TRANSPOSE_CONV",
                {Sizes({1, in[1] * kernel, in[2] * kernel, out_c}),
                 Weights({out_c, kernel, kernel, in[3]}), x, Bias(out_c)},
                {{"padding", std::string("VALID")},
                 {"stride_h", int64_t{kernel}},
                 {"stride_w", int64_t{kernel}},
                 {"fused_activation_function",
                  std::string(is_float() ? "LOGISTIC" : "NONE")}});
  }
  ValueId Lateral(ValueId x, int32_t out_c, ValueId gate, ValueId level) {
    const Shape& in = shape(x);
    return Node("LATERAL_CONV_2D",
                {x, Weights({out_c, 1, 1, in[3]}), Bias(out_c), gate, level,
                 Sizes({in[1], in[2]})},
                {});
  }
  // A convolution of maps, each enlarged to height x width.
  ValueId ConvOfMaps(const std::vector<ValueId>& maps, int32_t height,
                     int32_t width, int32_t out_c, int32_t kernel) {
    std::vector<int64_t> channels;
    for (const ValueId v : maps) channels.push_back(shape(v)[3]);
    int32_t all = 0;
    for (const int64_t c : channels) all += static_cast<int32_t>(c);
    std::vector<ValueId> inputs = {Weights({out_c, kernel, kernel, all}),
                                   Bias(out_c)};
    for (const ValueId v : maps) {
      inputs.push_back(v);
      const bool is_enlarged = shape(v)[1] != height || shape(v)[2] != width;
      inputs.push_back(is_enlarged ? Sizes({height, width}) : kNoValue);
    }
    return Node("CONCAT_CONV_2D", std::move(inputs),
                {{"padding", std::string("SAME")},
                 {"stride_h", int64_t{1}},
                 {"stride_w", int64_t{1}},
                 {"channels", channels}});
  }
  ValueId Binary(const char* op, ValueId a, ValueId b) {
    return Node(op, {a, b}, {});
  }
  ValueId Activation(const char* op, ValueId x) { return Node(op, {x}, {}); }
  ValueId Enlarge(ValueId x, int32_t factor) {
    return Node("RESIZE_NEAREST_NEIGHBOR",
                {x, Sizes({shape(x)[1] * factor, shape(x)[2] * factor})}, {});
  }
  ValueId Join(std::vector<ValueId> maps) {
    return Node("CONCATENATION", std::move(maps), {{"axis", int64_t{3}}});
  }
  ValueId Quantize(ValueId x) { return Node("QUANTIZE", {x}, {}); }
  ValueId Dequantize(ValueId x) {
    return Node("DEQUANTIZE", {x}, {}, ElementType::kFloat32);
  }

  // Step by step, then by bands, if there are any. What differs, or nothing.
  // Once a network.
  std::string Compare(size_t max_bytes, double max_repeated = 1000) {
    if (!error_.empty()) return error_;
    std::vector<Bands::Stage> stages;
    std::vector<Buffer> scratch;
    for (size_t n = 0; n < contexts_.size(); ++n) {
      NodeContext& context = *contexts_[n];
      scratch.push_back(Memory(scratch_bytes_[n] + kBehind));
      std::memset(scratch.back().data(), 0xff, scratch.back().size());
      context.scratch_data = scratch.back().data();
      Bind(context);
      if (!kernels_[n]->Eval(context).ok()) return Name(n) + " fails";
      Bands::Stage stage{n, kernels_[n]->by_rows(), &context, {}};
      if (stage.kernel == nullptr || !stage.kernel->CanSplitRows(context))
        return Name(n) + " does not split";
      for (int i = 0; i < context.inputs(); ++i) {
        int source =
            context.has_input(i) && stage.kernel->IsRowInput(context, i)
                ? Bands::kWholeMap
                : Bands::kNoRows;
        for (size_t p = 0; p < n; ++p)
          if (contexts_[p]->node().outputs[0] == context.node().inputs[i])
            source = static_cast<int>(p);
        stage.sources.push_back(source);
      }
      stages.push_back(std::move(stage));
    }
    auto bands = Bands::Make(std::move(stages), {.bytes = max_bytes,
                                                 .threads = pool_.threads(),
                                                 .repeated = max_repeated});
    bands_ = bands == nullptr ? 0 : bands->count();
    if (bands == nullptr) return "";
    // Only the last map has memory now.
    NodeContext& last = *contexts_.back();
    const Buffer whole = std::move(buffers_.back());
    for (size_t n = 0; n + 1 < contexts_.size(); ++n)
      contexts_[n]->output_views[0].data = nullptr;
    const size_t bytes = last.output_views[0].bytes;
    Buffer made = Memory(bytes);
    Buffer memory = Memory(bands->bytes() + kBehind);
    last.output_views[0].data = made.data();
    bands->Bind(memory.data());
    for (int run = 0; run < 2; ++run) {
      std::memset(made.data(), 0xff, bytes);
      std::memset(memory.data(), 0xff, memory.size());
      bands->Run(pool_, nullptr);
      if (std::memcmp(made.data(), whole.data(), bytes) != 0)
        return "by bands " + Name(contexts_.size() - 1) + " differs";
      if (!IsUntouched(memory, bands->bytes()))
        return "rows are written past their memory";
      for (size_t n = 0; n < scratch.size(); ++n)
        if (!IsUntouched(scratch[n], scratch_bytes_[n]))
          return Name(n) + " writes past its scratch";
    }
    return "";
  }
  int32_t bands() const { return bands_; }
  const Shape& shape(ValueId v) const { return views_[v].shape; }

 private:
  using Options = std::vector<std::pair<std::string, graph::AttributeValue>>;

  // Guard bytes behind memory, which must not change.
  static constexpr size_t kBehind = 64;
  static bool IsUntouched(const Buffer& memory, size_t end) {
    return std::all_of(memory.data() + end, memory.data() + end + kBehind,
                       [](uint8_t b) { return b == 0xff; });
  }
  static Buffer Memory(size_t bytes) {
    auto buffer = Buffer::Allocate(bytes);
    if (!buffer.ok()) std::abort();
    return std::move(*buffer);
  }
  std::string Name(size_t n) const {
    return "node " + std::to_string(n) + " (" + nodes_[n]->op + ")";
  }

  // Activations of all maps are quantized alike, as pooling wants it.
  static Quantization QuantizationOf(ElementType type) {
    switch (type) {
      case ElementType::kInt8:
        return {{1.0f / 32}, {3}, 0};
      case ElementType::kUInt8:
        return {{1.0f / 32}, {131}, 0};
      case ElementType::kInt16:
        return {{1.0f / 4096}, {0}, 0};
      default:
        return {};
    }
  }

  // Noise over all values of the type.
  std::vector<uint8_t> Noise(int64_t count, ElementType type) {
    const auto n = static_cast<size_t>(count);
    std::vector<uint8_t> bytes(n * ElementSize(type));
    if (type == ElementType::kFloat32) {
      std::vector<float> numbers(n);
      for (float& x : numbers)
        x = static_cast<float>(random_() % 2001) / 1000.0f - 1.0f;
      std::memcpy(bytes.data(), numbers.data(), bytes.size());
      return bytes;
    }
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(random_());
    return bytes;
  }
  ValueId ConstantOf(Shape shape, ElementType type, Quantization quantization,
                     std::vector<uint8_t> bytes) {
    graph::Value value;
    value.type = type;
    value.shape = shape;
    value.quantization = std::move(quantization);
    value.constant = graph::MakeConstant(std::move(bytes));
    return sub_.AddValue(std::move(value));
  }
  ValueId Weights(Shape shape) {
    const ElementType type = is_float() ? ElementType::kFloat32
                             : type_ == ElementType::kUInt8
                                 ? ElementType::kUInt8
                                 : ElementType::kInt8;
    Quantization quantization;
    if (type == ElementType::kInt8) quantization = {{1.0f / 256}, {0}, 0};
    if (type == ElementType::kUInt8) quantization = {{1.0f / 256}, {128}, 0};
    return ConstantOf(shape, type, std::move(quantization),
                      Noise(shape.elements(), type));
  }
  ValueId Bias(int32_t channels) {
    const ElementType type = is_float() ? ElementType::kFloat32
                             : type_ == ElementType::kInt16
                                 ? ElementType::kInt64
                                 : ElementType::kInt32;
    const Shape shape{channels};
    if (is_float()) return ConstantOf(shape, type, {}, Noise(channels, type));
    std::vector<uint8_t> bytes(static_cast<size_t>(channels) *
                               ElementSize(type));
    for (size_t c = 0; c < static_cast<size_t>(channels); ++c) {
      const int64_t value = static_cast<int64_t>(random_() % 2001) - 1000;
      const auto narrow = static_cast<int32_t>(value);
      if (type == ElementType::kInt64)
        std::memcpy(&bytes[c * sizeof(value)], &value, sizeof(value));
      else
        std::memcpy(&bytes[c * sizeof(narrow)], &narrow, sizeof(narrow));
    }
    return ConstantOf(shape, type,
                      {{QuantizationOf(type_).scales[0] / 256}, {0}, 0},
                      std::move(bytes));
  }
  ValueId NewValue(const Shape& shape, ElementType type) {
    graph::Value value;
    value.type = type;
    value.shape = shape;
    return sub_.AddValue(std::move(value));
  }
  ValueId InputOf(Shape shape, ElementType type) {
    const ValueId v = NewValue(shape, type);
    views_.resize(sub_.values.size());
    SetView(v, shape, type);
    const std::vector<uint8_t> noise = Noise(shape.elements(), type);
    std::memcpy(views_[v].data, noise.data(), noise.size());
    return v;
  }
  // With memory.
  void SetView(ValueId v, const Shape& shape, ElementType type) {
    quantizations_.push_back(QuantizationOf(type));
    TensorView& view = views_[v];
    view.type = type;
    view.shape = shape;
    view.quantization = &quantizations_.back();
    view.bytes = static_cast<size_t>(shape.elements()) * ElementSize(type);
    buffers_.push_back(Memory(view.bytes));
    view.data = buffers_.back().data();
    // Operators that follow know what the shapes are, as they do in models.
    sub_.values[v].shape = shape;
    sub_.values[v].has_shape = true;
    sub_.values[v].quantization = quantizations_.back();
  }
  ValueId Node(const char* op, std::vector<ValueId> inputs,
               const Options& options) {
    return Node(op, std::move(inputs), options, type_);
  }
  ValueId Node(const char* op, std::vector<ValueId> inputs,
               const Options& options, ElementType type) {
    const ValueId v = NewValue({}, type);
    sub_.values[v].has_shape = false;
    nodes_.push_back(std::make_unique<graph::Node>());
    graph::Node& node = *nodes_.back();
    node.op = op;
    node.inputs = std::move(inputs);
    node.outputs = {v};
    for (const auto& [name, value] : options) node.attributes.Set(name, value);
    views_.resize(sub_.values.size());
    for (const ValueId in : node.inputs) {
      if (in == kNoValue || !sub_.values[in].constant) continue;
      const graph::Value& constant = sub_.values[in];
      quantizations_.push_back(constant.quantization);
      views_[in].type = constant.type;
      views_[in].shape = constant.shape;
      views_[in].quantization = &quantizations_.back();
      views_[in].data = const_cast<uint8_t*>(constant.constant->bytes.data());
      views_[in].bytes = constant.constant->bytes.size();
    }
    quantizations_.push_back(QuantizationOf(type));
    views_[v].type = type;
    views_[v].quantization = &quantizations_.back();
    sub_.values[v].quantization = quantizations_.back();
    const auto failed = [&](std::string_view why) {
      if (error_.empty())
        error_ = Name(nodes_.size() - 1) + ": " + std::string(why);
      views_[v].shape = {1, 1, 1, 1};
      return v;
    };
    const ops::OpImpl* impl = ops::FindOp(op);
    if (impl == nullptr) return failed("is unknown");
    auto kernel = impl->make({sub_, node, make_options_});
    if (!kernel.ok()) return failed(kernel.status().message());
    kernels_.push_back(std::move(*kernel));
    contexts_.push_back(std::make_unique<NodeContext>(node, views_, pool_));
    Preparation preparation(*contexts_.back());
    const Status status = preparation.Run(*kernels_.back());
    if (!status.ok()) return failed(status.message());
    scratch_bytes_.push_back(preparation.scratch_bytes());
    SetView(v, contexts_.back()->output_views[0].shape, type);
    return v;
  }
  void Bind(NodeContext& context) {
    const graph::Node& node = context.node();
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] != kNoValue)
        context.input_views[i].data = views_[node.inputs[i]].data;
    context.output_views[0].data = views_[node.outputs[0]].data;
  }

  ElementType type_;
  ThreadPool pool_;
  ops::MakeOptions make_options_;
  graph::Subgraph sub_;
  std::mt19937 random_{7};
  std::deque<Quantization> quantizations_;  // Views point there.
  std::vector<TensorView> views_;           // By value.
  std::vector<Buffer> buffers_;             // The last one: of the last output.
  std::vector<std::unique_ptr<graph::Node>> nodes_;
  std::vector<std::unique_ptr<ops::Kernel>> kernels_;
  std::vector<std::unique_ptr<NodeContext>> contexts_;
  std::vector<size_t> scratch_bytes_;
  std::string error_;
  int32_t bands_ = 0;
};

// Adds an operator that the bytes choose: it reads the last map and maybe an
// earlier one. What it makes; the map itself where the choice does not fit.
inline graph::ValueId AddRandomOperator(Network& net, kernels::CaseBytes& bytes,
                                        std::vector<graph::ValueId>& maps) {
  const graph::ValueId x = maps.back();
  const Shape shape = net.shape(x);
  const char* const padding = bytes.Flag() ? "SAME" : "VALID";
  const int32_t kernel = bytes.Pick({1, 2, 3, 5});
  const int32_t stride = bytes.Pick({1, 1, 1, 2, 3});
  const bool fits = shape[1] >= kernel && shape[2] >= kernel;
  const char* const window = fits ? padding : "SAME";
  const int32_t channels = bytes.Pick({1, 4, 8, 16, 17, 32});
  // An earlier map of the same size, if there is one.
  graph::ValueId other = x;
  for (const graph::ValueId v : maps)
    if (v != x && net.shape(v) == shape) other = v;
  switch (bytes.Between(0, 9)) {
    case 0:
    case 1:
      return net.Conv(x, channels, kernel, stride, window);
    case 2:
      return net.Conv(x, channels, 1, 1, "SAME");
    case 3:
      return net.Depthwise(x, kernel, stride, window);
    case 4:
      return net.Pool(x, bytes.Flag() ? "MAX_POOL_2D" : "AVERAGE_POOL_2D",
                      kernel, stride, "SAME");
    case 5:
      return net.Binary(bytes.Flag() ? "MUL" : "ADD", x, other);
    case 6:
      return net.Binary("MUL", x, net.Input({1, 1, 1, shape[3]}));
    case 7:
      return net.Activation(bytes.Flag() ? "RELU" : "GELU", x);
    case 8:
      return shape[3] > 64 ? net.Conv(x, channels, 1, 1, "SAME")
                           : net.Join({x, other});
    default:
      if (int64_t{shape[1]} * shape[2] > 4000)
        return net.Pool(x, "MAX_POOL_2D", 2, 2, "SAME");
      return bytes.Flag() ? net.Transposed(x, channels, bytes.Pick({2, 3}))
                          : net.Enlarge(x, bytes.Pick({2, 3}));
  }
}

// A network, its type and the number of its threads are what the bytes say.
// The difference, or nothing; `bands`, if not null: how many there were.
inline std::string CompareRandomNetwork(const uint8_t* data, size_t size,
                                        int32_t* bands = nullptr) {
  kernels::CaseBytes bytes(data, size);
  const ElementType type =
      bytes.Pick({ElementType::kInt8, ElementType::kInt16, ElementType::kUInt8,
                  ElementType::kFloat32});
  Network net(bytes.Pick({1, 2, 3}), type);
  std::vector<graph::ValueId> maps = {
      net.Input({1, bytes.Between(1, 90), bytes.Between(1, 40),
                 bytes.Pick({1, 3, 16, 24})})};
  const int32_t operators = bytes.Between(2, 8);
  const size_t memory = bytes.Pick({64, 4, 1}) * size_t{64} << 10;
  for (int32_t i = 0; i < operators; ++i)
    maps.push_back(AddRandomOperator(net, bytes, maps));
  std::string differs = net.Compare(memory);
  if (bands != nullptr) *bands = net.bands();
  return differs;
}

}  // namespace munja::runtime::testing

#endif  // MUNJA_RUNTIME_REGION_NETWORK_FUZZ_H_
