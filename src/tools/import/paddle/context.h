// State of the translation of Paddle operators.
#ifndef MUNJA_IMPORT_PADDLE_CONTEXT_H_
#define MUNJA_IMPORT_PADDLE_CONTEXT_H_

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "import/ir/builder.h"
#include "import/paddle/program.h"

namespace munja::importer::paddle {

class Context {
 public:
  explicit Context(ModelBuilder* model) : builder(*model) {}

  ModelBuilder& builder;
  // The current value of each variable: operators may write to one again.
  std::map<std::string, ValueId> values;

  // The outputs of quantize_linear with one scale: their source, and the
  // dequantized value once it is requested.
  struct Stored {
    ValueId real = kNoValue;
    double scale = 0;
    ValueId restored = kNoValue;
  };
  std::map<ValueId, Stored> stored;

  // The program's blocks, and which of them is translated.
  const std::vector<Block>* blocks = nullptr;
  int64_t block = 0;
  // Operators that blocks came to when they were written out; of all contexts
  // of a program.
  std::shared_ptr<int64_t> run = std::make_shared<int64_t>(0);
  // Lists of tensors, by name.
  std::map<std::string, std::vector<ValueId>> lists;
  // Translating an iteration of a loop whose count is known at run time only.
  bool is_iteration = false;

  const Dims& ShapeOf(ValueId id) const { return builder.value(id).shape; }
  // All values of a parameter; empty when it is not given.
  Result<std::vector<ValueId>> All(const Operation& op,
                                   const char* parameter) const;
  // The one value of a parameter: kMalformed unless there is one.
  Result<ValueId> One(const Operation& op, const char* parameter) const;
  // Likewise, kNoValue when it is not given.
  Result<ValueId> Optional(const Operation& op, const char* parameter) const;
  // Likewise for a constant; null when it is not given. kUnsupported when it is
  // computed at run time.
  Result<const Tensor*> Constant(const Operation& op,
                                 const char* parameter) const;

  // Adds a node whose result is the first variable of `output`.
  Status Emit(const Operation& op, const char* output, std::string name,
              std::vector<ValueId> inputs, graph::Attributes attributes = {});
  // Adds a node in the middle of an operator.
  Result<ValueId> Step(const Operation& op, const char* what, std::string name,
                       std::vector<ValueId> inputs,
                       graph::Attributes attributes = {});
  // Binds the i-th variable of `output` to that value from now on.
  Status Bind(const Operation& op, const char* output, ValueId value,
              size_t i = 0);
  ValueId Number(double value) {
    return builder.AddConstant("",
                               Tensor::Floats({}, {static_cast<float>(value)}));
  }
  // The name of the first variable of `output`, or the operator's own.
  std::string OutputName(const Operation& op, const char* output) const;

  // Integers given by a constant tensor, several constant tensors of one
  // element, or an attribute: the first of these that is present. `present`:
  // there is one.
  Result<std::vector<int64_t>> Ints(
      const Operation& op, std::initializer_list<const char*> parameters,
      std::initializer_list<const char*> attributes, bool* present) const;
};

// The first of these attributes that is there.
const graph::AttributeValue* FindFirst(
    const Operation& op, std::initializer_list<const char*> names);
// Truth values come as such, or as integers.
Result<bool> Flag(const Operation& op, std::initializer_list<const char*> names,
                  bool fallback);
// kUnsupported unless the layout is absent, NCHW or does not matter.
Status NeedChannelsFirst(const Operation& op);

using Handler = Status (*)(Context&, const Operation&);
// Null when the operator is not supported.
Handler FindHandler(const std::string& type);
// Translates an operator that is supported.
Status TranslateOperation(Context& context, const Operation& op);

// Functions of several operators are declared once for each: that is allowed.
#define PADDLE_OPERATOR(type, function, ...) \
  Status function(Context&, const Operation&);
#define PADDLE_OLD_OPERATOR(type, function) \
  Status function(Context&, const Operation&);
#define PADDLE_NEW_NAME(...)
#include "import/paddle/operators.def"
#undef PADDLE_OPERATOR
#undef PADDLE_OLD_OPERATOR
#undef PADDLE_NEW_NAME

// Aligns y with x by the operator's axis attribute.
Result<ValueId> AlignSecond(Context& context, const Operation& op, ValueId x,
                            ValueId y);
// Whether the operator's dtype is one of integers.
Result<bool> IsIntegerConstant(const Operation& op);
// The values that an operator lists, in its shape.
Result<Tensor> ListedValues(const Operation& op, bool integer);
// Parts whose begin or end the run computes (slice).
Status SliceOfRun(Context& context, const Operation& op);

}  // namespace munja::importer::paddle

#endif  // MUNJA_IMPORT_PADDLE_CONTEXT_H_
