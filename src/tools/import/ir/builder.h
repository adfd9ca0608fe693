// ModelBuilder: writes a neutral model node by node. Shapes are inferred as
// nodes come, constants are folded, and integers that are computed from shapes
// are followed, so that a reshape by "batch from Shape, rest -1" needs no
// arithmetic at run time.
#ifndef MUNJA_IMPORT_IR_BUILDER_H_
#define MUNJA_IMPORT_IR_BUILDER_H_

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "import/ir/model.h"

namespace munja::importer {

// One integer of a shape that the model computes: a constant, or a dimension of
// some tensor.
struct ShapeEntry {
  ValueId tensor = kNoValue;  // kNoValue: `number` holds.
  int64_t axis = 0;
  int64_t number = 0;
};

class ModelBuilder {
 public:
  explicit ModelBuilder(std::string source);

  ValueId AddInput(std::string name, Dims shape, bool is_integer,
                   ElementType type = ElementType::kFloat32);
  // The same, or a constant when `numbers` has a value for this name.
  Result<ValueId> AddInput(const std::string& name, const Dims& shape,
                           ElementType type,
                           const std::map<std::string, double>& numbers);
  // kNotFound for a name that no such input had.
  Status CheckNumbers(const std::map<std::string, double>& numbers) const;
  // The size of folded constants is bounded by the constants that the file
  // holds; those made from a few bytes count little.
  enum Origin { kOfFile, kMade };
  ValueId AddConstant(std::string name, Tensor tensor, Origin origin = kOfFile);

  // Adds a node with one output for each name. A node whose inputs are all
  // constant becomes constants. The node's `outputs` are filled in here.
  Result<std::vector<ValueId>> AddNode(Node node,
                                       std::vector<std::string> output_names);
  // Adds a node with one output; the node takes the output's name.
  Result<ValueId> Add(std::string op, std::vector<ValueId> inputs,
                      graph::Attributes attributes, std::string output_name);

  const Value& value(ValueId id) const { return model_.values[id]; }
  // Null unless the value is a constant.
  const Tensor* constant(ValueId id) const {
    return id == kNoValue ? nullptr : model_.values[id].constant.get();
  }
  // The integers of a vector as far as they can be followed; empty otherwise.
  std::vector<ShapeEntry> Entries(ValueId id) const;

  void Rename(ValueId id, std::string name) {
    model_.values[id].name = std::move(name);
  }

  // The value that `values` has for `variable`, renamed to the output's name.
  // Refused when nothing writes it, when it is a constant, and when it is in
  // `taken` (inputs and other outputs), to which it is added.
  Result<ValueId> TakeOutput(const std::string& name,
                             const std::string& variable,
                             const std::map<std::string, ValueId>& values,
                             std::set<ValueId>* taken);

  // Sets the outputs, removes unused nodes and hands the model over.
  Model Finish(std::vector<ValueId> outputs);

 private:
  Result<bool> Fold(const Node& node, std::vector<ValueId>* outputs);
  std::vector<ShapeEntry> Follow(const Node& node) const;

  Model model_;
  std::set<std::string> numbers_taken_;
  std::map<ValueId, std::vector<ShapeEntry>> entries_;
  // Elements that folding may still create: bounded by the constants given, so
  // that a small file cannot grow large.
  int64_t fold_budget_ = 1 << 20;
  static constexpr int64_t kMaxOfMade = 1 << 20;
};

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_IR_BUILDER_H_
