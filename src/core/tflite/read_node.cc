#include <algorithm>
#include <string>
#include <vector>

#include "tflite/option_table.h"
#include "tflite/options.h"
#include "tflite/read_subgraph.h"
#include "tflite/vector.h"

namespace munja::tflite {
namespace {

// The table behind a union field, whose type only the selector tells.
const flatbuffers::Table* AsTable(const fb::Options* options) {
  return reinterpret_cast<const flatbuffers::Table*>(options);
}

// Fills op, is_custom and version; the row of a builtin operator, null for a
// custom one.
Result<const Operator*> ReadCode(const ModelFile& file, uint32_t index,
                                 graph::Node& node) {
  const auto* codes = file.model().operator_codes();
  const size_t count = codes == nullptr ? 0 : codes->size();
  if (index >= count)
    return Malformed("there is no operator code " + std::to_string(index) +
                     ", only " + std::to_string(count));
  const fb::OperatorCode& from = *codes->Get(index);
  const int32_t code =
      std::max<int32_t>(from.deprecated_builtin_code(), from.builtin_code());
  node.version = from.version();
  if (code == kCustomCode) {
    node.op = CopyString(from.custom_code());
    node.is_custom = true;
    if (node.op.empty()) return Malformed("a custom operator without a name");
    return static_cast<const Operator*>(nullptr);
  }
  if (code < 0)
    return Malformed("operator code " + std::to_string(code) + " is negative");
  const Operator* row = FindOperator(code);
  if (row == nullptr || code == kPlaceholderCode)
    return Unsupported("operator code " + std::to_string(code) +
                       " is not known here");
  node.op = std::string(row->name);
  return row;
}

Result<graph::Attributes> ReadNodeOptions(ModelFile& file,
                                          const fb::Operator& from,
                                          const OptionTable* layout) {
  const struct {
    int number;
    uint8_t selector;
    const fb::Options* table;
  } unions[] = {
      {1, from.builtin_options_type(), from.builtin_options()},
      {2, from.builtin_options_2_type(), from.builtin_options_2()},
  };
  const fb::Options* found = nullptr;
  for (const auto& u : unions) {
    // As for FlatBuffers' own unions, selector 0 means that nothing is there.
    if (u.selector == 0) continue;
    const OptionTable* actual = FindOptions(u.number, u.selector);
    if (actual == nullptr)
      return Unsupported("has options of an unknown kind, number " +
                         std::to_string(u.selector));
    if (actual == layout)
      found = u.table;
    else if (layout != nullptr && !layout->fields.empty())
      return Malformed("has " + std::string(actual->name) + " instead of " +
                       std::string(layout->name));
    // Else the operator has no options to take from another table.
  }
  if (layout == nullptr) return graph::Attributes();
  if (!VerifyOptions(*layout, AsTable(found), file.verifier()))
    return Malformed("its " + std::string(layout->name) +
                     " lie outside of the file");
  size_t cost = 0;
  for (const OptionField& field : layout->fields) {
    cost += sizeof(std::pair<std::string, graph::AttributeValue>) + 32;
    // Lists and texts: the size comes first.
    if (found != nullptr && field.kind >= FieldKind::kText) {
      const auto* list =
          AsTable(found)->GetPointer<const flatbuffers::Vector<uint8_t>*>(
              field.slot());
      if (list != nullptr) cost += size_t{8} * list->size();
    }
  }
  MUNJA_RETURN_IF_ERROR(file.Spend(cost));
  return ReadOptions(*layout, AsTable(found));
}

Status ReadCustomOptions(ModelFile& file, const fb::Operator& from,
                         graph::Node& node) {
  std::span<const uint8_t> bytes;
  if (const auto* inside = from.custom_options()) {
    bytes = {inside->data(), inside->size()};
  } else if (from.large_custom_options_offset() > 1) {
    MUNJA_ASSIGN_OR_RETURN(bytes, file.Range(from.large_custom_options_offset(),
                                             from.large_custom_options_size()));
  }
  if (from.custom_options_format() != 0)
    return Unsupported("has custom options of format " +
                       std::to_string(from.custom_options_format()));
  MUNJA_RETURN_IF_ERROR(file.Spend(bytes.size()));
  node.custom_options.assign(bytes.begin(), bytes.end());
  return Status();
}

}  // namespace

Result<graph::Node> ReadNode(ModelFile& file, const fb::Operator& from) {
  graph::Node node;
  size_t ids = 0;
  for (const auto* list : {from.inputs(), from.outputs(), from.intermediates()})
    if (list != nullptr) ids += list->size();
  MUNJA_RETURN_IF_ERROR(
      file.Spend(sizeof(graph::Node) + ids * sizeof(graph::ValueId)));
  node.inputs = CopyVector<graph::ValueId>(from.inputs());
  node.outputs = CopyVector<graph::ValueId>(from.outputs());
  node.intermediates = CopyVector<graph::ValueId>(from.intermediates());
  MUNJA_ASSIGN_OR_RETURN(const Operator* row,
                         ReadCode(file, from.opcode_index(), node));
  MUNJA_RETURN_IF_ERROR(file.Spend(node.op.size()));
  const auto read = [&]() -> Status {
    MUNJA_ASSIGN_OR_RETURN(
        node.attributes,
        ReadNodeOptions(file, from, row == nullptr ? nullptr : row->options));
    return ReadCustomOptions(file, from, node);
  };
  MUNJA_RETURN_IF_ERROR(read().With(node.op));
  return node;
}

}  // namespace munja::tflite
