// RESHAPE, SQUEEZE, EXPAND_DIMS: the same elements under another shape.
#include <cstring>

#include "ops/op.h"
#include "ops/support/operands.h"

namespace munja::ops::reshape {
namespace {

constexpr size_t kGrainBytes = size_t{1} << 16;

class ReshapeKernel : public Kernel {
 public:
  Status Prepare(PrepareContext& context) const final {
    const TensorView& in = context.input(0);
    MUNJA_RETURN_IF_ERROR(CheckSameType(in, context.output(0)));
    // Packed bytes stay as they are.
    if (in.type != ElementType::kInt4) {
      MUNJA_RETURN_IF_ERROR(MovableSize(in).TakeStatus());
    }
    MUNJA_ASSIGN_OR_RETURN(const Shape shape, OutputShape(context));
    if (shape.elements() != in.shape.elements()) {
      return Malformed("makes " + shape.ToString() + " out of " +
                       in.shape.ToString());
    }
    context.AllowInPlace(0, 0);
    return context.SetOutputShape(0, shape);
  }

  Status Eval(EvalContext& context) const final {
    const TensorView& in = context.input(0);
    const auto* from = in.as<uint8_t>();
    auto* to = context.output(0).mutable_as<uint8_t>();
    if (from == to) return Status();
    const auto elements = static_cast<size_t>(in.shape.elements());
    const size_t bytes = in.type == ElementType::kInt4
                             ? (elements + 1) / 2
                             : elements * ElementSize(in.type);
    context.pool().ParallelFor(
        bytes, kGrainBytes, [&](size_t begin, size_t end, int) {
          std::memcpy(to + begin, from + begin, end - begin);
        });
    return Status();
  }

 private:
  virtual Result<Shape> OutputShape(const PrepareContext& context) const = 0;
};

class Reshape final : public ReshapeKernel {
 public:
  explicit Reshape(std::vector<int64_t> new_shape)
      : new_shape_(std::move(new_shape)) {}

 private:
  Result<Shape> OutputShape(const PrepareContext& context) const override {
    std::vector<int64_t> dims = new_shape_;
    // A shape input counts only as a list of int32; other forms of it are an
    // old converter's and mean "see the option".
    if (context.has_input(1) && context.input(1).type == ElementType::kInt32 &&
        context.input(1).shape.rank() == 1) {
      MUNJA_ASSIGN_OR_RETURN(dims, KnownIntegers(context, 1, "new shape"));
    }
    const int64_t elements = context.input(0).shape.elements();
    if (dims.size() == 1 && dims[0] == 0 && elements == 1) return Shape();
    int64_t* inferred = nullptr;
    int64_t product = 1;
    for (int64_t& dim : dims) {
      if (dim == -1) {
        if (inferred != nullptr) return Malformed("two dimensions are -1");
        inferred = &dim;
        continue;
      }
      MUNJA_RETURN_IF_ERROR(CheckDim(dim).TakeStatus());
      if (__builtin_mul_overflow(product, dim, &product))
        return Malformed("the new shape is too large");
    }
    if (inferred != nullptr) {
      if (product == 0 || elements % product != 0) {
        return Malformed("no dimension makes the new shape hold " +
                         std::to_string(elements) + " elements");
      }
      *inferred = elements / product;
    }
    return CheckShape(dims);
  }

  std::vector<int64_t> new_shape_;
};

class Squeeze final : public ReshapeKernel {
 public:
  explicit Squeeze(std::vector<int64_t> dims) : dims_(std::move(dims)) {}

 private:
  Result<Shape> OutputShape(const PrepareContext& context) const override {
    const Shape& in = context.input(0).shape;
    unsigned removed = 0;
    for (const int64_t dim : dims_) {
      MUNJA_ASSIGN_OR_RETURN(const int i, NormalizeAxis(dim, in.rank()));
      if (in[i] != 1) {
        return Malformed("squeezes dimension " + std::to_string(i) + " of " +
                         in.ToString());
      }
      removed |= 1u << i;
    }
    Shape shape;
    for (int i = 0; i < in.rank(); ++i) {
      const bool remove = dims_.empty() ? in[i] == 1 : (removed >> i & 1) != 0;
      if (!remove) shape.Append(in[i]);
    }
    return shape;
  }

  std::vector<int64_t> dims_;
};

class ExpandDims final : public ReshapeKernel {
 private:
  Result<Shape> OutputShape(const PrepareContext& context) const override {
    const Shape& in = context.input(0).shape;
    MUNJA_ASSIGN_OR_RETURN(const std::vector<int64_t> axis,
                           KnownIntegers(context, 1, "axis", 1));
    if (in.rank() >= kMaxRank)
      return Unsupported("the output would have too many dimensions");
    MUNJA_ASSIGN_OR_RETURN(const int at, NormalizeAxis(axis[0], in.rank() + 1));
    Shape shape;
    for (int i = 0; i <= in.rank(); ++i)
      shape.Append(i == at ? 1 : in[i < at ? i : i - 1]);
    return shape;
  }
};

}  // namespace

Result<std::unique_ptr<Kernel>> Make(const NodeInfo& info) {
  const std::string& op = info.node().op;
  std::unique_ptr<Kernel> kernel;
  if (op == "RESHAPE") {
    MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 2, 1));
    MUNJA_ASSIGN_OR_RETURN(std::vector<int64_t> shape,
                           info.attributes().Ints("new_shape"));
    kernel = std::make_unique<Reshape>(std::move(shape));
  } else if (op == "SQUEEZE") {
    MUNJA_RETURN_IF_ERROR(info.CheckArity(1, 1, 1));
    MUNJA_ASSIGN_OR_RETURN(std::vector<int64_t> dims,
                           info.attributes().Ints("squeeze_dims"));
    kernel = std::make_unique<Squeeze>(std::move(dims));
  } else {
    MUNJA_RETURN_IF_ERROR(info.CheckArity(2, 2, 1));
    kernel = std::make_unique<ExpandDims>();
  }
  return kernel;
}

}  // namespace munja::ops::reshape
