// Compares the integer LSTM with the formulas on dequantized values, and checks
// what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ops/expect.h"
#include "ops/support/rnn/lstm_testing.h"

namespace munja::ops {
namespace {

constexpr float kInputScale = 1.0f / 64, kOutputScale = 1.0f / 100;
constexpr float kHiddenScale = 1.0f / 120, kCellScale = 0x1p-12f;
constexpr int kInputZero = 5, kOutputZero = -9, kHiddenZero = 4;
constexpr float kBiasScale = 1e-5f;

std::vector<float> Rounded(std::vector<float> values, float scale, float zero,
                           float low, float high) {
  for (float& v : values)
    v = (std::clamp(std::round(v / scale) + zero, low, high) - zero) * scale;
  return values;
}

template <class T>
TestTensor Stored(ElementType type, Shape shape,
                  const std::vector<float>& values, float scale, int zero) {
  std::vector<T> stored;
  for (const float v : values)
    stored.push_back(static_cast<T>(std::lround(v / scale) + zero));
  return MakeTensor(type, shape, stored).With({{scale}, {zero}, 0});
}

TestTensor Bytes(Shape shape, const std::vector<float>& values, float scale,
                 int zero) {
  return Stored<int8_t>(ElementType::kInt8, shape, values, scale, zero);
}

struct IntegerTest {
  TestNode node;
  std::vector<float> output;
};

// The hidden zero point counts where there is a projection; elsewhere hidden
// and output are the same tensor.
IntegerTest MakeTest(const LstmTestCase& c, bool is_sequence = true) {
  LstmTestWeights w(c, 1);
  const float bias_scale =
      c.has_norm ? 0x1p-10f / 2000
                 : kBiasScale;  // Bias scale of the normalization.
  for (int g = 0; g < 4; ++g) {
    w.weights[g] = RoundedTo8Bits(w.weights[g]);
    w.recurrent[g] = RoundedTo8Bits(w.recurrent[g]);
    w.peephole[g] = Rounded(w.peephole[g], 1.0f / 2000, 0, -32767, 32767);
    w.norm[g] = Rounded(w.norm[g], 1.0f / 2000, 0, -32767, 32767);
    w.bias[g] = Rounded(w.bias[g], bias_scale, 0, -1e9f, 1e9f);
  }
  w.projection = RoundedTo8Bits(w.projection);
  w.projection_bias = Rounded(w.projection_bias, kBiasScale, 0, -1e9f, 1e9f);
  IntegerTest test;
  const auto rows = static_cast<size_t>(c.steps * c.batch);
  const std::vector<float> x =
      Rounded(RandomFloats(rows * static_cast<size_t>(c.inputs), 7),
              kInputScale, kInputZero, -128, 127);
  const std::vector<float> h(static_cast<size_t>(c.batch * c.outputs));
  const std::vector<float> cell(static_cast<size_t>(c.batch * c.units));
  LstmTestState state{{h.begin(), h.end()}, {cell.begin(), cell.end()}};
  test.output = LstmByFormula(c, w, x, false, &state);
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
  node.inputs.push_back(Bytes(in, x, kInputScale, kInputZero));
  AppendLstmWeights(c, w, ByteWeights, &node.inputs);
  const auto replace = [&](size_t i, auto make) {
    if (!node.inputs[i].is_absent)
      node.inputs[i] = make(node.inputs[i].values<float>()).Constant();
  };
  for (size_t i = 9; i < 12; ++i)
    replace(i, [&](const std::vector<float>& v) {
      return Stored<int16_t>(ElementType::kInt16, Shape{c.units}, v,
                             1.0f / 2000, 0);
    });
  for (const size_t i : {size_t{12}, size_t{13}, size_t{14}, size_t{15}}) {
    replace(i, [&](const std::vector<float>& v) {
      // The scale of the sums where there is no normalization.
      const float scale = c.has_norm ? bias_scale : kInputScale / 127;
      return Stored<int32_t>(ElementType::kInt32, Shape{c.units}, v, scale, 0);
    });
  }
  replace(17, [&](const std::vector<float>& v) {
    return Stored<int32_t>(ElementType::kInt32, Shape{c.outputs}, v,
                           kHiddenScale / 127, 0);
  });
  node.inputs.push_back(
      Bytes(Shape{c.batch, c.outputs}, h, kOutputScale, kOutputZero)
          .Variable());
  node.inputs.push_back(Stored<int16_t>(ElementType::kInt16,
                                        Shape{c.batch, c.units}, cell,
                                        kCellScale, 0)
                            .Variable());
  for (int g = 0; g < 4; ++g) {
    node.inputs.push_back(c.has_norm && (g > 0 || !c.is_coupled)
                              ? Stored<int16_t>(ElementType::kInt16,
                                                Shape{c.units}, w.norm[g],
                                                1.0f / 2000, 0)
                                    .Constant()
                              : Absent());
  }
  node.outputs = {{ElementType::kInt8, {{kOutputScale}, {kOutputZero}, 0}}};
  for (int g = 0; g < 4; ++g)
    node.intermediates.push_back({ElementType::kInt16, {{0x1p-12f}, {0}, 0}});
  node.intermediates.push_back(
      {ElementType::kInt8,
       c.has_projection ? Quantization{{kHiddenScale}, {kHiddenZero}, 0}
                        : Quantization{{kOutputScale}, {kOutputZero}, 0}});
  return test;
}

void ExpectFormula(const LstmTestCase& c, bool is_sequence, double steps_off) {
  const IntegerTest test = MakeTest(c, is_sequence);
  for (const TestOptions& way : AllWaysToRun()) {
    SCOPED_TRACE(Describe(test.node, way));
    const auto result = RunNode(test.node, way);
    ASSERT_TRUE(result.ok()) << result.status().message();
    const std::vector<int8_t> got = (*result)[0].values<int8_t>();
    ASSERT_EQ(got.size(), test.output.size());
    for (size_t i = 0; i < got.size(); ++i) {
      const float want = std::clamp(test.output[i] / kOutputScale + kOutputZero,
                                    -128.0f, 127.0f);
      ASSERT_NEAR(got[i], want, steps_off) << "at " << i;
    }
  }
}

TEST(IntegerLstm, AllVariants_FollowTheFormula) {
  for (int bits = 0; bits < 32; ++bits) {
    SCOPED_TRACE(bits);
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
    // A clipped projection is clipped as stored, without the zero point.
    if (c.has_projection && c.projection_clip > 0.0f) continue;
    ExpectFormula(c, true, 3.0);
    c.is_time_major = true;
    ExpectFormula(c, true, 3.0);
    c.steps = 1;
    ExpectFormula(c, false, 3.0);
  }
}

TEST(IntegerLstm, InvalidNodes_AreRefused) {
  LstmTestCase c;
  c.has_norm = true;
  const TestNode good = MakeTest(c).node;
  ASSERT_TRUE(RunNode(good).ok());
  TestNode bad = good;
  bad.intermediates.resize(4);
  ExpectRefused(bad, Code::kUnsupported, "4 intermediates");
  bad = good;
  bad.intermediates[2].quantization = {};
  ExpectRefused(bad, Code::kMalformed, "intermediate of the cell gate");
  bad = good;
  bad.inputs[19].quantization.scales[0] = 0.0003f;
  ExpectRefused(bad, Code::kUnsupported, "want a power of two");
  bad = good;
  bad.inputs[19].type = ElementType::kInt8;
  ExpectRefused(bad, Code::kUnsupported, "cell state of type int8");
  bad = good;
  bad.inputs[3].quantization.zero_points[0] = 1;
  ExpectRefused(bad, Code::kMalformed, "zero point 1");
  bad = good;
  bad.inputs[3].quantization = {};
  ExpectRefused(bad, Code::kMalformed, "no scale");
  bad = good;
  bad.inputs[0].quantization = {};
  ExpectRefused(bad, Code::kMalformed, "the input has no scale");
  bad = good;
  bad.inputs[21] = Floats(Shape{c.units}, Count(c.units));
  ExpectRefused(bad, Code::kUnsupported, "normalization of the forget gate");
}

}  // namespace
}  // namespace munja::ops
