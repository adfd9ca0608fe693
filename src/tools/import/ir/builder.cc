#include "import/ir/builder.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "import/reference/executor.h"
#include "import/shapes/infer_rules.h"
#include "import/shapes/shape_inference.h"

namespace munja::importer {
namespace {

constexpr size_t kMaxEntries = 64;  // Longer vectors are no shapes.

// Cheap enough to run on constants while reading a model.
bool IsFoldable(std::string_view op) {
  if (op == "Copy") return false;  // It is there to be none.
  constexpr std::string_view kHeavy[] = {
      "Conv",   "ConvTranspose", "MaxPool", "AveragePool",
      "MatMul", "Resize",        "Shape",   "LSTM"};
  return std::find(std::begin(kHeavy), std::end(kHeavy), op) ==
         std::end(kHeavy);
}

}  // namespace

ModelBuilder::ModelBuilder(std::string source) {
  model_.source = std::move(source);
}

ValueId ModelBuilder::AddInput(std::string name, Dims shape, bool is_integer,
                               ElementType type) {
  if (is_integer && type == ElementType::kFloat32) type = ElementType::kInt64;
  model_.values.push_back(
      {std::move(name), std::move(shape), is_integer, nullptr, type});
  const ValueId id = static_cast<ValueId>(model_.values.size() - 1);
  model_.inputs.push_back(id);
  return id;
}

Result<ValueId> ModelBuilder::AddInput(
    const std::string& name, const Dims& shape, ElementType type,
    const std::map<std::string, double>& numbers) {
  const auto number = numbers.find(name);
  if (number == numbers.end())
    return AddInput(name, shape, type != ElementType::kFloat32, type);
  numbers_taken_.insert(name);
  MUNJA_ASSIGN_OR_RETURN(
      Tensor filled,
      FilledTensor(shape, type, number->second).With("input '", name, "'"));
  return AddConstant(name, std::move(filled), kMade);
}

Status ModelBuilder::CheckNumbers(
    const std::map<std::string, double>& numbers) const {
  for (const auto& given : numbers)
    if (!numbers_taken_.contains(given.first))
      return NotFound("the model has no input '", given.first, "'");
  return {};
}

ValueId ModelBuilder::AddConstant(std::string name, Tensor tensor,
                                  Origin origin) {
  const int64_t elements = static_cast<int64_t>(tensor.elements());
  // Once for itself, and three times more as far as the file pays for it.
  fold_budget_ +=
      elements +
      3 * (origin == kMade ? std::min(elements, kMaxOfMade) : elements);
  Value value;
  value.name = std::move(name);
  value.shape = tensor.shape;
  value.is_integer = tensor.is_integer;
  value.type = tensor.type;
  value.constant = std::make_shared<const Tensor>(std::move(tensor));
  model_.values.push_back(std::move(value));
  return static_cast<ValueId>(model_.values.size() - 1);
}

Result<std::vector<ValueId>> ModelBuilder::AddNode(
    Node node, std::vector<std::string> output_names) {
  std::vector<ValueInfo> infos;
  for (const ValueId v : node.inputs) {
    if (v == kNoValue) {
      infos.push_back({{}, false, false});
    } else {
      infos.push_back({value(v).shape, value(v).is_integer, true, value(v).type,
                       constant(v)});
    }
  }
  node.outputs.assign(output_names.size(), kNoValue);
  MUNJA_ASSIGN_OR_RETURN(const std::vector<ValueInfo> results,
                         InferNode(node, infos));
  if (results.size() != output_names.size())
    return Malformed(node, " has ", output_names.size(), " outputs");
  for (size_t i = 0; i < results.size(); ++i) {
    node.outputs[i] = static_cast<ValueId>(model_.values.size());
    model_.values.push_back({std::move(output_names[i]), results[i].shape,
                             results[i].is_integer, nullptr, results[i].type});
  }
  std::vector<ValueId> outputs = node.outputs;
  MUNJA_ASSIGN_OR_RETURN(const bool folded, Fold(node, &outputs));
  if (folded) return outputs;
  if (outputs.size() == 1 && results[0].is_integer) {
    std::vector<ShapeEntry> entries = Follow(node);
    const bool known =
        !entries.empty() && IsStatic(results[0].shape) &&
        std::all_of(entries.begin(), entries.end(),
                    [](const ShapeEntry& e) { return e.tensor == kNoValue; });
    if (known) {
      std::vector<int64_t> numbers;
      for (const ShapeEntry& e : entries) numbers.push_back(e.number);
      model_.values[outputs[0]].constant =
          std::make_shared<const Tensor>(Tensor::Integers(
              results[0].shape, std::move(numbers), results[0].type));
      return outputs;
    }
    if (!entries.empty()) entries_[outputs[0]] = std::move(entries);
  }
  model_.nodes.push_back(std::move(node));
  return outputs;
}

Result<ValueId> ModelBuilder::Add(std::string op, std::vector<ValueId> inputs,
                                  graph::Attributes attributes,
                                  std::string output_name) {
  Node node;
  node.op = std::move(op);
  node.name = output_name;
  node.attributes = std::move(attributes);
  node.inputs = std::move(inputs);
  MUNJA_ASSIGN_OR_RETURN(const std::vector<ValueId> outputs,
                         AddNode(std::move(node), {std::move(output_name)}));
  return outputs[0];
}

Result<bool> ModelBuilder::Fold(const Node& node,
                                std::vector<ValueId>* outputs) {
  if (!node.bodies.empty() || !IsFoldable(node.op)) return false;
  std::vector<const Tensor*> inputs;
  for (const ValueId v : node.inputs) {
    inputs.push_back(constant(v));
    if (v != kNoValue && inputs.back() == nullptr) return false;
  }
  MUNJA_ASSIGN_OR_RETURN(std::vector<Tensor> results,
                         RunNode(node, inputs, fold_budget_));
  for (size_t i = 0; i < results.size(); ++i) {
    fold_budget_ -= static_cast<int64_t>(results[i].elements());
    Value& value = model_.values[(*outputs)[i]];
    results[i].type = value.type;
    value.shape = results[i].shape;  // It may have come with the values.
    value.constant = std::make_shared<const Tensor>(std::move(results[i]));
  }
  return true;
}

std::vector<ShapeEntry> ModelBuilder::Entries(ValueId id) const {
  if (id == kNoValue) return {};
  if (const auto it = entries_.find(id); it != entries_.end())
    return it->second;
  std::vector<ShapeEntry> entries;
  const Tensor* t = constant(id);
  if (t == nullptr || !t->is_integer || t->integers.size() > kMaxEntries)
    return {};
  for (const int64_t n : t->integers) entries.push_back({kNoValue, 0, n});
  return entries;
}

std::vector<ShapeEntry> ModelBuilder::Follow(const Node& node) const {
  std::vector<ShapeEntry> out;
  const auto first = [&] { return Entries(node.inputs[0]); };
  if (node.op == "Shape") {
    const Dims& shape = value(node.inputs[0]).shape;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] >= 0)
        out.push_back({kNoValue, 0, shape[i]});
      else
        out.push_back({node.inputs[0], static_cast<int64_t>(i), 0});
    }
  } else if (node.op == "Identity" || node.op == "Cast" ||
             node.op == "Squeeze" || node.op == "Unsqueeze" ||
             node.op == "Reshape") {
    out = first();
  } else if (node.op == "Concat") {
    for (const ValueId v : node.inputs) {
      const std::vector<ShapeEntry> part = Entries(v);
      if (part.empty() || value(v).shape.size() != 1) return {};
      out.insert(out.end(), part.begin(), part.end());
      if (out.size() > kMaxEntries) return {};
    }
  } else if (node.op == "Slice") {
    const std::vector<ShapeEntry> all = first();
    const Result<Dims> starts = node.attributes.Ints("starts");
    const Result<Dims> ends = node.attributes.Ints("ends");
    const Result<Dims> steps = node.attributes.Ints("steps");
    if (value(node.inputs[0]).shape.size() != 1 || all.empty() ||
        starts.value().size() != 1)
      return {};
    const SliceRange range =
        ResolveSlice(static_cast<int64_t>(all.size()), starts.value()[0],
                     ends.value()[0], steps.value()[0]);
    for (int64_t i = 0; i < range.count; ++i)
      out.push_back(all[range.first + i * steps.value()[0]]);
  } else if (node.op == "Gather") {
    const std::vector<ShapeEntry> all = first();
    const Tensor* indices = constant(node.inputs[1]);
    if (value(node.inputs[0]).shape.size() != 1 || indices == nullptr)
      return {};
    const int64_t size = static_cast<int64_t>(all.size());
    for (int64_t i : indices->integers) {
      if (i < 0) i += size;
      if (i < 0 || i >= size || out.size() >= kMaxEntries) return {};
      out.push_back(all[i]);
    }
  }
  return out;
}

Result<ValueId> ModelBuilder::TakeOutput(
    const std::string& name, const std::string& variable,
    const std::map<std::string, ValueId>& values, std::set<ValueId>* taken) {
  const auto it = values.find(variable);
  if (it == values.end())
    return Malformed("nothing writes the output '", name, "'");
  ValueId id = it->second;
  if (constant(id) != nullptr || taken->contains(id)) {
    // A constant, an input or another output, too.
    MUNJA_ASSIGN_OR_RETURN(id, Add("Copy", {id}, {}, name));
  }
  taken->insert(id);
  Rename(id, name);
  return id;
}

Model ModelBuilder::Finish(std::vector<ValueId> outputs) {
  model_.outputs = std::move(outputs);
  RemoveDeadNodes(&model_);
  return std::move(model_);
}

}  // namespace munja::importer
