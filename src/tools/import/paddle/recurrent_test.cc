// Paddle's rnn operator against the recurrence written out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "import/paddle/testing.h"

namespace munja::importer::paddle {
namespace {

double Sigmoid(double v) { return 1 / (1 + std::exp(-v)); }

// Weight k of a list of four: input, forget, content, output gate.
std::vector<float> Gates(float first) {
  return {first, first + 0.25f, first - 0.5f, first + 0.75f};
}

class Network : public ProgramFile {
 public:
  explicit Network(bool both) : ProgramFile({2, 1, 1}) {
    const int cells = both ? 4 : 2;  // Two layers.
    Vars inputs = {{"Input", "x"}, {"PreState", "h"}, {"PreState", "c"}};
    // Weights of all cells come first, then their biases.
    for (int i = 0; i < 4 * cells; ++i) {
      const std::string name = "w" + std::to_string(i);
      const bool second = i < 2 * cells && i % 2 == 0 && i / 2 >= cells / 2;
      const int64_t width = both && second ? 2 : 1;
      std::vector<float> values;
      for (const float v : Gates(0.1f * static_cast<float>(i)))
        values.insert(values.end(), width, v);
      if (i < 2 * cells)
        Parameter(name, {4, width}, std::move(values));
      else
        Parameter(name, {4}, std::move(values));
      inputs.emplace_back("WeightList", name);
    }
    const int directions = both ? 2 : 1;
    for (const char* state : {"h", "c"})
      Op("fill_constant_batch_size_like", {{"Input", "x"}}, {{"Out", state}},
         {IntsAttr("shape", {2 * directions, -1, 1}), FloatAttr("value", 0),
          IntAttr("input_dim_idx", 1), IntAttr("output_dim_idx", 1),
          IntAttr("dtype", 5)});
    Op("rnn", inputs, {{"Out", "y"}},
       {TextAttr("mode", "LSTM"), BoolAttr("is_bidirec", both),
        IntAttr("num_layers", 2), IntAttr("hidden_size", 1),
        BoolAttr("is_test", true)});
    Fetch("y");
  }
};

// The expected result by definition.
std::vector<float> Expected(bool both, std::vector<double> x) {
  const int directions = both ? 2 : 1, cells = 2 * directions;
  std::vector<std::vector<double>> rows = {{x[0]}, {x[1]}};
  for (int layer = 0; layer < 2; ++layer) {
    std::vector<std::vector<double>> out(2, std::vector<double>(directions));
    for (int d = 0; d < directions; ++d) {
      const int cell = layer * directions + d;
      double h = 0, c = 0;
      for (int step = 0; step < 2; ++step) {
        const int t = d == 0 ? step : 1 - step;
        double input = 0;
        for (const double v : rows[t]) input += v;
        const auto gate = [&](int g) {
          const auto weight = [&](int i) {
            return static_cast<double>(Gates(0.1f * static_cast<float>(i))[g]);
          };
          return weight(2 * cell) * input + weight(2 * cell + 1) * h +
                 weight(2 * cells + 2 * cell) +
                 weight(2 * cells + 2 * cell + 1);
        };
        c = Sigmoid(gate(1)) * c + Sigmoid(gate(0)) * std::tanh(gate(2));
        h = Sigmoid(gate(3)) * std::tanh(c);
        out[t][d] = h;
      }
    }
    rows = out;
  }
  std::vector<float> y;
  for (const auto& row : rows)
    for (const double v : row) y.push_back(static_cast<float>(v));
  return y;
}

TEST(PaddleRecurrent, TwoLayersBidirectional_MatchDefinition) {
  for (const bool both : {false, true}) {
    SCOPED_TRACE(both);
    Dims shape;
    const std::vector<float> y =
        Network(both).Run({2, 1, 1}, {0.5f, -0.25f}, &shape);
    EXPECT_EQ(shape, (Dims{2, 1, both ? 2 : 1}));
    EXPECT_THAT(y, ::testing::Pointwise(::testing::FloatNear(1e-6f),
                                        Expected(both, {0.5, -0.25})));
  }
}

TEST(PaddleRecurrent, OtherCellsAndWrongWeights_AreRefused) {
  Network gru(false);
  gru.block().mutable_ops(3)->mutable_attrs(0)->set_s("GRU");
  EXPECT_EQ(gru.Import().status().code(), Code::kUnsupported);
  Network wide(false);
  wide.block().mutable_ops(3)->mutable_attrs(3)->set_i(2);
  EXPECT_EQ(wide.Import().status().code(), Code::kMalformed);
}

}  // namespace
}  // namespace munja::importer::paddle
