// Rewriter: what a rewriting step asks about a neutral model.
#ifndef MUNJA_IMPORT_IR_REWRITER_H_
#define MUNJA_IMPORT_IR_REWRITER_H_

#include <optional>
#include <string_view>
#include <vector>

#include "import/ir/model.h"

namespace munja::importer {

class Rewriter {
 public:
  explicit Rewriter(Model* model);

  // The node that writes a value if it is of that kind; null otherwise. Good
  // until nodes are added.
  Node* Producer(ValueId id, std::string_view op);
  // The value has one reader.
  bool ReadOnce(ValueId id) const { return uses_[id] == 1; }
  // The value of a constant of one float.
  std::optional<double> Scalar(ValueId id) const;
  // `scalar` and `other` for a commutative node of a constant and a value.
  bool SplitScalar(const Node& node, double* scalar, ValueId* other) const;
  const Tensor* constant(ValueId id) const {
    return model_.values[id].constant.get();
  }
  ValueId AddConstant(const std::string& name, Tensor tensor);
  // A run-time value of the shape of `like`.
  ValueId AddLike(const std::string& name, ValueId like);
  // Node `index` now writes value `id` (after its own output was dropped).
  void SetProducer(ValueId id, size_t index) {
    producer_[id] = static_cast<int>(index);
  }
  int ProducerIndex(ValueId id) const { return producer_[id]; }

 private:
  Model& model_;
  std::vector<int> uses_, producer_;
};

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_IR_REWRITER_H_
