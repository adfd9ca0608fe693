// Steps: builds operators from others. It remembers the first failure and does
// nothing after it, so that a translation reads like the formula: each step
// returns a value, and the front end's writer, which adds inputs and settings,
// reports at the end whether all steps succeeded.
#ifndef MUNJA_IMPORT_COMPOSE_STEPS_H_
#define MUNJA_IMPORT_COMPOSE_STEPS_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "import/ir/builder.h"

namespace munja::importer {

inline constexpr ElementType kF32 = ElementType::kFloat32;
inline constexpr ElementType kI32 = ElementType::kInt32;
inline constexpr ElementType kI64 = ElementType::kInt64;

using Int64s = std::vector<int64_t>;
using Values = std::vector<ValueId>;

struct Named {
  const char* name;
  graph::AttributeValue value;
};
using Settings = std::initializer_list<Named>;

class Steps {
 public:
  // `operation` describes the source's operator, for messages; `name` begins
  // the names of what it becomes.
  Steps(ModelBuilder& builder, std::string operation, std::string name)
      : builder_(builder),
        operation_(std::move(operation)),
        name_(std::move(name)) {}

  // ---- What is there ----
  const Dims& shape(ValueId v) const;
  int64_t rank(ValueId v) const {
    return static_cast<int64_t>(shape(v).size());
  }
  ElementType type(ValueId v) const;
  bool is_float(ValueId v) const { return type(v) == ElementType::kFloat32; }
  const Tensor* constant(ValueId v) const;
  bool ok() const { return status_.ok(); }

  int64_t Axis(int64_t axis, int64_t rank);
  // All sizes must be known.
  Dims Static(ValueId v);

  // kUnsupported; the parts of the message follow the operator's description.
  template <class... P>
  void Refuse(const P&... what) {
    if (ok()) Keep(Unsupported(operation_, ": ", what...));
  }
  // kMalformed, likewise.
  template <class... P>
  void Damaged(const P&... what) {
    if (ok()) Keep(Malformed(operation_, ": ", what...));
  }

  // ---- Constants ----
  ValueId Scalar(double value, ElementType type = ElementType::kFloat32);
  ValueId Like(ValueId v, double value) { return Scalar(value, type(v)); }
  ValueId List(const Int64s& values, ElementType type = ElementType::kInt32);
  ValueId Constant(Tensor tensor);

  // ---- Steps ----
  // An operator of the neutral model.
  ValueId Neutral(const char* op, Values inputs, Settings settings = {});
  // An operator of .tflite with one output of this type.
  ValueId Tflite(const char* op, Values inputs, ElementType type,
                 Settings settings = {}, bool elementwise = false);
  // With several outputs, or a shape that depends on values (`shapes`).
  Values TfliteMany(const char* op, Values inputs,
                    std::vector<ElementType> types, Settings settings,
                    std::vector<Dims> shapes = {});
  // A custom operator of this library.
  ValueId Custom(const char* op, Values inputs, ElementType type,
                 const graph::Attributes& options);
  Values CustomMany(const char* op, Values inputs,
                    std::vector<ElementType> types,
                    const graph::Attributes& options,
                    std::vector<Dims> shapes = {});

  ValueId Cast(ValueId v, ElementType type);
  // Add, Sub, Mul, Div, Max, Min, Pow of any numeric type, in that type.
  ValueId Binary(const char* op, ValueId a, ValueId b);
  ValueId Add(ValueId a, ValueId b) { return Binary("Add", a, b); }
  ValueId Sub(ValueId a, ValueId b) { return Binary("Sub", a, b); }
  ValueId Mul(ValueId a, ValueId b) { return Binary("Mul", a, b); }
  ValueId Div(ValueId a, ValueId b) { return Binary("Div", a, b); }
  ValueId Add(ValueId a, double b) { return Add(a, Like(a, b)); }
  ValueId Mul(ValueId a, double b) { return Mul(a, Like(a, b)); }
  // A function of floats: "Exp", "Sqrt", ...
  ValueId Unary(const char* op, ValueId v) { return Neutral(op, {v}); }
  // "LESS", "EQUAL", ... of any numeric type, to bool.
  ValueId Compare(const char* op, ValueId a, ValueId b);
  ValueId Logical(const char* op, ValueId a, ValueId b);
  ValueId Not(ValueId v);
  ValueId Select(ValueId condition, ValueId yes, ValueId no);
  // "SUM", "MEAN", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD": axes counted from
  // the front or the back; all when none are given.
  ValueId Reduce(const char* op, ValueId v, const Int64s& axes, bool keep);

  ValueId Reshape(ValueId v, const Dims& to);
  ValueId Transpose(ValueId v, const Int64s& perm);
  ValueId Concat(Values v, int64_t axis);
  ValueId Slice(ValueId v, const Int64s& axes, const Int64s& starts,
                const Int64s& ends, const Int64s& steps);
  ValueId Slice(ValueId v, int64_t axis, int64_t start, int64_t end);
  ValueId Unsqueeze(ValueId v, const Int64s& axes);
  ValueId Squeeze(ValueId v, const Int64s& axes);
  // Indices not negative.
  ValueId Gather(ValueId v, ValueId indices, int64_t axis);
  // The k largest, or smallest, along an axis, best first, and their indices as
  // int64.
  Values TopK(ValueId v, int64_t k, int64_t axis, bool largest);
  // Broadcast to a known shape.
  ValueId Expand(ValueId v, const Dims& to);
  // A type that arithmetic takes: small integers as int32.
  ElementType Wide(ElementType type) const;

 protected:
  void Keep(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  // A setting; the fallback where it cannot be read, which is an error.
  template <class T>
  T Given(Result<T> setting, T fallback = T()) {
    if (setting.ok()) return std::move(*setting);
    Keep(std::move(setting).TakeStatus());
    return fallback;
  }
  // The first failure, with the operator's description.
  Status Finish();

 private:
  Values Direct(const char* op, Values inputs, std::vector<ElementType> types,
                graph::Attributes attributes, std::vector<Dims> shapes,
                bool is_custom, bool is_elementwise);

  ModelBuilder& builder_;
  const std::string operation_, name_;
  Status status_;
};

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_COMPOSE_STEPS_H_
