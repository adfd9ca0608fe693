#include "import/onnx/translate.h"

#include <climits>
#include <set>
#include <utility>
#include <vector>

#include "import/onnx/body.h"
#include "import/onnx/context.h"
#include "import/onnx/functions.h"
#include "import/onnx/old_sets.h"
#include "import/onnx/tensor_reader.h"
#include "onnx.pb.h"

namespace munja::importer::onnx {
namespace {

namespace proto = munja::onnx;

constexpr int64_t kOldestSet = 1;
constexpr int64_t kNewestSet = 21;  // The last supported one.

Status CheckSet(int64_t set) {
  if (set < kOldestSet)
    return Unsupported("ONNX operator set ", set, " is older than ",
                       kOldestSet);
  if (set > kNewestSet)
    return Unsupported("ONNX operator set ", set, " is newer than ",
                       kNewestSet);
  return {};
}

Status CheckOperators(const proto::GraphProto& graph) {
  std::map<std::string, int> missing;
  for (const proto::NodeProto& node : graph.node()) {
    if (!IsOwnDomain(node.domain()))
      ++missing[node.domain() + "." + node.op_type()];
    else if (FindHandler(node.op_type()) == nullptr)
      ++missing[node.op_type()];
  }
  return RefuseMissing("these ONNX operators cannot be imported:", missing);
}

Status ReadAttribute(const Context& context, const proto::AttributeProto& a,
                     Operator* op) {
  using Doubles = std::vector<double>;
  using Int64s = std::vector<int64_t>;
  const std::string& name = a.name();
  int type = a.type();
  if (type == 0)  // Files of the first versions do not say it.
    type = a.has_f()             ? 1
           : a.has_i()           ? 2
           : a.has_s()           ? 3
           : a.has_t()           ? 4
           : a.floats_size() > 0 ? 6
           : a.ints_size() > 0   ? 7
           : a.has_g()           ? 5
                                 : 0;
  switch (type) {
    case 1:
      op->attributes.Set(name, static_cast<double>(a.f()));
      return {};
    case 2:
      op->attributes.Set(name, static_cast<int64_t>(a.i()));
      return {};
    case 3:
      op->attributes.Set(name, a.s());
      return {};
    case 4: {
      MUNJA_ASSIGN_OR_RETURN(Tensor t,
                             ReadTensor(a.t(), context.external).With(*op));
      op->tensors.insert_or_assign(name, std::move(t));
      return {};
    }
    case 5:
      op->graphs[name] = &a.g();
      return {};
    case 6:
      op->attributes.Set(name, Doubles(a.floats().begin(), a.floats().end()));
      return {};
    case 7:
      op->attributes.Set(name, Int64s(a.ints().begin(), a.ints().end()));
      return {};
    case 8:
      op->texts[name].assign(a.strings().begin(), a.strings().end());
      return {};
    default:
      return Unsupported(*op, ": attribute '", name, "' of type ", type);
  }
}

// A sequence for a recurrent layer: the steps come first, then the batch.
bool IsSequence(const proto::GraphProto& graph, const std::string& name) {
  for (const proto::NodeProto& node : graph.node()) {
    if (node.op_type() != "LSTM" && node.op_type() != "GRU" &&
        node.op_type() != "RNN")
      continue;
    bool batch_first = false;
    for (const proto::AttributeProto& a : node.attribute())
      batch_first = batch_first || (a.name() == "layout" && a.i() != 0);
    if (!batch_first && node.input_size() > 0 && node.input(0) == name)
      return true;
  }
  return false;
}

Status AddInput(Context& context, const proto::GraphProto& graph,
                const proto::ValueInfoProto& info,
                const TranslateOptions& options) {
  const std::string& name = info.name();
  const proto::TypeProto::Tensor& type = info.type().tensor_type();
  if (!type.has_shape()) return Unsupported("input '", name, "' has no shape");
  const std::optional<ElementType> element = ReadElementType(type.elem_type());
  if (!element)
    return Unsupported("input '", name, "' has element type ", type.elem_type(),
                       ", for which .tflite has none here");
  Dims shape;
  for (const auto& dim : type.shape().dim()) {
    // In some files 0 and negative sizes mean "dynamic".
    const int64_t d = dim.dim_value();
    if (d > kMaxElements)
      return Malformed("input '", name, "' has a size of ", d);
    shape.push_back(d > 0 ? d : kUnknown);
  }
  if (shape.size() > 8)
    return Unsupported("input '", name, "' has shape ", ToString(shape));
  const size_t batch = shape.size() > 1 && IsSequence(graph, name) ? 1 : 0;
  if (!shape.empty() && shape[batch] < 0 && !options.dynamic_batch)
    shape[batch] = 1;
  if (const Dims* given = FindShape(options.input_shapes, name)) {
    if (given->size() != shape.size())
      return InvalidArgument("input '", name, "' has rank ", shape.size());
    shape = *given;
  }
  MUNJA_ASSIGN_OR_RETURN(
      const ValueId value,
      context.builder.AddInput(name, shape, *element, options.input_values));
  if (!context.values.emplace(name, value).second)
    return Malformed("input '", name, "' occurs twice");
  return {};
}

Status AddNode(Context& context, const proto::NodeProto& node) {
  Operator op;
  op.type = node.op_type();
  op.name = node.name();
  op.outputs.assign(node.output().begin(), node.output().end());
  context.opset = node.operator_set();
  MUNJA_RETURN_IF_ERROR(CheckSet(context.opset).With(op));
  for (const std::string& name : node.input()) {
    if (name.empty()) {
      op.inputs.push_back(kNoValue);
      continue;
    }
    const auto it = context.values.find(name);
    if (it == context.values.end())
      return Malformed(op, " reads '", name,
                       "', which nothing before it writes");
    op.inputs.push_back(it->second);
  }
  for (const proto::AttributeProto& a : node.attribute())
    MUNJA_RETURN_IF_ERROR(ReadAttribute(context, a, &op));
  if (op.type != "Constant" && op.type != "Loop" && op.input(0) == kNoValue)
    return Malformed(op, " has no input");
  const AttributeLog::Scope scope(op.type);
  MUNJA_RETURN_IF_ERROR(FromOldSet(context, &op));
  return FindHandler(op.type)(context, op);
}

// Names that nodes read, also those in branches and bodies.
void CollectRead(const proto::GraphProto& graph, Context* context) {
  for (const proto::NodeProto& node : graph.node()) {
    context->read.insert(node.input().begin(), node.input().end());
    for (const proto::AttributeProto& a : node.attribute())
      if (a.has_g()) CollectRead(a.g(), context);
  }
  for (const proto::ValueInfoProto& info : graph.output())
    context->read.insert(info.name());
}

}  // namespace

Status AddNodes(Context& context, const proto::GraphProto& graph) {
  MUNJA_RETURN_IF_ERROR(CheckOperators(graph));
  if (graph.sparse_initializer_size() > 0)
    return Unsupported("sparse initializers");
  for (const proto::TensorProto& t : graph.initializer()) {
    MUNJA_ASSIGN_OR_RETURN(Tensor tensor, ReadTensor(t, context.external));
    const ValueId id = context.builder.AddConstant(t.name(), std::move(tensor));
    if (!context.values.emplace(t.name(), id).second)
      return Malformed("initializer '", t.name(), "' occurs twice");
  }
  for (const proto::NodeProto& node : graph.node())
    MUNJA_RETURN_IF_ERROR(AddNode(context, node));
  return {};
}

Result<Model> Translate(std::span<const uint8_t> bytes,
                        const TranslateOptions& options) {
  proto::ModelProto file;
  if (bytes.size() > INT_MAX)
    return Unsupported("an ONNX file larger than 2 GB");
  if (!file.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return Malformed("the bytes are not a protocol buffer");
  const proto::GraphProto& graph = file.graph();
  if (graph.node_size() == 0)
    return Malformed("not an ONNX model: it holds no graph");
  const int64_t opset = OwnOperatorSet(file.opset_import(), 0);
  if (opset < 1) return Malformed("the file names no ONNX operator set");
  MUNJA_RETURN_IF_ERROR(CheckSet(opset));
  MUNJA_RETURN_IF_ERROR(InlineFunctions(&file, opset));

  ModelBuilder builder("ONNX, operator set " + std::to_string(opset));
  Context context(&builder, opset);
  context.external = options.external;
  CollectRead(graph, &context);
  std::set<std::string> constants;
  for (const proto::TensorProto& t : graph.initializer())
    constants.insert(t.name());
  std::set<ValueId> taken;
  for (const proto::ValueInfoProto& info : graph.input()) {
    if (constants.contains(info.name())) continue;  // May repeat them.
    MUNJA_RETURN_IF_ERROR(AddInput(context, graph, info, options));
    taken.insert(context.values.at(info.name()));
  }
  MUNJA_RETURN_IF_ERROR(builder.CheckNumbers(options.input_values));
  MUNJA_RETURN_IF_ERROR(AddNodes(context, graph));
  std::vector<ValueId> outputs;
  for (const proto::ValueInfoProto& info : graph.output()) {
    MUNJA_ASSIGN_OR_RETURN(
        const ValueId id,
        builder.TakeOutput(info.name(), info.name(), context.values, &taken));
    outputs.push_back(id);
  }
  if (outputs.empty()) return Malformed("the model has no output");
  return builder.Finish(std::move(outputs));
}

}  // namespace munja::importer::onnx
