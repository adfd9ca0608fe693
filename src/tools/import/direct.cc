#include "import/direct.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "base/buffer.h"
#include "base/thread_pool.h"
#include "graph/graph.h"
#include "ops/op.h"
#include "ops/support/custom_options.h"
#include "tensor/half.h"

namespace munja::importer {
namespace {

// Stand-ins for dynamic dimensions; a result that differs between them depends
// on them.
constexpr int32_t kStandIns[] = {24, 36};

template <class T>
void Store(const std::vector<int64_t>& from, std::vector<uint8_t>* to) {
  to->resize(from.size() * sizeof(T));
  for (size_t i = 0; i < from.size(); ++i) {
    const T value = static_cast<T>(from[i]);
    std::memcpy(to->data() + i * sizeof(T), &value, sizeof(T));
  }
}

template <class T>
void Load(const uint8_t* from, size_t count, std::vector<int64_t>* to) {
  for (size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));
    to->push_back(static_cast<int64_t>(value));
  }
}

bool IsFloat(ElementType type) {
  return type == ElementType::kFloat32 || type == ElementType::kFloat16 ||
         type == ElementType::kFloat64;
}

// One node with its tensors, as its kernel sees them.
class Single : public ops::PrepareContext, public ops::EvalContext {
 public:
  Status Make(const Node& node, std::span<const ValueInfo> inputs,
              int32_t stand_in, bool as_constants) {
    graph::Subgraph& s = graph_.subgraphs.emplace_back();
    graph::Node made;
    made.op = node.op;
    made.is_custom = node.direct->is_custom;
    made.version = node.direct->version;
    if (made.is_custom)
      made.custom_options = ops::EncodeCustomOptions(node.attributes);
    else
      made.attributes = node.attributes;
    for (const ValueInfo& info : inputs) {
      has_input_.push_back(info.present);
      if (!info.present) {
        made.inputs.push_back(graph::kNoValue);
        inputs_.emplace_back();
        bytes_.emplace_back();
        continue;
      }
      graph::Value value;
      value.type = info.type;
      for (const int64_t d : info.shape) {
        if (d > INT32_MAX) return OutOfMemory("a size of ", d);
        value.shape.Append(d < 0 ? stand_in : static_cast<int32_t>(d));
      }
      if (info.constant != nullptr) {
        bytes_.push_back(StoreAs(*info.constant, info.type));
        if (as_constants) value.constant = graph::MakeConstant(bytes_.back());
      } else {
        bytes_.emplace_back();
      }
      TensorView view;
      view.type = value.type;
      view.shape = value.shape;
      view.bytes = bytes_.back().size();
      inputs_.push_back(view);
      made.inputs.push_back(s.AddValue(std::move(value)));
    }
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (has_input_[i] && inputs[i].constant != nullptr)
        inputs_[i].data = bytes_[i].data();
    for (const ElementType type : node.direct->types) {
      graph::Value value;
      value.type = type;
      value.has_shape = false;
      made.outputs.push_back(s.AddValue(std::move(value)));
      TensorView view;
      view.type = type;
      outputs_.push_back(view);
    }
    shaped_.assign(outputs_.size(), false);
    deferred_.assign(outputs_.size(), false);
    s.nodes.push_back(std::move(made));
    const ops::OpImpl* op = ops::FindOp(node.op);
    if (op == nullptr) return Unsupported("operator ", node.op);
    ops::MakeOptions options;
    options.reference_kernels = true;
    MUNJA_ASSIGN_OR_RETURN(
        kernel_, op->make(ops::NodeInfo(graph_.main(), graph_.main().nodes[0],
                                        options)));
    if (kernel_->needs_host()) return Unsupported("operator ", node.op);
    return kernel_->Prepare(*this);
  }
  Status Run(int64_t max_elements) {
    buffers_.resize(outputs_.size());
    max_elements_ = max_elements;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (deferred_[i]) continue;
      MUNJA_RETURN_IF_ERROR(Allocate(static_cast<int>(i), 0));
    }
    MUNJA_ASSIGN_OR_RETURN(scratch_memory_, Buffer::Allocate(scratch_ + 64));
    return kernel_->Eval(*this);
  }
  bool shaped(size_t i) const { return shaped_[i]; }

  const TensorView& input(int i) const override { return inputs_[i]; }
  int inputs() const override { return static_cast<int>(inputs_.size()); }
  bool has_input(int i) const override {
    return i >= 0 && i < inputs() && has_input_[i];
  }
  const TensorView& output(int i) const override { return outputs_[i]; }
  Status SetOutputShape(int i, const Shape& shape) override {
    if (!shape.is_static() || shape.elements() < 0)
      return OutOfMemory("an output of shape ", shape.ToString());
    outputs_[i].shape = shape;
    shaped_[i] = true;
    return {};
  }
  void DeferOutputShape(int i) override { deferred_[i] = true; }
  void RequestScratch(size_t bytes) override { scratch_ = bytes; }
  void AllowInPlace(int, int) override {}
  void SetState(std::unique_ptr<ops::State> state) override {
    state_ = std::move(state);
  }
  int threads() const override { return 1; }
  void* scratch() const override {
    return const_cast<uint8_t*>(scratch_memory_.data());
  }
  const ops::State* state() const override { return state_.get(); }
  ThreadPool& pool() const override { return pool_; }
  Status ResizeOutput(int i, const Shape& shape, size_t bytes) override {
    outputs_[i].shape = shape;
    return Allocate(i, bytes);
  }
  ops::Host* host() const override { return nullptr; }

 private:
  Status Allocate(int i, size_t bytes) {
    TensorView& view = outputs_[i];
    const int64_t count = view.shape.elements();
    if (count < 0 || count > max_elements_)
      return OutOfMemory("an output of shape ", view.shape.ToString(),
                         " is larger than allowed");
    view.bytes =
        std::max(bytes, static_cast<size_t>(count) * ElementSize(view.type));
    MUNJA_ASSIGN_OR_RETURN(buffers_[i], Buffer::Allocate(view.bytes + 64));
    view.data = buffers_[i].data();
    return {};
  }

  graph::Graph graph_;
  std::unique_ptr<ops::Kernel> kernel_;
  std::vector<TensorView> inputs_, outputs_;
  std::vector<std::vector<uint8_t>> bytes_;
  std::vector<bool> has_input_, shaped_, deferred_;
  std::vector<Buffer> buffers_;
  Buffer scratch_memory_;
  size_t scratch_ = 0;
  int64_t max_elements_ = 0;
  std::unique_ptr<ops::State> state_;
  mutable ThreadPool pool_{1};
};

