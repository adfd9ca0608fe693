#include "ops/testing.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/buffer.h"
#include "base/thread_pool.h"
#include "graph/graph.h"
#include "ops/op.h"
#include "tensor/half.h"
#include "tensor/strings.h"
#include "tensor/view.h"

namespace munja::ops {
namespace {

// Bytes behind each output and scratch that must stay as they are.
constexpr size_t kGuardBytes = 64;
constexpr uint8_t kGuard = 0xA5;

// Filled with the guard's pattern, so that floats not written are seen, too.
Result<Buffer> AllocateGuarded(size_t bytes) {
  MUNJA_ASSIGN_OR_RETURN(Buffer buffer, Buffer::Allocate(bytes + kGuardBytes));
  std::memset(buffer.data(), kGuard, bytes + kGuardBytes);
  return buffer;
}

bool GuardHolds(const Buffer& buffer, size_t bytes) {
  return std::all_of(buffer.data() + bytes, buffer.data() + bytes + kGuardBytes,
                     [](uint8_t b) { return b == kGuard; });
}

size_t DenseBytes(const TensorView& view) {
  const auto count = static_cast<size_t>(view.shape.elements());
  return view.type == ElementType::kInt4 ? (count + 1) / 2
                                         : count * ElementSize(view.type);
}

struct Views {
  std::vector<TensorView> inputs, outputs;
  std::vector<bool> has_input;
};

class TestPrepareContext final : public PrepareContext {
 public:
  TestPrepareContext(Views& views, int threads)
      : views_(views), threads_(threads) {}
  const TensorView& input(int i) const override { return views_.inputs[i]; }
  int inputs() const override { return static_cast<int>(views_.inputs.size()); }
  bool has_input(int i) const override {
    return i >= 0 && i < inputs() && views_.has_input[i];
  }
  const TensorView& output(int i) const override { return views_.outputs[i]; }
  Status SetOutputShape(int i, const Shape& shape) override {
    if (!shape.is_static() || shape.elements() < 0)
      return Internal("output shape " + shape.ToString() + " is not static");
    views_.outputs[i].shape = shape;
    shaped_ |= 1u << i;
    return Status();
  }
  void DeferOutputShape(int i) override { deferred |= 1u << i; }
  void RequestScratch(size_t bytes) override { scratch = bytes; }
  void AllowInPlace(int output, int input) override {
    in_place.emplace_back(output, input);
  }
  void SetState(std::unique_ptr<State> s) override { state = std::move(s); }
  int threads() const override { return threads_; }
  bool AllShaped() const {
    return (shaped_ | deferred) == (1u << views_.outputs.size()) - 1;
  }

  size_t scratch = 0;
  std::vector<std::pair<int, int>> in_place;
  std::unique_ptr<State> state;
  uint32_t deferred = 0;  // By output.

 private:
  Views& views_;
  int threads_;
  uint32_t shaped_ = 0;
};

class TestEvalContext final : public EvalContext {
 public:
  TestEvalContext(Views& views, std::vector<Buffer>& buffers, void* scratch,
                  const State* state, ThreadPool& pool, Host* host)
      : views_(views),
        buffers_(buffers),
        scratch_(scratch),
        state_(state),
        pool_(pool),
        host_(host) {}
  const TensorView& input(int i) const override { return views_.inputs[i]; }
  int inputs() const override { return static_cast<int>(views_.inputs.size()); }
  bool has_input(int i) const override {
    return i >= 0 && i < inputs() && views_.has_input[i];
  }
  const TensorView& output(int i) const override { return views_.outputs[i]; }
  void* scratch() const override { return scratch_; }
  const State* state() const override { return state_; }
  ThreadPool& pool() const override { return pool_; }
  Status ResizeOutput(int i, const Shape& shape, size_t bytes) override {
    TensorView& view = views_.outputs[i];
    if (view.data != nullptr)
      return Internal("output " + std::to_string(i) + " is resized again");
    view.shape = shape;
    view.bytes = view.type == ElementType::kString ? bytes : DenseBytes(view);
    MUNJA_ASSIGN_OR_RETURN(buffers_[i], AllocateGuarded(view.bytes));
    view.data = buffers_[i].data();
    return Status();
  }
  Host* host() const override { return host_; }

