// Writer: what operators of Paddle are composed with (import/steps.h).
#ifndef MUNJA_IMPORT_PADDLE_WRITER_H_
#define MUNJA_IMPORT_PADDLE_WRITER_H_

#include <utility>

#include "import/compose/steps.h"
#include "import/paddle/context.h"

namespace munja::importer::paddle {

class Writer : public Steps {
 public:
  Writer(Context& context, const Operation& op)
      : Steps(context.builder, Describe(op), op.name),
        context_(context),
        op_(op) {}

  // A setting as attributes and the context return it.
  using Steps::Given;
  using Steps::Keep;

  bool has(const char* parameter) const {
    const auto it = op_.inputs.find(parameter);
    return it != op_.inputs.end() && !it->second.empty();
  }
  bool wants(const char* output) const {
    const auto it = op_.outputs.find(output);
    return it != op_.outputs.end() && !it->second.empty();
  }
  // The one value of a parameter, which must be there.
  ValueId Need(const char* parameter) {
    return Given(context_.One(op_, parameter), kNoValue);
  }
  // kNoValue where it is not given.
  ValueId Optional(const char* parameter) {
    return Given(context_.Optional(op_, parameter), kNoValue);
  }
  // A single integer: from a constant tensor, or else the attribute's value.
  int64_t Number(const char* parameter, int64_t attribute) {
    const Tensor* t = Given(context_.Constant(op_, parameter));
    if (t == nullptr) return attribute;
    if (!t->is_integer || t->elements() != 1) {
      Damaged(parameter, " is not a single integer");
      return attribute;
    }
    return t->integers[0];
  }
  // Casts both to one type that arithmetic and comparisons support.
  void Match(ValueId* a, ValueId* b) {
    const ElementType one = type(*a), other = type(*b);
    if (one == other) return;
    const ElementType both = one == kF32 || other == kF32 ? kF32 : kI64;
    *a = Cast(*a, both);
    *b = Cast(*b, both);
  }

  // X and Y, aligned by the operator's axis, in one type. False on failure.
  bool Pair(ValueId* x, ValueId* y) {
    *x = Need("X");
    *y = Need("Y");
    if (ok()) *y = Given(AlignSecond(context_, op_, *x, *y), kNoValue);
    if (ok()) Match(x, y);
    return ok();
  }

  // Binds the value to that output, if it is used.
  void Set(const char* output, ValueId v) {
    if (ok() && wants(output)) Keep(context_.Bind(op_, output, v));
  }
  Status Done() { return Finish(); }
  Status Done(const char* output, ValueId v) {
    Set(output, v);
    return Done();
  }

 private:
  Context& context_;
  const Operation& op_;
};

}  // namespace munja::importer::paddle

#endif  // MUNJA_IMPORT_PADDLE_WRITER_H_
