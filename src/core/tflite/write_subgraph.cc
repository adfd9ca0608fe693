#include "tflite/write_subgraph.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "tflite/option_table.h"
#include "tflite/options.h"

namespace munja::tflite {
namespace {

using flatbuffers::Offset;
using flatbuffers::Vector;

// Different options of one kind of operator that are looked through.
constexpr size_t kMostOptions = 256;

}  // namespace

template <class T>
Offset<Vector<T>> SubgraphWriter::WriteOnce(const std::vector<T>& numbers,
                                            Written<T>& written) {
  const auto [it, is_new] = written.try_emplace(numbers);
  if (is_new) it->second = builder_.CreateVector(numbers);
  return it->second;
}

Offset<fb::QuantizationParameters> SubgraphWriter::WriteQuantization(
    const Quantization& from) {
  if (!from.is_quantized()) return 0;
  std::vector<int64_t> zero_points = from.zero_points;
  zero_points.resize(from.scales.size(), 0);
  // Scales may be anything; their bits can be ordered.
  std::vector<uint32_t> bits(from.scales.size());
  for (size_t i = 0; i < bits.size(); ++i)
    bits[i] = std::bit_cast<uint32_t>(from.scales[i]);
  const auto [scales, are_new] = scales_.try_emplace(std::move(bits));
  if (are_new) scales->second = builder_.CreateVector(from.scales);
  const auto zeros = WriteOnce(zero_points, zero_points_);
  fb::QuantizationParametersBuilder q(builder_);
  q.add_scale(scales->second);
  q.add_zero_point(zeros);
  q.add_quantized_dimension(from.axis);
  return q.Finish();
}

Result<Offset<fb::Tensor>> SubgraphWriter::WriteTensor(
    const graph::Value& from) {
  if (!from.unsupported.empty())
    return Unsupported("has " + from.unsupported +
                       ", which cannot be written back");
  const uint32_t buffer =
      from.constant ? buffers_.AddShared(from.constant->bytes) : 0;
  const auto dims = from.shape.dims();
  std::vector<int32_t> shape(dims.begin(), dims.end());
  Offset<flatbuffers::Vector<int32_t>> signature;
  if (from.has_shape && !from.shape.is_static())
    signature = WriteOnce(shape, shapes_);
  // Readers that do not know the signature see one element there.
  std::replace(shape.begin(), shape.end(), kDynamic, 1);
  if (!from.has_shape) shape.clear();
  const auto shape_offset = WriteOnce(shape, shapes_);
  const auto name = builder_.CreateString(from.name);
  const auto quantization = WriteQuantization(from.quantization);
  fb::TensorBuilder tensor(builder_);
  tensor.add_shape(shape_offset);
  tensor.add_type(static_cast<int8_t>(from.type));
  tensor.add_buffer(buffer);
  tensor.add_name(name);
  tensor.add_quantization(quantization);
  tensor.add_is_variable(from.is_variable);
  tensor.add_shape_signature(signature);
  tensor.add_has_rank(from.has_shape);
  return tensor.Finish();
}

uint32_t SubgraphWriter::CodeIndex(int32_t code, const graph::Node& node) {
  const std::string custom_name = node.is_custom ? node.op : std::string();
  const auto [it, is_new] = known_codes_.try_emplace(
      {code, custom_name, node.version}, static_cast<uint32_t>(codes_.size()));
  if (!is_new) return it->second;
  const Offset<flatbuffers::String> name =
      node.is_custom ? builder_.CreateString(custom_name) : 0;
  // Old readers look at the first field only, which holds small codes.
  codes_.push_back(fb::CreateOperatorCode(
      builder_, static_cast<int8_t>(std::min(code, kPlaceholderCode)), name,
      node.version, code));
  return it->second;
}

Result<Offset<fb::Operator>> SubgraphWriter::WriteNode(
    const graph::Node& from) {
  const Operator* row = from.is_custom ? nullptr : FindOperator(from.op);
  if (!from.is_custom && (row == nullptr || row->code == kCustomCode ||
                          row->code == kPlaceholderCode))
    return InvalidArgument("the schema has no such operator");
  const OptionTable* layout = row == nullptr ? nullptr : row->options;
  if (layout == nullptr && !from.attributes.empty())
    return InvalidArgument("attribute '" + from.attributes.begin()->first +
                           "' cannot be written: the operator has no options");
  Offset<fb::Options> options;
  if (layout != nullptr) {
    auto& known = options_[layout];
    const auto same = std::find_if(
        known.begin(), known.end(),
        [&](const auto& entry) { return entry.first == from.attributes; });
    if (same == known.end()) {
      MUNJA_ASSIGN_OR_RETURN(const Offset<flatbuffers::Table> table,
                             WriteOptions(*layout, from.attributes, builder_));
      options.o = table.o;
      if (known.size() < kMostOptions)
        known.emplace_back(from.attributes, options);
    } else {
      options = same->second;
    }
  }
  const uint32_t code =
      CodeIndex(row == nullptr ? kCustomCode : row->code, from);
  const auto inputs = WriteOnce(from.inputs, shapes_);
  const auto outputs = WriteOnce(from.outputs, shapes_);
  Offset<flatbuffers::Vector<int32_t>> intermediates;
  if (!from.intermediates.empty())
    intermediates = builder_.CreateVector(from.intermediates);
  Offset<flatbuffers::Vector<uint8_t>> custom;
  if (!from.custom_options.empty())
    custom = builder_.CreateVector(from.custom_options);
  fb::OperatorBuilder node(builder_);
  node.add_opcode_index(code);
  node.add_inputs(inputs);
  node.add_outputs(outputs);
  node.add_intermediates(intermediates);
  node.add_custom_options(custom);
  if (layout != nullptr && layout->union_number == 1) {
    node.add_builtin_options_type(layout->selector);
    node.add_builtin_options(options);
  } else if (layout != nullptr) {
    node.add_builtin_options_2_type(layout->selector);
    node.add_builtin_options_2(options);
  }
  return node.Finish();
}

Result<Offset<fb::SubGraph>> SubgraphWriter::Write(
    const graph::Subgraph& from) {
  std::vector<Offset<fb::Tensor>> tensors;
  tensors.reserve(from.values.size());
  for (size_t i = 0; i < from.values.size(); ++i) {
    auto tensor = WriteTensor(from.values[i]);
    if (!tensor.ok())
      return std::move(tensor).TakeStatus().With(
          "tensor " + std::to_string(i) + " ('" + from.values[i].name + "')");
    tensors.push_back(*tensor);
  }
  std::vector<Offset<fb::Operator>> operators;
  operators.reserve(from.nodes.size());
  for (size_t i = 0; i < from.nodes.size(); ++i) {
    auto node = WriteNode(from.nodes[i]);
    if (!node.ok())
      return std::move(node).TakeStatus().With(graph::Describe(from, i));
    operators.push_back(*node);
  }
  const auto tensors_offset = builder_.CreateVector(tensors);
  const auto inputs = builder_.CreateVector(from.inputs);
  const auto outputs = builder_.CreateVector(from.outputs);
  const auto operators_offset = builder_.CreateVector(operators);
  const auto name = builder_.CreateString(from.name);
  return fb::CreateSubGraph(builder_, tensors_offset, inputs, outputs,
                            operators_offset, name);
}

}  // namespace munja::tflite