 private:
  Views& views_;
  std::vector<Buffer>& buffers_;
  void* scratch_;
  const State* state_;
  ThreadPool& pool_;
  Host* host_;
};

// One node whose inputs are the graph's values 0, 1, ... and whose outputs
// follow them.
graph::Graph MakeGraph(const TestNode& test) {
  graph::Graph g;
  graph::Subgraph& s = g.subgraphs.emplace_back();
  graph::Node node;
  node.op = test.op;
  node.version = test.version;
  node.attributes = test.attributes;
  node.custom_options = test.custom_options;
  for (const TestTensor& t : test.inputs) {
    if (t.is_absent) {
      node.inputs.push_back(graph::kNoValue);
      continue;
    }
    graph::Value value;
    value.type = t.type;
    value.shape = t.shape;
    value.quantization = t.quantization;
    if (t.is_constant) value.constant = graph::MakeConstant(t.bytes);
    value.is_variable = t.is_variable;
    node.inputs.push_back(s.AddValue(std::move(value)));
  }
  for (const TestOutput& t : test.outputs) {
    graph::Value value;
    value.type = t.type;
    value.has_shape = false;
    value.quantization = t.quantization;
    node.outputs.push_back(s.AddValue(std::move(value)));
  }
  for (const TestOutput& t : test.intermediates) {
    graph::Value value;
    value.type = t.type;
    value.quantization = t.quantization;
    node.intermediates.push_back(s.AddValue(std::move(value)));
  }
  s.nodes.push_back(std::move(node));
  return g;
}

}  // namespace

TestTensor Strings(Shape shape, const std::vector<std::string_view>& strings) {
  TestTensor t;
  t.type = ElementType::kString;
  t.shape = shape;
  t.bytes.resize(StringBytes(strings));
  WriteStrings(strings, t.bytes.data());
  return t;
}

TestTensor Halves(Shape shape, const std::vector<float>& values) {
  std::vector<uint16_t> halves(values.size());
  std::transform(values.begin(), values.end(), halves.begin(), FloatToHalf);
  return MakeTensor(ElementType::kFloat16, shape, halves);
}

Result<std::span<const TensorView>> TestHost::Call(
    int index, std::span<const TensorView> inputs) {
  (void)inputs;
  return NotFound("there is no subgraph " + std::to_string(index));
}

TestTensor Absent() {
  TestTensor t;
  t.is_absent = true;
  return t;
}

std::vector<float> RandomFloats(size_t count, uint32_t seed) {
  std::vector<float> values(count);
  uint32_t state = seed * 2654435761u + 1;
  for (float& v : values) {
    state = state * 1664525u + 1013904223u;
    v = static_cast<float>(state >> 8) * 0x1p-23f - 1.0f;
  }
  return values;
}

Result<std::vector<TestTensor>> RunNode(const TestNode& test,
                                        const TestOptions& options) {
  const OpImpl* op = FindOp(test.op);
  if (op == nullptr) return NotFound("no operator " + test.op);
  const graph::Graph g = MakeGraph(test);
  MakeOptions make_options;
  make_options.reference_kernels = options.reference_kernels;
  auto made =
      op->make(NodeInfo(g.main(), g.main().nodes.front(), make_options));
  if (!made.ok()) return std::move(made).TakeStatus();
  const Kernel& kernel = *made.value();

  // Inputs that are not constant are known only when the operator runs.
  Views views;
  std::vector<std::vector<uint8_t>> input_bytes;
  for (const TestTensor& t : test.inputs) {
    input_bytes.push_back(t.bytes);
    TensorView view{t.type, t.shape, nullptr, t.bytes.size(), &t.quantization};
    if (t.is_constant || options.knows_inputs)
      view.data = input_bytes.back().data();
    views.inputs.push_back(view);
    views.has_input.push_back(!t.is_absent);
  }
  for (const TestOutput& t : test.outputs)
    views.outputs.push_back(
        TensorView{t.type, Shape(), nullptr, 0, &t.quantization});

  ThreadPool pool(options.threads);
  TestPrepareContext prepare(views, options.threads);
  MUNJA_RETURN_IF_ERROR(kernel.Prepare(prepare));
  if (!prepare.AllShaped()) return Internal("an output was given no shape");

  for (size_t i = 0; i < views.inputs.size(); ++i)
    views.inputs[i].data = input_bytes[i].data();
  std::vector<Buffer> buffers(views.outputs.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (prepare.deferred >> i & 1) continue;
    TensorView& view = views.outputs[i];
    view.bytes = DenseBytes(view);
    MUNJA_ASSIGN_OR_RETURN(buffers[i], AllocateGuarded(view.bytes));
    view.data = buffers[i].data();
  }
  std::vector<bool> replaced(views.inputs.size(), false);
  if (options.in_place) {
    for (const auto& [out, in] : prepare.in_place) {
      TensorView& source = views.inputs[in];
      if (source.bytes != views.outputs[out].bytes || replaced[in]) continue;
      if (source.bytes > 0)
        std::memcpy(views.outputs[out].data, source.data, source.bytes);
      source.data = views.outputs[out].data;
      replaced[in] = true;
      break;
    }
  }
  MUNJA_ASSIGN_OR_RETURN(const Buffer scratch,
                         AllocateGuarded(prepare.scratch));
  TestHost own_host;
  TestEvalContext eval(views, buffers, const_cast<uint8_t*>(scratch.data()),
                       prepare.state.get(), pool,
                       options.host != nullptr ? options.host : &own_host);
  MUNJA_RETURN_IF_ERROR(kernel.Eval(eval));
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (views.outputs[i].data == nullptr)
      return Internal("output " + std::to_string(i) + " was never resized");
  }

  if (!GuardHolds(scratch, prepare.scratch))
    return Internal("the kernel wrote past its scratch memory");
  for (size_t i = 0; i < views.inputs.size(); ++i)
    if (!test.inputs[i].is_variable && input_bytes[i] != test.inputs[i].bytes)
      return Internal("the kernel changed input " + std::to_string(i));
  if (options.inputs_after != nullptr) {
    *options.inputs_after = test.inputs;
    for (size_t i = 0; i < input_bytes.size(); ++i)
      (*options.inputs_after)[i].bytes = input_bytes[i];
  }
  std::vector<TestTensor> outputs;
  for (size_t i = 0; i < views.outputs.size(); ++i) {
    const TensorView& view = views.outputs[i];
    if (!GuardHolds(buffers[i], view.bytes))
      return Internal("the kernel wrote past output " + std::to_string(i));
    TestTensor& t = outputs.emplace_back();
    t.type = view.type;
    t.shape = view.shape;
    t.quantization = test.outputs[i].quantization;
    t.bytes.assign(buffers[i].data(), buffers[i].data() + view.bytes);
  }
  return outputs;
}

}  // namespace munja::ops
