// ARG_MAX_WITH_SCORE, which no schema has: of each row of the last dimension
// the best class and its value, and the next ones up to the attribute `count`
// (1 if there is none), as two floats each in the place of the row. A session
// makes it where only that is wanted (SessionOptions::top_k).
//
// Inputs: the scores; or, after fusion, an input [..., k], weights [classes, k]
// or [classes, 1, 1, k] and a bias, whose products are the scores. With the
// attribute `softmax` the value is the class's share of the softmax of the row,
// otherwise the score itself. `classes`: the length of the rows.
#include "kernels/classes/arg_max_score.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kernels/classes/rough_scores.h"
#include "kernels/gemm/gemm.h"
#include "ops/op.h"
#include "ops/support/linear/float_constant.h"
#include "ops/support/linear/product.h"
#include "ops/support/operands.h"

namespace munja::ops::arg_max_score {
namespace {

using kernels::ArgMaxScore;

// [..., n] becomes [..., 2 * count].
Status SetPairs(PrepareContext& context, Shape shape, size_t count) {
  shape[shape.rank() - 1] = static_cast<int32_t>(2 * count);
  return context.SetOutputShape(0, shape);
}

Status CheckRow(const Shape& in, int64_t length) {
  if (in.rank() >= 1 && in.back() == length) return Status();
  return Malformed("an input of shape " + in.ToString() + " has no rows of " +
                   std::to_string(length));
}

class RowKernel final : public Kernel {
 public:
  RowKernel(int32_t classes, size_t count, bool softmax, bool reference_kernels)
      : classes_(classes),
        count_(count),
        softmax_(softmax),
        use_reference_(reference_kernels) {}

  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckType(in, "the input", {ElementType::kFloat32}));
    MUNJA_RETURN_IF_ERROR(CheckRow(in.shape, classes_));
    return SetPairs(context, in.shape, count_);
  }

  Status Eval(EvalContext& context) const override {
    const TensorView& in = context.input(0);
    const auto n = static_cast<size_t>(classes_);
    const size_t rows = static_cast<size_t>(in.shape.elements()) / n;
    const float* const scores = in.as<float>();
    auto* const out =
        reinterpret_cast<ArgMaxScore*>(context.output(0).mutable_as<float>());
    context.pool().ParallelFor(rows, std::max<size_t>(1, (size_t{1} << 14) / n),
                               [&](size_t begin, size_t end, int) {
                                 for (size_t r = begin; r < end; ++r)
                                   Row(scores + r * n, n, out + r * count_);
                               });
    return Status();
  }

 private:
  void Row(const float* row, size_t n, ArgMaxScore* out) const {
    const auto best = softmax_
                          ? (use_reference_ ? kernels::reference::SoftmaxBest
                                            : kernels::SoftmaxBest)
                          : (use_reference_ ? kernels::reference::BestScores
                                            : kernels::BestScores);
    best(row, n, count_, out);
  }

  int32_t classes_;
  size_t count_;
  bool softmax_, use_reference_;
};

class LinearKernel final : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const override {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckRow(in.shape, static_cast<int64_t>(k_)));
    const int64_t rows = in.shape.elements(0, in.shape.rank() - 1);
    const int threads = context.threads();
    context.RequestScratch(
        rough_    ? kernels::ScreenedScratchBytes(*rough_, threads)
        : packed_ ? kernels::ArgMaxScoreScratchBytes(static_cast<size_t>(rows),
                                                     n_, threads)
                  : n_ * sizeof(float));
    return SetPairs(context, in.shape, count_);
  }

  Status Eval(EvalContext& context) const override {
    const TensorView& in = context.input(0);
    const size_t rows = static_cast<size_t>(in.shape.elements()) / k_;
    auto* const out =
        reinterpret_cast<ArgMaxScore*>(context.output(0).mutable_as<float>());
    if (rough_) {
      kernels::ScreenedArgMaxScore(in.as<float>(), k_, rows, packed_->view(),
                                   bias_.data(), *rough_, count_, out,
                                   context.scratch(), context.pool());
    } else if (packed_) {
      kernels::LinearArgMaxScore(in.as<float>(), k_, rows, packed_->view(),
                                 bias_.data(), count_, out, context.scratch(),
                                 context.pool());
    } else {
      kernels::reference::LinearArgMaxScore(
          in.as<float>(), k_, rows, weights_.data(), k_, n_, 1, k_,
          bias_.data(), static_cast<float*>(context.scratch()), count_, out);
    }
    return Status();
  }

  int64_t MultiplyAccumulates(std::span<const TensorView> inputs,
                              std::span<const TensorView>) const override {
    return inputs[0].shape.elements() * static_cast<int64_t>(n_);
  }

  size_t packed_bytes() const override {
    return (packed_ ? packed_->bytes() : 0) + (rough_ ? rough_->bytes() : 0) +
           weights_.bytes() + bias_.bytes();
  }

  size_t k_ = 0, n_ = 0, count_ = 1;
  FloatConstant weights_;  // For the reference kernel only.
  FloatConstant bias_;
  std::unique_ptr<kernels::PackedMatrix> packed_;
  std::optional<kernels::RoughWeights> rough_;  // Approximates packed_.
};

