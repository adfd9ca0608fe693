// REDUCE_WINDOW: combines the elements of a window that slides over all
// dimensions, beginning from an initial value.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/control.h"
#include "ops/op.h"
#include "ops/support/by_type.h"
#include "ops/support/operands.h"

namespace munja::ops::reduce_window {
namespace {

enum { kInput, kInitial, kWindow, kStrides, kDilations };
enum class Function { kAdd, kMul, kMinimum, kMaximum, kAll, kAny };

struct WindowState final : State {
  // By dimension: elements of the output, input elements from one output
  // element to the next, elements of the window and input elements between
  // them.
  std::vector<int64_t> out, strides, window, steps;
};

template <class T>
T Combine(Function function, T a, T b) {
  switch (function) {
    case Function::kAdd:
      // Wraps where signed integers would overflow.
      if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
      } else {
        return a + b;
      }
    case Function::kMul:
      if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
      } else {
        return a * b;
      }
    case Function::kMinimum:
      return std::min(a, b);
    case Function::kMaximum:
      return std::max(a, b);
    case Function::kAll:
      return static_cast<T>(a != T{0} && b != T{0});
    case Function::kAny:
      return static_cast<T>(a != T{0} || b != T{0});
  }
  return a;
}

// Steps an index through `dims` and an offset with it; false after the last.
bool Advance(const std::vector<int64_t>& dims, const std::vector<int64_t>& by,
             std::vector<int64_t>* index, int64_t* offset) {
  for (size_t d = dims.size(); d-- > 0;) {
    *offset += by[d];
    if (++(*index)[d] < dims[d]) return true;
    *offset -= dims[d] * by[d];
    (*index)[d] = 0;
  }
  return false;
}

class ReduceWindowKernel final : public Kernel {
 public:
  explicit ReduceWindowKernel(Function function) : function_(function) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& input = context.input(kInput);
    const bool is_logical =
        function_ == Function::kAll || function_ == Function::kAny;
    MUNJA_RETURN_IF_ERROR(
        is_logical ? CheckType(input, "the input", {ElementType::kBool})
                   : CheckType(input, "the input",
                               {ElementType::kFloat32, ElementType::kInt8,
                                ElementType::kUInt8, ElementType::kInt16,
                                ElementType::kInt32, ElementType::kInt64}));
    MUNJA_RETURN_IF_ERROR(CheckSameType(input, context.input(kInitial)));
    MUNJA_RETURN_IF_ERROR(CheckSameType(input, context.output(0)));
    if (context.input(kInitial).shape.elements() != 1) {
      return Malformed("the initial value has shape " +
                       context.input(kInitial).shape.ToString());
    }
    const auto rank = static_cast<size_t>(input.shape.rank());
    std::vector<int64_t> lists[3];
    for (const int i : {kWindow, kStrides, kDilations}) {
      MUNJA_ASSIGN_OR_RETURN(lists[i - kWindow],
                             KnownIntegers(context, i, "output size", rank));
      for (const int64_t n : lists[i - kWindow])
        if (n < 1 || n > INT32_MAX)
          return Malformed("a window, stride or dilation is " +
                           std::to_string(n));
    }
    auto state = std::make_unique<WindowState>();
    state->window = lists[0];
    const std::vector<int64_t> rows = Strides(input.shape);
    for (size_t d = 0; d < rank; ++d) {
      const int64_t span = (lists[0][d] - 1) * lists[2][d] + 1;
      const int64_t n = input.shape[static_cast<int>(d)];
      const int64_t out = n < span ? 0 : (n - span) / lists[1][d] + 1;
      state->out.push_back(out);
      // Where there is one step only, its size does not count.
      state->strides.push_back(out > 1 ? rows[d] * lists[1][d] : 0);
      state->steps.push_back(out > 0 && lists[0][d] > 1 ? rows[d] * lists[2][d]
                                                        : 0);
    }
    MUNJA_ASSIGN_OR_RETURN(const Shape shape, CheckShape(state->out));
    context.SetState(std::move(state));
    return context.SetOutputShape(0, shape);
  }

  Status Eval(EvalContext& context) const override {
    return ByType<float, int8_t, int16_t, int32_t, int64_t, uint8_t>(
        context.input(kInput).type, [&]<class T>() { return Run<T>(context); });
  }

 private:
  template <class T>
  Status Run(EvalContext& context) const {
    const auto& s = *static_cast<const WindowState*>(context.state());
    const T* in = context.input(kInput).as<T>();
    const T initial = *context.input(kInitial).as<T>();
    T* out = context.output(0).mutable_as<T>();
    if (context.output(0).bytes == 0) return Status();
    std::vector<int64_t> index(s.out.size()), inner(s.out.size());
    int64_t offset = 0;
    do {
      MUNJA_RETURN_IF_ERROR(CheckControl());
      T value = initial;
      int64_t at = offset;
      do {
        value = Combine(function_, value, in[at]);
      } while (Advance(s.window, s.steps, &inner, &at));
      *out++ = value;
    } while (Advance(s.out, s.strides, &index, &offset));
    return Status();
  }

  Function function_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(5, 5, 1));
  MUNJA_ASSIGN_OR_RETURN(
      const std::string name,
      info.attributes().Text("reduce_function", "UNSUPPORTED"));
  constexpr std::pair<std::string_view, Function> kFunctions[] = {
      {"ADD", Function::kAdd},         {"MUL", Function::kMul},
      {"MINIMUM", Function::kMinimum}, {"MAXIMUM", Function::kMaximum},
      {"ALL", Function::kAll},         {"ANY", Function::kAny}};
  for (const auto& [text, function] : kFunctions) {
    if (text == name)
      return std::unique_ptr<Kernel>(
          std::make_unique<ReduceWindowKernel>(function));
  }
  return Unsupported("reduce_function " + name + " is not implemented");
}

}  // namespace munja::ops::reduce_window
