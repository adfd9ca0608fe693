// Operator: a custom operator as a class. Make one for each node:
//
//   class Scale final : public munja::Operator {
//    public:
//     Status Init(const Node& node) override;    // optional
//     Status Prepare(Node& node) override;       // optional
//     Status Eval(Node& node) override;
//   };
//   environment.AddOperator<Scale>("Scale");
//
// Life cycle and threads are those of munja/operators.h. Nothing may throw.
#ifndef MUNJA_OPERATOR_HPP_
#define MUNJA_OPERATOR_HPP_

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "munja/operators.h"
#include "munja/result.hpp"

namespace munja {
inline namespace v0 {

// An operator's view of its node; valid during the call only.
class Node {
 public:
  explicit Node(munja_op_context* context) : context_(context) {}

  int inputs() const { return munja_op_input_count(context_); }
  int outputs() const { return munja_op_output_count(context_); }
  bool has_input(int i) const {
    munja_tensor tensor;
    return munja_op_input(context_, i, &tensor) == MUNJA_OK;
  }
  // An absent input has rank 0 and no data. See munja_op_input for when the
  // data is there.
  munja_tensor input(int i) const {
    munja_tensor tensor = {};
    (void)munja_op_input(context_, i, &tensor);
    return tensor;
  }
  munja_tensor output(int i) const {
    munja_tensor tensor = {};
    (void)munja_op_output(context_, i, &tensor);
    return tensor;
  }
  munja_quantization input_quantization(int i) const {
    munja_quantization quantization = {};
    (void)munja_op_input_quantization(context_, i, &quantization);
    return quantization;
  }
  munja_quantization output_quantization(int i) const {
    munja_quantization quantization = {};
    (void)munja_op_output_quantization(context_, i, &quantization);
    return quantization;
  }
  // In Init.
  std::span<const uint8_t> options() const {
    const void* bytes = nullptr;
    size_t size = 0;
    if (munja_op_options(context_, &bytes, &size) != MUNJA_OK) return {};
    return {static_cast<const uint8_t*>(bytes), size};
  }
  // In Prepare.
  Status SetOutputShape(int i, std::span<const int32_t> dims) {
    return StatusOf(munja_op_set_output_shape(
        context_, i, dims.data(), static_cast<int32_t>(dims.size())));
  }
  // In Eval: body(begin, end, worker); see munja_op_parallel_for.
  template <class Body>
  Status ParallelFor(size_t count, size_t grain, Body&& body) {
    const auto call = [](void* user, size_t begin, size_t end, int32_t worker) {
      (*static_cast<std::remove_reference_t<Body>*>(user))(begin, end, worker);
    };
    return StatusOf(munja_op_parallel_for(
        context_, count, grain, call,
        const_cast<void*>(static_cast<const void*>(&body))));
  }
  // For all else.
  munja_op_context* context() const { return context_; }

 private:
  munja_op_context* context_;
};

class Operator {
 public:
  virtual ~Operator() = default;
  virtual Status Init(const Node& node) {
    (void)node;
    return Status();
  }
  // As it stands: every output has the shape of input 0.
  virtual Status Prepare(Node& node) {
    const munja_tensor in = node.input(0);
    for (int i = 0; i < node.outputs(); ++i) {
      Status f =
          node.SetOutputShape(i, {in.dims, static_cast<size_t>(in.rank)});
      if (!f.ok()) return f;
    }
    return Status();
  }
  virtual Status Eval(Node& node) = 0;
};

// Reports the failure and returns the status for the callback to return.
inline munja_status ReportFailure(munja_op_context* context,
                                  const Status& failure) {
  return failure.ok() ? MUNJA_OK
                      : munja_op_fail(context, failure.code(),
                                      failure.message().c_str());
}

// The callbacks behind Environment::AddOperator; `name` must stay until they
// were added.
template <class Op>
munja_operator OperatorCallbacks(const char* name) {
  static_assert(std::is_base_of_v<Operator, Op>);
  munja_operator op = {};
  op.struct_size = sizeof op;
  op.name = name;
  op.init = [](void*, munja_op_context* context, void** node) {
    Operator* const made = new (std::nothrow) Op();
    if (made == nullptr)
      return munja_op_fail(context, MUNJA_OUT_OF_MEMORY, "out of memory");
    const munja_status status =
        ReportFailure(context, made->Init(Node(context)));
    if (status != MUNJA_OK) {
      delete made;
      return status;
    }
    *node = made;
    return MUNJA_OK;
  };
  op.prepare = [](void* node, munja_op_context* context) {
    Node seen(context);
    return ReportFailure(context, static_cast<Operator*>(node)->Prepare(seen));
  };
  op.eval = [](void* node, munja_op_context* context) {
    Node seen(context);
    return ReportFailure(context, static_cast<Operator*>(node)->Eval(seen));
  };
  op.free = [](void*, void* node) { delete static_cast<Operator*>(node); };
  return op;
}

}  // namespace v0
}  // namespace munja

#endif  // MUNJA_OPERATOR_HPP_
