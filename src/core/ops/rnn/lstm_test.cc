#include <gtest/gtest.h>

#include "ops/expect.h"
#include "ops/support/rnn/lstm_testing.h"

namespace munja::ops {
namespace {

std::vector<float> AsFloats(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

struct LstmTest {
  TestNode node;
  std::vector<float> input, output;
  LstmTestState before, after;
};

LstmTest MakeTest(const LstmTestCase& c, const LstmTestWeights& w,
                  LstmTensorMaker matrix, bool is_sequence) {
  LstmTest test;
  const auto steps = static_cast<size_t>(c.steps);
  const auto batch = static_cast<size_t>(c.batch);
  test.input = RandomFloats(steps * batch * static_cast<size_t>(c.inputs), 77);
  const auto outputs = batch * static_cast<size_t>(c.outputs);
  const auto cells = batch * static_cast<size_t>(c.units);
  const std::vector<float> h = RandomFloats(outputs, 78);
  const std::vector<float> cell = RandomFloats(cells, 79);
  test.before = {{h.begin(), h.end()}, {cell.begin(), cell.end()}};
  test.after = test.before;
  test.output = LstmByFormula(c, w, test.input, false, &test.after);
  TestNode& node = test.node;
  node.op = is_sequence ? "UNIDIRECTIONAL_SEQUENCE_LSTM" : "LSTM";
  node.attributes = Options({{"fused_activation_function", "TANH"},
                             {"cell_clip", double{c.cell_clip}},
                             {"proj_clip", double{c.projection_clip}},
                             {"time_major", c.is_time_major}});
  Shape in{c.batch, c.inputs};
  if (is_sequence) {
    in = c.is_time_major ? Shape{c.steps, c.batch, c.inputs}
                         : Shape{c.batch, c.steps, c.inputs};
  }
  node.inputs.push_back(Floats(in, test.input));
  AppendLstmWeights(c, w, matrix, &node.inputs);
  node.inputs.push_back(Floats(Shape{c.batch, c.outputs}, h).Variable());
  node.inputs.push_back(Floats(Shape{c.batch, c.units}, cell).Variable());
  for (int g = 0; g < 4; ++g) {
    node.inputs.push_back(c.has_norm && (g > 0 || !c.is_coupled)
                              ? FloatWeights(Shape{c.units}, w.norm[g])
                              : Absent());
  }
  return test;
}

void ExpectClose(const std::vector<float>& got, const std::vector<float>& want,
                 double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], want[i], tolerance) << "at " << i;
}

// Outputs and both states, in every way to run.
void ExpectFormula(const LstmTestCase& c, LstmTensorMaker matrix,
                   bool is_sequence, double tolerance) {
  LstmTestWeights w(c, 1);
  if (matrix == ByteWeights) {
    for (int g = 0; g < 4; ++g) {
      w.weights[g] = RoundedTo8Bits(w.weights[g]);
      w.recurrent[g] = RoundedTo8Bits(w.recurrent[g]);
    }
    w.projection = RoundedTo8Bits(w.projection);
  }
  const LstmTest test = MakeTest(c, w, matrix, is_sequence);
  for (TestOptions way : AllWaysToRun()) {
    SCOPED_TRACE(Describe(test.node, way));
    std::vector<TestTensor> inputs;
    way.inputs_after = &inputs;
    const auto result = RunNode(test.node, way);
    ASSERT_TRUE(result.ok()) << result.status().message();
    Shape shape = test.node.inputs[0].shape;
    shape[shape.rank() - 1] = c.outputs;
    EXPECT_EQ((*result)[0].shape, shape);
    ExpectClose((*result)[0].values<float>(), test.output, tolerance);
    ExpectClose(inputs[18].values<float>(), AsFloats(test.after.output),
                tolerance);
    ExpectClose(inputs[19].values<float>(), AsFloats(test.after.cell),
                tolerance);
  }
}

// Bits: coupled, peephole, projection, normalization, clips.
LstmTestCase CaseOf(int bits) {
  LstmTestCase c;
  c.is_coupled = bits & 1;
  c.has_peephole = bits & 2;
  c.has_projection = bits & 4;
  if (c.has_projection) c.outputs = 3;
  c.has_norm = bits & 8;
  if (bits & 16) {
    c.cell_clip = 0.4f;
    c.projection_clip = 0.3f;
  }
  return c;
}

TEST(Lstm, AllVariants_FollowTheFormula) {
  for (int bits = 0; bits < 32; ++bits) {
    SCOPED_TRACE(bits);
    LstmTestCase c = CaseOf(bits);
    ExpectFormula(c, FloatWeights, true, 2e-5);
    c.is_time_major = true;
    ExpectFormula(c, FloatWeights, true, 2e-5);
    c.steps = 1;
    ExpectFormula(c, FloatWeights, false, 2e-5);
  }
}

TEST(Lstm, DynamicWeights_FollowTheFormula) {
  for (const int bits : {0, 15}) {
    ExpectFormula(CaseOf(bits), FloatWeightsOfTheRun, true, 2e-5);
  }
}

TEST(Lstm, Int8Weights_AreCloseToTheFormula) {
  for (const int bits : {0, 3, 4, 23}) {
    SCOPED_TRACE(bits);
    LstmTestCase c = CaseOf(bits);
    ExpectFormula(c, ByteWeights, true, 0.02);
    c.is_time_major = true;
    ExpectFormula(c, ByteWeights, true, 0.02);
  }
}

int64_t MultipliesOf(const TestNode& test) {
  graph::Graph graph;
  graph::Subgraph& sub = graph.subgraphs.emplace_back();
  graph::Node node;
  node.op = test.op;
  node.attributes = test.attributes;
  std::vector<TensorView> inputs;
  for (const TestTensor& t : test.inputs) {
    inputs.push_back({t.type, t.shape, nullptr, t.bytes.size(), nullptr});
    graph::Value value;
    value.type = t.type;
    value.shape = t.shape;
    if (t.is_constant) value.constant = graph::MakeConstant(t.bytes);
    value.is_variable = t.is_variable;
    node.inputs.push_back(t.is_absent ? graph::kNoValue
                                      : sub.AddValue(std::move(value)));
  }
  node.outputs.push_back(sub.AddValue(graph::Value()));
  sub.nodes.push_back(std::move(node));
  const auto kernel = FindOp(test.op)->make(
      NodeInfo(graph.main(), graph.main().nodes[0], MakeOptions()));
  EXPECT_TRUE(kernel.ok()) << kernel.status().message();
  return kernel.ok() ? (*kernel)->MultiplyAccumulates(inputs, {}) : -1;
}

// Numbers by hand: 6 rows (3 steps of 2) of units x (inputs + outputs) a gate,
// and outputs x units for the projection.
TEST(Lstm, Multiplies_AreThoseOfAllMatrices) {
  const auto multiplies = [](int bits) {
    const LstmTestCase c = CaseOf(bits);
    return MultipliesOf(
        MakeTest(c, LstmTestWeights(c, 1), FloatWeights, true).node);
  };
  EXPECT_EQ(multiplies(0), 6 * 4 * 4 * (5 + 4));
  EXPECT_EQ(multiplies(1), 6 * 3 * 4 * (5 + 4));  // Coupled.
  EXPECT_EQ(multiplies(4), 6 * (4 * 4 * (5 + 3) + 3 * 4));
}

TEST(Lstm, LongSequences_AreComputedInParts) {
  LstmTestCase c;
  c.steps = 700;
  c.batch = 3;
  c.inputs = 4;
  c.units = c.outputs = 40;
  ExpectFormula(c, FloatWeights, true, 1e-4);
}

// A diagonal matrix and its diagonal alone are the same.
TEST(Lstm, DiagonalRecurrentWeights_FollowTheFormula) {
  for (const bool is_coupled : {false, true}) {
    LstmTestCase c;
    c.is_coupled = is_coupled;
    LstmTestWeights w(c, 1);
    std::vector<float> diagonals[4];
    for (int g = 0; g < 4; ++g) {
      for (int i = 0; i < c.units * c.units; ++i) {
        float& weight = w.recurrent[g][i];
        if (i % (c.units + 1) == 0) {
          diagonals[g].push_back(weight);
        } else {
          weight = 0.0f;
        }
      }
    }
    LstmTest test = MakeTest(c, w, FloatWeights, true);
    test.node.attributes.Set("diagonal_recurrent_tensors", true);
    for (size_t g = is_coupled ? 1 : 0; g < 4; ++g)
      test.node.inputs[5 + g] = FloatWeights(Shape{c.units}, diagonals[g]);
    ExpectOutput<float>(test.node, Shape{c.batch, c.steps, c.units},
                        test.output, 2e-5);
    test.node.inputs[6] = FloatWeights(Shape{3}, Count(3));
    ExpectRefused(test.node, Code::kMalformed,
                  "recurrent weights of the forget gate has shape 3");
  }
}

TEST(Lstm, EmptySequences_DoNothing) {
  LstmTestCase c;
  c.steps = 0;
  ExpectFormula(c, FloatWeights, true, 0.0);
}

TEST(Lstm, InvalidNodes_AreRefused) {
  const LstmTestCase c;
  const LstmTestWeights w(c, 1);
  const TestNode good = MakeTest(c, w, FloatWeights, true).node;
  ASSERT_TRUE(RunNode(good).ok());
  const auto refuse = [&](auto change, Code code, std::string_view text) {
    TestNode bad = good;
    change(bad);
    ExpectRefused(bad, code, text);
  };
  refuse([](TestNode& n) { n.inputs[18].is_variable = false; },
         Code::kMalformed, "output state is not a variable");
  refuse([](TestNode& n) { n.inputs[19] = Absent(); }, Code::kMalformed,
         "no cell state");
  refuse([](TestNode& n) { n.inputs[1] = Absent(); }, Code::kMalformed,
         "but no such gate");
  refuse([](TestNode& n) { n.inputs[6] = Absent(); }, Code::kMalformed,
         "no recurrent weights of the forget gate");
  refuse([](TestNode& n) { n.inputs[14] = Absent(); }, Code::kMalformed,
         "no bias of the cell gate");
  refuse([](TestNode& n) { n.inputs[17] = Floats(Shape{4}, Count(4)); },
         Code::kMalformed, "no projection");
  refuse([](TestNode& n) { n.inputs[10] = Floats(Shape{4}, Count(4)); },
         Code::kMalformed, "peephole weights of the input gate");
  refuse(
      [](TestNode& n) {
        n.inputs[3].shape = Shape{5, 4};
      },
      Code::kMalformed, "weights have shape 5x4");
  refuse(
      [](TestNode& n) {
        n.inputs[13].shape = Shape{2, 1};
      },
      Code::kMalformed, "bias of the forget gate has shape 2x1");
  refuse(
      [](TestNode& n) {
        n.inputs[18].shape = Shape{1, 4};
      },
      Code::kMalformed, "output state has shape 1x4");
  refuse(
      [](TestNode& n) {
        n.inputs[0].shape = Shape{6, 5};
      },
      Code::kMalformed, "three dimensions");
  refuse(
      [](TestNode& n) {
        n.inputs[0].shape = Shape{2, 5, 3};
      },
      Code::kMalformed, "the weights want rows of 5");
  refuse([](TestNode& n) { n.attributes.Set("cell_clip", -1.0); },
         Code::kMalformed, "cell_clip");
  refuse(
      [](TestNode& n) { n.attributes.Set("diagonal_recurrent_tensors", true); },
      Code::kMalformed, "want units x inputs, units");
  refuse([](TestNode& n) { n.inputs[0].type = ElementType::kInt16; },
         Code::kUnsupported, "int16 with weights of float32");
  refuse([](TestNode& n) { n.inputs[12].type = ElementType::kInt32; },
         Code::kUnsupported, "bias of the input gate of type int32");
  refuse([](TestNode& n) { n.inputs.resize(18); }, Code::kMalformed,
         "18 inputs");
}

}  // namespace
}  // namespace munja::ops
