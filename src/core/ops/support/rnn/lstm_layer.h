// One direction of an LSTM with everything that the .tflite schema knows:
// coupled gates, peepholes, projection, layer normalization, clipping, an
// auxiliary input; in float, with int8 weights (hybrid) and in integers. LSTM,
// UNIDIRECTIONAL_ and BIDIRECTIONAL_SEQUENCE_LSTM are made of it.
#ifndef MUNJA_OPS_SUPPORT_RNN_LSTM_LAYER_H_
#define MUNJA_OPS_SUPPORT_RNN_LSTM_LAYER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "kernels/rnn/lstm_cell.h"
#include "ops/op.h"
#include "ops/support/rnn/rnn_matrix.h"
#include "ops/support/scratch_pieces.h"

namespace munja::ops {

using GateInputs = std::array<int, kernels::kLstmGates>;

// Numbers of the node's inputs; -1 and those beyond its list count as absent.
// Gates in the order input, forget, cell, output.
struct LstmInputs {
  int input = 0;
  GateInputs weights = {1, 2, 3, 4}, recurrent = {5, 6, 7, 8};
  GateInputs peephole = {9, 10, -1, 11}, bias = {12, 13, 14, 15};
  int projection = 16, projection_bias = 17;
  int output_state = 18, cell_state = 19;
  GateInputs norm = {20, 21, 22, 23};
  int aux = -1;
  GateInputs aux_weights = {-1, -1, -1, -1};
};

struct LstmSizes {
  size_t steps = 0, batch = 0, inputs = 0, aux = 0, units = 0, outputs = 0;
};

// Scales of an integer layer; multipliers by gate.
struct LstmScales {
  std::array<kernels::Multiplier, kernels::kLstmGates> input, recurrent;
  kernels::Multiplier projection;
  int32_t input_zero = 0, state_zero = 0, hidden_zero = 0;
  int8_t projection_clip = 0;     // 0: none
  kernels::IntegerLstmCell cell;  // Its pointers are set in each run.
};

// Results of Prepare that Eval reads.
struct LstmPlan {
  LstmSizes sizes;
  LstmScales scales;
};

class LstmLayer {
 public:
  // Refuses what no shape can mend: groups of inputs that are there in part,
  // types, states that are not variables, options.
  static Result<LstmLayer> Make(const NodeInfo& info, const LstmInputs& inputs);

  // Checks all shapes against `steps` x `batch` rows of input. `output`: which
  // output of the node it is.
  Result<LstmPlan> Prepare(const PrepareContext& context, int64_t steps,
                           int64_t batch, int output) const;
  size_t ScratchBytes(const PrepareContext& context,
                      const LstmSizes& sizes) const;

  struct Run {
    bool is_time_major = true;  // Else all sequences are [batch, steps, n].
    bool is_backward = false;
    int output = 0;  // Output index of the node.
    // Elements of an output row, and those before this layer's part of it.
    size_t output_row = 0, output_offset = 0;
  };
  // Reads and writes the states; `scratch` has ScratchBytes.
  void Eval(EvalContext& context, const LstmPlan& plan, const Run& run,
            void* scratch) const;

  Arithmetic arithmetic() const { return arithmetic_; }
  int64_t MultiplyAccumulates(std::span<const TensorView> inputs) const;
  size_t packed_bytes() const;

 private:
  using Matrices = std::array<RnnMatrix, kernels::kLstmGates>;
  struct Bound;

  Status ReadOptions(const NodeInfo& info);
  Status CheckGroups(const NodeInfo& info);
  Status CheckTypes(const NodeInfo& info) const;
  Status ReadIntermediates(const NodeInfo& info);
  Status CheckVector(const PrepareContext& context, int i,
                     std::string_view what, int64_t count) const;
  Status CheckVectors(const PrepareContext& context,
                      const LstmSizes& sizes) const;
  Result<LstmScales> ComputeScales(const PrepareContext& context,
                                   int output) const;
  int first_gate() const { return is_coupled_ ? 1 : 0; }
  size_t gates() const { return is_coupled_ ? 3 : 4; }
  size_t GateOffset(int gate, size_t units) const {
    return static_cast<size_t>(gate - first_gate()) * units;
  }
  // Steps whose gates are computed at once.
  size_t ChunkSteps(const LstmSizes& sizes) const;
  void TakeScratch(const LstmSizes& sizes, ScratchPieces& scratch,
                   Bound* bound) const;
  // Null for an absent input.
  template <class T>
  const T* Vector(const EvalContext& context, int i) const {
    return i >= 0 && context.has_input(i) ? context.input(i).as<T>() : nullptr;
  }
  kernels::LstmCell FloatCell(const EvalContext& context, size_t units,
                              float* peepholes) const;
  void EvalFloat(EvalContext& context, const LstmSizes& sizes, const Run& run,
                 Bound& bound) const;
  void EvalHybrid(EvalContext& context, const LstmSizes& sizes, const Run& run,
                  Bound& bound) const;
  void ProjectFloat(EvalContext& context, const LstmSizes& sizes, Bound& bound,
                    float* state) const;
  void EvalInteger(EvalContext& context, const LstmPlan& plan, const Run& run,
                   Bound& bound) const;

  LstmInputs inputs_;
  Arithmetic arithmetic_ = Arithmetic::kFloat;
  Matrices weights_, recurrent_, aux_;
  RnnMatrix projection_;
  kernels::Activation activation_;
  float cell_clip_ = 0.0f, projection_clip_ = 0.0f;
  bool is_coupled_ = false, has_peephole_ = false, has_norm_ = false;
  bool is_asymmetric_ = false, use_reference_ = false;
  bool is_diagonal_ = false;  // Recurrent weights are [units].
  // Integer layers: scales of the gates, then of the hidden vector.
  std::array<float, kernels::kLstmGates + 1> intermediate_scales_ = {};
  int32_t hidden_zero_ = 0;
};

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_RNN_LSTM_LAYER_H_
