#include <gtest/gtest.h>

#include <cmath>

#include "ops/expect.h"
#include "ops/support/rnn/lstm_testing.h"

namespace munja::ops {
namespace {

constexpr int kSteps = 3, kBatch = 2, kInputs = 5, kUnits = 4;

struct RnnWeights {
  explicit RnnWeights(uint32_t seed)
      : weights(RandomFloats(kUnits * kInputs, seed)),
        recurrent(RandomFloats(kUnits * kUnits, seed + 1)),
        bias(RandomFloats(kUnits, seed + 2)),
        aux(RandomFloats(kUnits * kInputs, seed + 3)) {}
  std::vector<float> weights, recurrent, bias, aux;
};

size_t Row(bool is_time_major, int step, int b) {
  return static_cast<size_t>(is_time_major ? step * kBatch + b
                                           : b * kSteps + step);
}

// tanh(W x + R h + b + A aux); `state` goes on.
std::vector<float> ByFormula(const RnnWeights& w, const std::vector<float>& x,
                             const std::vector<float>* aux, int steps,
                             bool is_time_major, bool is_backward,
                             std::vector<float>* state) {
  std::vector<float> out(static_cast<size_t>(steps * kBatch * kUnits));
  for (int k = 0; k < steps; ++k) {
    const int step = is_backward ? steps - 1 - k : k;
    for (int b = 0; b < kBatch; ++b) {
      const size_t row = Row(is_time_major, step, b);
      float* h = state->data() + b * kUnits;
      std::vector<float> next;
      for (int u = 0; u < kUnits; ++u) {
        double sum = w.bias[u];
        for (int i = 0; i < kInputs; ++i) {
          sum += w.weights[u * kInputs + i] * x[row * kInputs + i];
          if (aux != nullptr)
            sum += w.aux[u * kInputs + i] * (*aux)[row * kInputs + i];
        }
        for (int o = 0; o < kUnits; ++o)
          sum += w.recurrent[u * kUnits + o] * h[o];
        next.push_back(static_cast<float>(std::tanh(sum)));
      }
      std::copy(next.begin(), next.end(), h);
      std::copy(next.begin(), next.end(), out.begin() + row * kUnits);
    }
  }
  return out;
}

TestNode MakeNode(std::string op, Shape in, const std::vector<float>& x,
                  const RnnWeights& w, const std::vector<float>& state,
                  LstmTensorMaker matrix) {
  TestNode node;
  node.op = std::move(op);
  node.attributes = Options({{"fused_activation_function", "TANH"}});
  node.inputs = {Floats(in, x), matrix(Shape{kUnits, kInputs}, w.weights),
                 matrix(Shape{kUnits, kUnits}, w.recurrent),
                 FloatWeights(Shape{kUnits}, w.bias),
                 Floats(Shape{kBatch, kUnits}, state).Variable()};
  return node;
}

TEST(Rnn, OneStep_FollowsTheFormula) {
  const RnnWeights w(1);
  const auto x = RandomFloats(kBatch * kInputs, 9);
  const auto state = RandomFloats(kBatch * kUnits, 10);
  for (const auto matrix : {FloatWeights, FloatWeightsOfTheRun}) {
    std::vector<float> after = state;
    const auto want = ByFormula(w, x, nullptr, 1, true, false, &after);
    const TestNode node =
        MakeNode("RNN", Shape{kBatch, kInputs}, x, w, state, matrix);
    ExpectOutput<float>(node, Shape{kBatch, kUnits}, want, 2e-5);
    std::vector<TestTensor> inputs;
    ASSERT_TRUE(RunNode(node, {.inputs_after = &inputs}).ok());
    for (size_t i = 0; i < after.size(); ++i)
      EXPECT_NEAR(inputs[4].values<float>()[i], after[i], 2e-5);
  }
}

TEST(Rnn, Sequences_FollowTheFormula) {
  RnnWeights w(1);
  const auto x = RandomFloats(kSteps * kBatch * kInputs, 9);
  for (const bool is_time_major : {false, true}) {
    for (const bool is_hybrid : {false, true}) {
      if (is_hybrid) {
        w.weights = RoundedTo8Bits(w.weights);
        w.recurrent = RoundedTo8Bits(w.recurrent);
      }
      const Shape in = is_time_major ? Shape{kSteps, kBatch, kInputs}
                                     : Shape{kBatch, kSteps, kInputs};
      const Shape out = is_time_major ? Shape{kSteps, kBatch, kUnits}
                                      : Shape{kBatch, kSteps, kUnits};
      std::vector<float> state(kBatch * kUnits);
      TestNode node = MakeNode("UNIDIRECTIONAL_SEQUENCE_RNN", in, x, w, state,
                               is_hybrid ? ByteWeights : FloatWeights);
      node.attributes.Set("time_major", is_time_major);
      const auto want =
          ByFormula(w, x, nullptr, kSteps, is_time_major, false, &state);
      ExpectOutput<float>(node, out, want, is_hybrid ? 0.02 : 2e-5);
      if (!is_hybrid) continue;
      node.attributes.Set("asymmetric_quantize_inputs", true);
      ExpectOutput<float>(node, out, want, 0.02);
    }
  }
}

// `aux`: 0 none, 1 the input of the backward direction, 2 added in both.
TestNode MakeBidirectional(int aux, bool merges,
                           std::vector<std::vector<float>>* want) {
  const RnnWeights fw(1), bw(11);
  const auto x = RandomFloats(kSteps * kBatch * kInputs, 9);
  const auto a = RandomFloats(kSteps * kBatch * kInputs, 19);
  const std::vector<float> zeros(kBatch * kUnits);
  const Shape in{kBatch, kSteps, kInputs};
  TestNode node =
      MakeNode("BIDIRECTIONAL_SEQUENCE_RNN", in, x, fw, zeros, FloatWeights);
  const TestNode other = MakeNode("", in, x, bw, zeros, FloatWeights);
  node.inputs.insert(node.inputs.end(), other.inputs.begin() + 1,
                     other.inputs.end());
  node.inputs.push_back(aux > 0 ? Floats(in, a) : Absent());
  for (const RnnWeights* w : {&fw, &bw})
    node.inputs.push_back(
        aux == 2 ? FloatWeights(Shape{kUnits, kInputs}, w->aux) : Absent());
  node.attributes.Set("merge_outputs", merges);
  node.outputs.resize(merges ? 1 : 2);
  std::vector<float> state = zeros;
  const auto* added = aux == 2 ? &a : nullptr;
  want->push_back(ByFormula(fw, x, added, kSteps, false, false, &state));
  state = zeros;
  want->push_back(
      ByFormula(bw, aux == 1 ? a : x, added, kSteps, false, true, &state));
  return node;
}

TEST(Rnn, BothDirections_FollowTheFormula) {
  const Shape out{kBatch, kSteps, kUnits};
  for (int aux = 0; aux < 3; ++aux) {
    std::vector<std::vector<float>> want;
    const TestNode node = MakeBidirectional(aux, false, &want);
    ExpectOutputs<float>(node, {out, out}, want, 2e-5);
  }
  std::vector<std::vector<float>> want;
  const TestNode node = MakeBidirectional(0, true, &want);
  std::vector<float> merged;
  for (size_t row = 0; row < kBatch * kSteps; ++row)
    for (const auto& side : want)
      merged.insert(merged.end(), side.begin() + row * kUnits,
                    side.begin() + (row + 1) * kUnits);
  ExpectOutput<float>(node, Shape{kBatch, kSteps, 2 * kUnits}, merged, 2e-5);
}

TEST(Rnn, InvalidNodes_AreRefused) {
  const RnnWeights w(1);
  const TestNode good =
      MakeNode("RNN", Shape{kBatch, kInputs}, RandomFloats(kBatch * kInputs, 9),
               w, std::vector<float>(kBatch * kUnits), FloatWeights);
  TestNode bad = good;
  bad.inputs[4].is_variable = false;
  ExpectRefused(bad, Code::kMalformed, "not a variable");
  bad = good;
  bad.inputs[4].shape = Shape{1, kUnits};
  ExpectRefused(bad, Code::kMalformed, "hidden state has shape 1x4");
  bad = good;
  bad.inputs[2].shape = Shape{2, 8};
  ExpectRefused(bad, Code::kMalformed, "recurrent weights have shape 2x8");
  bad = good;
  bad.inputs[0].shape = Shape{10};
  ExpectRefused(bad, Code::kMalformed, "two dimensions");
  bad = good;
  bad.inputs[2] = Absent();
  ExpectRefused(bad, Code::kMalformed, "");
  bad = good;
  bad.op = "BIDIRECTIONAL_SEQUENCE_RNN";
  ExpectRefused(bad, Code::kMalformed, "inputs");
}

}  // namespace
}  // namespace munja::ops
