#include "tflite/read_subgraph.h"

#include <string>
#include <utility>
#include <vector>

#include "tflite/vector.h"

namespace munja::tflite {
namespace {

std::string TensorContext(uint32_t index, const fb::Tensor& tensor) {
  std::string text = "tensor " + std::to_string(index);
  if (tensor.name() != nullptr && tensor.name()->size() > 0)
    text += " ('" + tensor.name()->str() + "')";
  return text;
}

// A tensor without elements needs no data to be a constant. Writers leave its
// buffer empty, so it is told from an activation by nothing writing it.
void MarkEmptyConstants(graph::Subgraph& subgraph) {
  std::vector<bool> written(subgraph.values.size(), false);
  const auto mark = [&](const std::vector<graph::ValueId>& ids) {
    for (const graph::ValueId id : ids)
      if (id >= 0 && static_cast<size_t>(id) < written.size())
        written[static_cast<size_t>(id)] = true;
  };
  mark(subgraph.inputs);
  for (const graph::Node& node : subgraph.nodes) mark(node.outputs);
  for (size_t i = 0; i < written.size(); ++i) {
    graph::Value& value = subgraph.values[i];
    if (!written[i] && !value.constant && !value.is_variable &&
        value.has_shape && value.shape.elements() == 0 &&
        value.type != ElementType::kResource &&
        value.type != ElementType::kVariant)
      value.constant = graph::Constant{};
  }
}

}  // namespace

Result<graph::Subgraph> ReadSubgraph(ModelFile& file, const fb::SubGraph& from,
                                     bool knows_rank) {
  graph::Subgraph subgraph;
  size_t cost = sizeof(graph::Subgraph);
  for (const auto* list : {from.inputs(), from.outputs()})
    if (list != nullptr) cost += list->size() * sizeof(graph::ValueId);
  if (from.name() != nullptr) cost += from.name()->size();
  MUNJA_RETURN_IF_ERROR(file.Spend(cost));
  subgraph.name = CopyString(from.name());
  subgraph.inputs = CopyVector<graph::ValueId>(from.inputs());
  subgraph.outputs = CopyVector<graph::ValueId>(from.outputs());
  if (const auto* tensors = from.tensors()) {
    std::vector<bool> is_input(tensors->size(), false);
    for (const graph::ValueId id : subgraph.inputs)
      if (id >= 0 && static_cast<size_t>(id) < is_input.size())
        is_input[static_cast<size_t>(id)] = true;
    for (uint32_t i = 0; i < tensors->size(); ++i) {
      const fb::Tensor& tensor = *tensors->Get(i);
      auto value = ReadTensor(file, tensor, knows_rank, is_input[i]);
      if (!value.ok())
        return std::move(value).TakeStatus().With(TensorContext(i, tensor));
      subgraph.AddValue(std::move(*value));
    }
  }
  if (const auto* operators = from.operators()) {
    for (uint32_t i = 0; i < operators->size(); ++i) {
      auto node = ReadNode(file, *operators->Get(i));
      if (!node.ok())
        return std::move(node).TakeStatus().With("node " + std::to_string(i));
      subgraph.nodes.push_back(std::move(*node));
    }
  }
  MarkEmptyConstants(subgraph);
  return subgraph;
}

}  // namespace munja::tflite