// Shapes with this size instead of dynamic ones; empty where they depend on
// values.
Result<std::vector<Dims>> Shapes(const Node& node,
                                 std::span<const ValueInfo> inputs,
                                 int32_t stand_in) {
  Single single;
  const Status status = single.Make(node, inputs, stand_in, true);
  std::vector<Dims> shapes;
  if (status.code() == Code::kNeedsValues) return shapes;
  if (!status.ok()) return status.Clone();
  for (size_t i = 0; i < node.direct->types.size(); ++i) {
    if (!single.shaped(i)) return std::vector<Dims>();
    const Shape& shape = single.output(static_cast<int>(i)).shape;
    shapes.emplace_back(shape.dims().begin(), shape.dims().end());
  }
  return shapes;
}

}  // namespace

Result<Tensor> FromView(const TensorView& view) {
  Tensor t;
  for (const int32_t d : view.shape.dims()) t.shape.push_back(d);
  t.type = view.type;
  t.is_integer = !IsFloat(view.type);
  const size_t count = static_cast<size_t>(view.shape.elements());
  const uint8_t* bytes = view.as<uint8_t>();
  switch (view.type) {
    case ElementType::kFloat32:
      t.floats.resize(count);
      if (count > 0) std::memcpy(t.floats.data(), bytes, count * sizeof(float));
      break;
    case ElementType::kBool:
    case ElementType::kUInt8:
      Load<uint8_t>(bytes, count, &t.integers);
      break;
    case ElementType::kInt8:
      Load<int8_t>(bytes, count, &t.integers);
      break;
    case ElementType::kInt16:
      Load<int16_t>(bytes, count, &t.integers);
      break;
    case ElementType::kUInt16:
      Load<uint16_t>(bytes, count, &t.integers);
      break;
    case ElementType::kInt32:
      Load<int32_t>(bytes, count, &t.integers);
      break;
    case ElementType::kUInt32:
      Load<uint32_t>(bytes, count, &t.integers);
      break;
    case ElementType::kInt64:
    case ElementType::kUInt64:
      Load<int64_t>(bytes, count, &t.integers);
      break;
    default:
      return Unsupported("a result of type ", ElementTypeName(view.type));
  }
  return t;
}

