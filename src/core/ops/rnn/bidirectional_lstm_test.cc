#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/support/rnn/lstm_testing.h"

namespace munja::ops {
namespace {

enum class Aux { kNone, kInputOfBackward, kOfBoth };

struct BidirectionalTest {
  TestNode node;
  std::vector<float> forward, backward;  // Outputs by the formula.
};

LstmTestState Zero(const LstmTestCase& c) {
  LstmTestState state;
  state.output.resize(static_cast<size_t>(c.batch * c.outputs));
  state.cell.resize(static_cast<size_t>(c.batch * c.units));
  return state;
}

BidirectionalTest MakeTest(const LstmTestCase& c, Aux aux, bool merges) {
  constexpr int kAuxInputs = 5;  // As many as the input has.
  const int aux_weights = aux == Aux::kOfBoth ? kAuxInputs : 0;
  const LstmTestWeights fw(c, 1, aux_weights), bw(c, 101, aux_weights);
  const auto rows = static_cast<size_t>(c.steps * c.batch);
  const std::vector<float> x =
      RandomFloats(rows * static_cast<size_t>(c.inputs), 7);
  const std::vector<float> a = RandomFloats(rows * kAuxInputs, 8);
  BidirectionalTest test;
  LstmTestState state = Zero(c);
  test.forward = LstmByFormula(c, fw, x, false, &state, a);
  state = Zero(c);
  test.backward = LstmByFormula(c, bw, aux == Aux::kInputOfBackward ? a : x,
                                true, &state, a);
  TestNode& node = test.node;
  node.op = "BIDIRECTIONAL_SEQUENCE_LSTM";
  node.attributes = Options({{"fused_activation_function", "TANH"},
                             {"merge_outputs", merges},
                             {"time_major", c.is_time_major}});
  const auto sequence = [&](int last, const std::vector<float>& values) {
    return Floats(c.is_time_major ? Shape{c.steps, c.batch, last}
                                  : Shape{c.batch, c.steps, last},
                  values);
  };
  node.inputs.push_back(sequence(c.inputs, x));
  AppendLstmWeights(c, fw, FloatWeights, &node.inputs);
  AppendLstmWeights(c, bw, FloatWeights, &node.inputs);
  for (int direction = 0; direction < 2; ++direction) {
    for (const int n : {c.outputs, c.units}) {
      const std::vector<float> zeros(static_cast<size_t>(c.batch * n));
      node.inputs.push_back(Floats(Shape{c.batch, n}, zeros).Variable());
    }
  }
  node.inputs.push_back(aux == Aux::kNone ? Absent() : sequence(kAuxInputs, a));
  for (const LstmTestWeights* w : {&fw, &bw}) {
    for (int g = 0; g < 4; ++g) {
      node.inputs.push_back(
          aux_weights > 0 && (g > 0 || !c.is_coupled)
              ? FloatWeights(Shape{c.units, kAuxInputs}, w->aux[g])
              : Absent());
    }
  }
  node.outputs.resize(merges ? 1 : 2);
  return test;
}

TEST(BidirectionalLstm, BothDirections_FollowTheFormula) {
  for (const Aux aux : {Aux::kNone, Aux::kInputOfBackward, Aux::kOfBoth}) {
    for (const bool is_time_major : {false, true}) {
      LstmTestCase c;
      c.is_time_major = is_time_major;
      c.has_peephole = c.has_projection = true;
      c.outputs = 3;
      c.is_coupled = aux == Aux::kOfBoth;
      const BidirectionalTest test = MakeTest(c, aux, false);
      const Shape out = is_time_major ? Shape{3, 2, 3} : Shape{2, 3, 3};
      ExpectOutputs<float>(test.node, {out, out}, {test.forward, test.backward},
                           2e-5);
    }
  }
}

TEST(BidirectionalLstm, Outputs_AreMergedSideBySide) {
  const LstmTestCase c;
  const BidirectionalTest test = MakeTest(c, Aux::kNone, true);
  std::vector<float> merged;
  for (int row = 0; row < c.steps * c.batch; ++row) {
    for (const auto* side : {&test.forward, &test.backward})
      merged.insert(merged.end(), side->begin() + row * 4,
                    side->begin() + row * 4 + 4);
  }
  ExpectOutput<float>(test.node, Shape{2, 3, 8}, merged, 2e-5);
}

TEST(BidirectionalLstm, InvalidNodes_AreRefused) {
  const TestNode good = MakeTest({}, Aux::kOfBoth, false).node;
  ASSERT_TRUE(RunNode(good).ok());
  TestNode bad = good;
  bad.inputs[46] = Absent();
  ExpectRefused(bad, Code::kMalformed, "auxiliary weights");
  bad = good;
  for (int i = 44; i < 48; ++i) bad.inputs[static_cast<size_t>(i)] = Absent();
  ExpectRefused(bad, Code::kMalformed, "in one direction only");
  bad = good;
  bad.inputs[39] = Absent();
  ExpectRefused(bad, Code::kMalformed, "no auxiliary input");
  bad = good;
  bad.inputs[39].shape = Shape{3, 2, 5};
  ExpectRefused(bad, Code::kMalformed, "auxiliary input has shape 3x2x5");
  bad = good;
  bad.inputs[37].is_variable = false;
  ExpectRefused(bad, Code::kMalformed, "not a variable");
  bad = good;
  bad.outputs.resize(1);
  ExpectRefused(bad, Code::kMalformed, "1 outputs, wants 48 and 2");
  bad = good;
  bad.inputs[0].shape = Shape{6, 5};
  ExpectRefused(bad, Code::kMalformed, "three dimensions");
}

}  // namespace
}  // namespace munja::ops