// Weights are [classes, k] or [classes, 1, 1, k].
Status CheckWeights(const Shape& w, int64_t classes) {
  const bool is_matrix =
      w.rank() == 2 || (w.rank() == 4 && w[1] == 1 && w[2] == 1);
  if (is_matrix && w[0] == classes && w.back() >= 1) return Status();
  return Malformed("weights have shape " + w.ToString() + ", want " +
                   std::to_string(classes) + " x inputs");
}

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 3, 1));
  MUNJA_RETURN_IF_ERROR(CheckFloatInput(info, 0, "an input"));
  MUNJA_RETURN_IF_ERROR(CheckFloatOutput(info));
  MUNJA_ASSIGN_OR_RETURN(const int64_t classes,
                         info.attributes().Int("classes", 0));
  MUNJA_ASSIGN_OR_RETURN(const bool softmax,
                         info.attributes().Bool("softmax", false));
  // Numbers of classes are floats in the output.
  if (classes < 1 || classes > (1 << 24))
    return Malformed("has " + std::to_string(classes) + " classes");
  MUNJA_ASSIGN_OR_RETURN(const int64_t count,
                         info.attributes().Int("count", 1));
  if (count < 1 || count > static_cast<int64_t>(kernels::kMostBest))
    return Malformed("gives " + std::to_string(count) + " classes of a row");
  const bool reference_kernels = info.options().reference_kernels;
  if (info.inputs() == 1) {
    return std::unique_ptr<Kernel>(std::make_unique<RowKernel>(
        static_cast<int32_t>(classes), static_cast<size_t>(count), softmax,
        reference_kernels));
  }
  if (!softmax) return Unsupported("weights without softmax");
  auto kernel = std::make_unique<LinearKernel>();
  MUNJA_ASSIGN_OR_RETURN(FloatConstant weights,
                         FloatConstant::Read(info, 1, "weights"));
  MUNJA_RETURN_IF_ERROR(CheckWeights(weights.shape(), classes));
  MUNJA_ASSIGN_OR_RETURN(kernel->bias_,
                         FloatConstant::ReadBias(info, 2, classes));
  kernel->n_ = static_cast<size_t>(classes);
  kernel->count_ = static_cast<size_t>(count);
  kernel->k_ = static_cast<size_t>(weights.shape().back());
  if (reference_kernels) {
    kernel->weights_ = std::move(weights);
  } else {
    MUNJA_ASSIGN_OR_RETURN(
        kernels::PackedMatrix packed,
        kernels::PackedMatrix::Pack(weights.data(), kernel->k_, kernel->n_, 1,
                                    kernel->k_, ProductOf(info, 0)));
    kernel->packed_ =
        std::make_unique<kernels::PackedMatrix>(std::move(packed));
    if (!kernel->packed_->view().is_half()) {
      MUNJA_ASSIGN_OR_RETURN(
          kernel->rough_,
          kernels::RoughWeights::Make(weights.data(), kernel->k_, kernel->n_, 1,
                                      kernel->k_, kernel->bias_.data()));
    }
  }
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace munja::ops::arg_max_score
