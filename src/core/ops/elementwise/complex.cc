// REAL, IMAG and COMPLEX_ABS: floats from complex values.
#include <cmath>
#include <complex>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::complex {
namespace {

enum class Kind { kReal, kImaginary, kAbs };

class ComplexKernel final : public Kernel {
 public:
  explicit ComplexKernel(Kind kind) : kind_(kind) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckType(
        in, "the input", {ElementType::kComplex64, ElementType::kComplex128}));
    MUNJA_RETURN_IF_ERROR(CheckType(
        context.output(0), "the output",
        {in.type == ElementType::kComplex64 ? ElementType::kFloat32
                                            : ElementType::kFloat64}));
    return context.SetOutputShape(0, in.shape);
  }

  Status Eval(EvalContext& context) const override {
    if (context.input(0).type == ElementType::kComplex64) {
      Run<float>(context);
    } else {
      Run<double>(context);
    }
    return Status();
  }

 private:
  template <class T>
  void Run(EvalContext& context) const {
    const auto* in = context.input(0).as<std::complex<T>>();
    T* out = context.output(0).mutable_as<T>();
    context.pool().ParallelFor(
        static_cast<size_t>(context.input(0).shape.elements()), size_t{1} << 13,
        [&](size_t begin, size_t end, int) {
          for (size_t i = begin; i < end; ++i) {
            out[i] = kind_ == Kind::kReal        ? in[i].real()
                     : kind_ == Kind::kImaginary ? in[i].imag()
                                                 : std::abs(in[i]);
          }
        });
  }

  Kind kind_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
  const std::string& op = info.node().op;
  return std::unique_ptr<Kernel>(
      std::make_unique<ComplexKernel>(op == "REAL"   ? Kind::kReal
                                      : op == "IMAG" ? Kind::kImaginary
                                                     : Kind::kAbs));
}

}  // namespace munja::ops::complex