std::vector<uint8_t> StoreAs(const Tensor& tensor, ElementType type) {
  std::vector<uint8_t> bytes;
  switch (type) {
    case ElementType::kFloat32:
      bytes.resize(tensor.floats.size() * sizeof(float));
      if (!bytes.empty())
        std::memcpy(bytes.data(), tensor.floats.data(), bytes.size());
      break;
    case ElementType::kBool:
      for (const int64_t v : tensor.integers) bytes.push_back(v != 0);
      break;
    case ElementType::kInt8:
    case ElementType::kUInt8:
      Store<uint8_t>(tensor.integers, &bytes);
      break;
    case ElementType::kInt16:
    case ElementType::kUInt16:
      Store<uint16_t>(tensor.integers, &bytes);
      break;
    case ElementType::kInt32:
    case ElementType::kUInt32:
      Store<uint32_t>(tensor.integers, &bytes);
      break;
    default:
      Store<int64_t>(tensor.integers, &bytes);
  }
  return bytes;
}

const char* SchemaName(ElementType type) {
  switch (type) {
    case ElementType::kBool:
      return "BOOL";
    case ElementType::kInt8:
      return "INT8";
    case ElementType::kUInt8:
      return "UINT8";
    case ElementType::kInt16:
      return "INT16";
    case ElementType::kUInt16:
      return "UINT16";
    case ElementType::kInt32:
      return "INT32";
    case ElementType::kUInt32:
      return "UINT32";
    case ElementType::kInt64:
      return "INT64";
    default:
      return "FLOAT32";
  }
}

Result<std::vector<ValueInfo>> InferDirect(const Node& node,
                                           std::span<const ValueInfo> inputs) {
  const Direct& d = *node.direct;
  bool open = false;
  for (const ValueInfo& info : inputs)
    open = open || (info.present && !IsStatic(info.shape));
  MUNJA_ASSIGN_OR_RETURN(std::vector<Dims> shapes,
                         Shapes(node, inputs, kStandIns[0]));
  if (open && !shapes.empty()) {
    MUNJA_ASSIGN_OR_RETURN(const std::vector<Dims> others,
                           Shapes(node, inputs, kStandIns[1]));
    for (size_t i = 0; i < shapes.size() && i < others.size(); ++i) {
      if (others[i].size() != shapes[i].size())
        return Unsupported("a rank that depends on the sizes of inputs");
      for (size_t k = 0; k < shapes[i].size(); ++k)
        if (shapes[i][k] != others[i][k]) shapes[i][k] = kUnknown;
    }
  }
  if (shapes.empty()) {
    shapes = d.shapes;
    if (shapes.size() != d.types.size())
      return Unsupported("a shape that comes with the values of a run");
  }
  std::vector<ValueInfo> outputs;
  for (size_t i = 0; i < d.types.size(); ++i) {
    ValueInfo info;
    info.shape = shapes[i];
    info.is_integer = !IsFloat(d.types[i]);
    info.type = d.types[i];
    outputs.push_back(std::move(info));
  }
  return outputs;
}

Result<std::vector<Tensor>> RunDirect(const Node& node,
                                      std::span<const Tensor* const> inputs,
                                      int64_t max_elements) {
  std::vector<ValueInfo> infos;
  for (const Tensor* t : inputs) {
    ValueInfo info;
    info.present = t != nullptr;
    if (t != nullptr) {
      info.shape = t->shape;
      info.is_integer = t->is_integer;
      info.type = t->type;
      info.constant = t;
    }
    infos.push_back(std::move(info));
  }
  Single single;
  MUNJA_RETURN_IF_ERROR(single.Make(node, infos, 1, true));
  MUNJA_RETURN_IF_ERROR(single.Run(max_elements));
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < node.direct->types.size(); ++i) {
    MUNJA_ASSIGN_OR_RETURN(Tensor t,
                           FromView(single.output(static_cast<int>(i))));
    outputs.push_back(std::move(t));
  }
  return outputs;
}

}  // namespace munja::importer
