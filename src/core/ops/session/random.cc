// RANDOM_UNIFORM, RANDOM_STANDARD_NORMAL, MULTINOMIAL.
//
// Each node has a Philox generator, which starts at its seeds with the session
// (and when that forgets its variables) and goes on from run to run: two
// sessions of one model give the same numbers. Seeds that are both 0 ask for
// other numbers in each session: then the clock and a count of such generators
// are the seeds.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <string>
#include <tuple>
#include <utility>

#include "ops/op.h"
#include "ops/support/operands.h"
#include "ops/support/philox.h"

namespace munja::ops::random {
namespace {

struct Generator : State {
  Generator(uint64_t seed, uint64_t seed2) : philox(seed, seed2) {}
  Philox philox;
};

struct Seeds {
  uint64_t first = 0, second = 0;
};

// In [0, 1): 23 random bits.
float Uniform(uint32_t bits) {
  return static_cast<float>(bits & 0x7FFFFF) * 0x1p-23f;
}
// In [0, 1): 52 random bits.
double Uniform(uint32_t low, uint32_t high) {
  return static_cast<double>((uint64_t{high & 0xFFFFF} << 32) | low) * 0x1p-52;
}

// Two normal numbers of two uniform ones (Box and Muller).
std::pair<float, float> Normal(uint32_t a, uint32_t b) {
  const float u = std::max(Uniform(a), 1e-7f);
  const float angle = 2.0f * std::numbers::pi_v<float> * Uniform(b);
  const float radius = std::sqrt(-2.0f * std::log(u));
  return {radius * std::sin(angle), radius * std::cos(angle)};
}

class RandomKernel : public Kernel {
 public:
  explicit RandomKernel(Seeds seeds) : seeds_(seeds) {}
  bool needs_host() const final { return true; }

 protected:
  // The generator of this node in the running session.
  Philox& GeneratorOf(EvalContext& context) const {
    Resources& resources = context.host()->resources();
    // A kernel's address is its own as long as sessions use it.
    const auto address = reinterpret_cast<uintptr_t>(this);
    const int32_t id = resources.Id("random/" + std::to_string(address));
    std::unique_ptr<State>& content = *resources.Find(id);
    if (content == nullptr) {
      Seeds seeds = seeds_;
      if (seeds.first == 0 && seeds.second == 0) {
        static std::atomic<uint64_t> count{0};
        seeds.first = static_cast<uint64_t>(
            std::chrono::steady_clock::now().time_since_epoch().count());
        seeds.second = ++count;
      }
      content = std::make_unique<Generator>(seeds.first, seeds.second);
    }
    return static_cast<Generator*>(content.get())->philox;
  }

 private:
  Seeds seeds_;
};

class FloatKernel final : public RandomKernel {
 public:
  FloatKernel(Seeds seeds, bool is_normal)
      : RandomKernel(seeds), is_normal_(is_normal) {}

  Status Prepare(PrepareContext& context) const override {
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(0), "the output", {ElementType::kFloat32}));
    if (context.input(0).shape.rank() != 1)
      return Malformed("the shape is no vector");
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> dims,
                           KnownIntegers(context, 0, "output shape"));
    MUNJA_ASSIGN_OR_RETURN(const Shape shape, CheckShape(dims));
    return context.SetOutputShape(0, shape);
  }

  Status Eval(EvalContext& context) const override {
    Philox& philox = GeneratorOf(context);
    float* out = context.output(0).mutable_as<float>();
    const int64_t count = context.output(0).shape.elements();
    // Four at a time; what is left of the last four is not used.
    for (int64_t i = 0; i < count; i += 4) {
      const auto bits = philox.Next();
      float four[4];
      if (is_normal_) {
        std::tie(four[0], four[1]) = Normal(bits[0], bits[1]);
        std::tie(four[2], four[3]) = Normal(bits[2], bits[3]);
      } else {
        std::transform(bits.begin(), bits.end(), four,
                       [](uint32_t b) { return Uniform(b); });
      }
      std::copy(four, four + std::min<int64_t>(4, count - i), out + i);
    }
    return Status();
  }

 private:
  bool is_normal_;
};

// Draws classes by unnormalized log-probabilities [batch, classes].
class MultinomialKernel final : public RandomKernel {
 public:
  using RandomKernel::RandomKernel;

  Status Prepare(PrepareContext& context) const override {
    const TensorView& logits = context.input(0);
    MUNJA_RETURN_IF_ERROR(
        CheckType(logits, "the input", {ElementType::kFloat32}));
    MUNJA_RETURN_IF_ERROR(
        CheckType(context.output(0), "the output",
                  {ElementType::kInt32, ElementType::kInt64}));
    if (logits.shape.rank() != 2 || logits.shape[1] == 0)
      return Malformed("the input has shape " + logits.shape.ToString());
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> samples,
                           KnownIntegers(context, 1, "number of samples", 1));
    MUNJA_ASSIGN_OR_RETURN(const int32_t count, CheckDim(samples[0]));
    context.RequestScratch(static_cast<size_t>(logits.shape[1]) *
                           sizeof(double));
    return context.SetOutputShape(0, Shape{logits.shape[0], count});
  }

  Status Eval(EvalContext& context) const override {
    return context.output(0).type == ElementType::kInt32
               ? Run<int32_t>(context)
               : Run<int64_t>(context);
  }

 private:
  template <class T>
  Status Run(EvalContext& context) const {
    Philox& philox = GeneratorOf(context);
    const Shape& shape = context.input(0).shape;
    const float* logits = context.input(0).as<float>();
    T* out = context.output(0).mutable_as<T>();
    // Running sums of the probabilities.
    auto* const sums = static_cast<double*>(context.scratch());
    for (int32_t b = 0; b < shape[0]; ++b, logits += shape[1]) {
      float largest = std::numeric_limits<float>::lowest();
      for (int32_t k = 0; k < shape[1]; ++k)
        if (std::isfinite(logits[k])) largest = std::max(largest, logits[k]);
      double sum = 0.0;
      for (int32_t k = 0; k < shape[1]; ++k) {
        if (std::isfinite(logits[k]))
          sum += std::exp(double{logits[k]} - largest);
        sums[k] = sum;
      }
      if (sum == 0.0)
        return InvalidArgument("no class of row " + std::to_string(b) +
                               " has a finite value");
      for (int32_t i = 0; i < context.output(0).shape[1]; ++i) {
        const auto bits = philox.Next();
        const double* const at = std::upper_bound(
            sums, sums + shape[1], Uniform(bits[1], bits[0]) * sum);
        *out++ =
            static_cast<T>(std::min<int64_t>(at - sums, int64_t{shape[1]} - 1));
      }
    }
    return Status();
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t seed, info.attributes().Int("seed", 0));
  MUNJA_ASSIGN_OR_RETURN(const int64_t seed2,
                         info.attributes().Int("seed2", 0));
  const Seeds seeds = {static_cast<uint64_t>(seed),
                       static_cast<uint64_t>(seed2)};
  if (info.node().op == "MULTINOMIAL") {
    MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
    return std::unique_ptr<Kernel>(std::make_unique<MultinomialKernel>(seeds));
  }
  MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
  const bool is_normal = info.node().op == "RANDOM_STANDARD_NORMAL";
  return std::unique_ptr<Kernel>(
      std::make_unique<FloatKernel>(seeds, is_normal));
}

}  // namespace munja::ops::random
