// Convolutions and fully connected layers with integer weights: what CONV_2D,
// DEPTHWISE_CONV_2D, TRANSPOSE_CONV and FULLY_CONNECTED share. Activations are
// int8, uint8, int16, or floats that are quantized dynamically.
#ifndef MUNJA_OPS_SUPPORT_LINEAR_QUANTIZED_LINEAR_H_
#define MUNJA_OPS_SUPPORT_LINEAR_QUANTIZED_LINEAR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/buffer.h"
#include "base/status.h"
#include "kernels/conv/conv_2d.h"
#include "kernels/gemm/int_operand.h"
#include "kernels/quant/int_epilogue.h"
#include "ops/op.h"
#include "ops/support/linear/linear_scheme.h"
#include "ops/support/row_kernel.h"
#include "ops/support/window.h"

namespace munja::ops {

// Arguments of one run.
struct LinearRun {
  const kernels::Conv2dShape& shape;
  kernels::IntInput in;
  const int16_t* centered;  // Input without zero point, if requested.
  kernels::IntFormat format;
  const void* weights;  // As Pack wrote them; int16 as stored if it did not.
  const float* image_scales;  // One for each image, or null.
  const kernels::IntEpilogue& epilogue;
  void* scratch;
  ThreadPool& pool;
};

class QuantizedLinear : public Kernel, public RowKernel {
 public:
  // The node's weights are integers: this kind of kernel runs it.
  static bool Takes(const NodeInfo& info, int weights);

  Status Prepare(PrepareContext& context) const final;
  Status Eval(EvalContext& context) const final;
  int64_t MultiplyAccumulates(
      std::span<const TensorView> inputs,
      std::span<const TensorView> outputs) const override;
  size_t packed_bytes() const final { return constant_weights_.size(); }

  const RowKernel* by_rows() const final;
  bool CanSplitRows(const EvalContext& context) const final;
  bool IsRowInput(const EvalContext& context, int i) const final;
  RowRange InputRows(const EvalContext& context, int i,
                     RowRange rows) const final;
  int32_t RowStep(const EvalContext& context) const final;
  void EvalRows(const RowTask& task) const final;

 protected:
  // Shapes that a member of the family derives for a node.
  struct Geometry {
    kernels::Conv2dShape shape;
    Shape output;
    // State that Maps reads, if the input consists of feature maps.
    std::unique_ptr<State> maps = nullptr;
  };
  virtual Result<Geometry> Place(const PrepareContext& context) const = 0;
  // Sizes of the weights in a shape of which nothing else is read.
  virtual Result<kernels::Conv2dShape> WeightSizes(
      const NodeInfo& info, const Shape& weights) const = 0;
  // Bytes that Pack writes; 0: Run reads weights as they are stored.
  virtual size_t PackedBytes(const kernels::Conv2dShape& shape,
                             kernels::IntFormat format) const {
    (void)shape;
    (void)format;
    return 0;
  }
  virtual void Pack(const int16_t* weights, const kernels::Conv2dShape& shape,
                    kernels::IntFormat format, void* packed) const {
    (void)weights;
    (void)shape;
    (void)format;
    (void)packed;
  }
  virtual size_t ScratchBytes(const kernels::Conv2dShape& shape,
                              kernels::IntFormat format, int threads) const {
    (void)shape;
    (void)format;
    (void)threads;
    return 0;
  }
  // Run wants the input without its zero point.
  virtual bool WantsCentered(const kernels::Conv2dShape& shape,
                             kernels::IntFormat format) const {
    (void)shape;
    (void)format;
    return false;
  }
  // The maps of which the input consists, as many as there are of at most
  // kMaxMaps, all of the type and the scale of the first.
  static constexpr size_t kMaxMaps = 16;
  virtual std::span<const kernels::IntMap> Maps(
      const EvalContext& context, const State& maps,
      std::span<kernels::IntMap, kMaxMaps> memory) const {
    (void)context;
    (void)maps;
    return memory.first(0);
  }
  // Map m is input MapInput(m).
  int MapInput(size_t m) const {
    return operands_.input + 2 * static_cast<int>(m);
  }
  // Rows of map m from which `rows` of what they are joined to are made.
  virtual RowRange MapRows(const State& maps, size_t m, RowRange rows) const {
    (void)maps;
    (void)m;
    return rows;
  }
  // Rows of the output that are made of others than the rest: how, as in
  // RowKernel. Convolutions need not say.
  virtual bool SplitsRows(const kernels::Conv2dShape& shape) const {
    (void)shape;
    return true;
  }
  virtual int32_t StepOfRows(const kernels::Conv2dShape& shape) const {
    (void)shape;
    return 1;
  }
  virtual RowRange RowsRead(const kernels::Conv2dShape& shape,
                            RowRange rows) const;
  // The shape that makes only these rows, of an input that begins and ends
  // with RowsRead.
  virtual kernels::Conv2dShape ShapeOf(const kernels::Conv2dShape& shape,
                                       RowRange rows) const;
  virtual void Run(const LinearRun& run) const = 0;
  // The reference implementation; weights as stored.
  virtual void RunReference(const LinearRun& run) const = 0;

  // Reads what all have in common and packs constant weights; the members
  // below that differ from the defaults are set before.
  Status Init(const NodeInfo& info);

  LinearOperands operands_;
  bool has_maps_ = false;  // Any number of inputs.
  // An input behind the bias, of reals with float activations.
  bool has_residual_ = false;
  HybridRule hybrid_ = HybridRule::kAsymmetric;
  kernels::Activation activation_;

 private:
  kernels::IntEpilogue EpilogueOf(const EvalContext& context,
                                  const LinearScheme& scheme, void* out) const;

  bool use_reference_ = false;
  ElementType bias_type_ = ElementType::kFloat32;
  // Constant weights, ready for Run or RunReference.
  bool has_constant_weights_ = false;
  int32_t constant_groups_ = 1;
  kernels::IntFormat constant_format_ = kernels::IntFormat::kInt16;
  Buffer constant_weights_;
};

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_LINEAR_QUANTIZED_LINEAR_H_
