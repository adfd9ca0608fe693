// For tests: LSTM nodes with random weights, and what they compute by the
// formulas, in double precision. Not part of the library.
#ifndef MUNJA_OPS_SUPPORT_RNN_LSTM_TESTING_H_
#define MUNJA_OPS_SUPPORT_RNN_LSTM_TESTING_H_

#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/testing.h"

namespace munja::ops {

struct LstmTestCase {
  int steps = 3, batch = 2, inputs = 5, units = 4, outputs = 4;
  bool is_coupled = false, has_peephole = false, has_projection = false;
  bool has_norm = false, is_time_major = false;
  float cell_clip = 0.0f, projection_clip = 0.0f;
};

// Weights of one direction; gates in the order input, forget, cell, output.
struct LstmTestWeights {
  std::vector<float> weights[4], recurrent[4], peephole[4], bias[4], norm[4];
  std::vector<float> aux[4];
  std::vector<float> projection, projection_bias;
  int aux_inputs = 0;

  LstmTestWeights(const LstmTestCase& c, uint32_t seed, int aux_count = 0)
      : aux_inputs(aux_count) {
    // Wide matrices of small numbers: long sequences must not be chaotic.
    const auto fill = [&](std::vector<float>* v, int rows, int columns = 1) {
      *v = RandomFloats(static_cast<size_t>(rows * columns), seed++);
      for (float& x : *v)
        x *= std::min(1.0f, 6.0f / static_cast<float>(columns));
    };
    for (int g = 0; g < 4; ++g) {
      fill(&weights[g], c.units, c.inputs);
      fill(&recurrent[g], c.units, c.outputs);
      fill(&peephole[g], c.units);
      fill(&bias[g], c.units);
      fill(&norm[g], c.units);
      fill(&aux[g], c.units, aux_count);
    }
    fill(&projection, c.outputs, c.units);
    fill(&projection_bias, c.outputs);
  }
};

struct LstmTestState {
  std::vector<double> output, cell;  // [batch, outputs], [batch, units]
};

// Row (step, batch) of a sequence of rows.
inline size_t RowAt(const LstmTestCase& c, int step, int b) {
  return static_cast<size_t>(c.is_time_major ? step * c.batch + b
                                             : b * c.steps + step);
}

// Outputs as the input lies, [.., .., outputs]; the state goes on.
inline std::vector<float> LstmByFormula(const LstmTestCase& c,
                                        const LstmTestWeights& w,
                                        const std::vector<float>& input,
                                        bool is_backward, LstmTestState* state,
                                        const std::vector<float>& aux = {}) {
  const auto sigmoid = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
  const auto clip = [](double x, float bound) {
    return bound > 0.0f ? std::clamp<double>(x, -bound, bound) : x;
  };
  std::vector<float> out(static_cast<size_t>(c.steps * c.batch * c.outputs));
  for (int k = 0; k < c.steps; ++k) {
    const int step = is_backward ? c.steps - 1 - k : k;
    for (int b = 0; b < c.batch; ++b) {
      const size_t row = RowAt(c, step, b);
      double* h = state->output.data() + b * c.outputs;
      double* cell = state->cell.data() + b * c.units;
      const auto gate = [&](int g) {
        std::vector<double> sums;
        for (int u = 0; u < c.units; ++u) {
          double sum = c.has_norm ? 0.0 : w.bias[g][u];
          for (int i = 0; i < c.inputs; ++i)
            sum += static_cast<double>(w.weights[g][u * c.inputs + i]) *
                   input[row * c.inputs + i];
          for (int i = 0; i < w.aux_inputs; ++i)
            sum += static_cast<double>(w.aux[g][u * w.aux_inputs + i]) *
                   aux[row * w.aux_inputs + i];
          for (int o = 0; o < c.outputs; ++o)
            sum +=
                static_cast<double>(w.recurrent[g][u * c.outputs + o]) * h[o];
          if (c.has_peephole && g != 2) sum += w.peephole[g][u] * cell[u];
          sums.push_back(sum);
        }
        if (!c.has_norm) return sums;
        double mean = 0.0, variance = 0.0;
        for (const double s : sums) mean += s / c.units;
        for (const double s : sums) variance += (s - mean) * (s - mean);
        variance /= c.units;
        for (int u = 0; u < c.units; ++u)
          sums[u] =
              (sums[u] - mean) / std::sqrt(variance + 1e-8) * w.norm[g][u] +
              w.bias[g][u];
        return sums;
      };
      const std::vector<double> in = gate(0), forget = gate(1), next = gate(2);
      for (int u = 0; u < c.units; ++u) {
        const double f = sigmoid(forget[u]);
        const double i = c.is_coupled ? 1.0 - f : sigmoid(in[u]);
        cell[u] = clip(f * cell[u] + i * std::tanh(next[u]), c.cell_clip);
      }
      std::vector<double> hidden = gate(3);
      for (int u = 0; u < c.units; ++u)
        hidden[u] = sigmoid(hidden[u]) * std::tanh(cell[u]);
      for (int o = 0; o < c.outputs; ++o) {
        double value = hidden[static_cast<size_t>(std::min(o, c.units - 1))];
        if (c.has_projection) {
          value = w.projection_bias[o];
          for (int u = 0; u < c.units; ++u)
            value += w.projection[o * c.units + u] * hidden[u];
          value = clip(value, c.projection_clip);
        }
        h[o] = value;
        out[row * c.outputs + o] = static_cast<float>(value);
      }
    }
  }
  return out;
}

// A tensor for weights, from [rows, columns] or [rows] floats.
using LstmTensorMaker = TestTensor (*)(Shape shape, const std::vector<float>&);

inline TestTensor FloatWeights(Shape shape, const std::vector<float>& values) {
  return Floats(shape, values).Constant();
}
inline TestTensor FloatWeightsOfTheRun(Shape shape,
                                       const std::vector<float>& values) {
  return Floats(shape, values);
}
// int8 with scale 1/127, and the floats that it stands for.
inline std::vector<float> RoundedTo8Bits(const std::vector<float>& values) {
  std::vector<float> rounded;
  for (const float v : values) rounded.push_back(std::round(v * 127) / 127);
  return rounded;
}
inline TestTensor ByteWeights(Shape shape, const std::vector<float>& values) {
  std::vector<int8_t> bytes;
  for (const float v : values)
    bytes.push_back(static_cast<int8_t>(std::round(v * 127)));
  return MakeTensor(ElementType::kInt8, shape, bytes)
      .With({{1.0f / 127}, {0}, 0})
      .Constant();
}

// Appends inputs 1 to 17 of LSTM in the order of the schema.
inline void AppendLstmWeights(const LstmTestCase& c, const LstmTestWeights& w,
                              LstmTensorMaker matrix,
                              std::vector<TestTensor>* inputs) {
  const auto optional = [&](bool exists, TestTensor t) {
    inputs->push_back(exists ? std::move(t) : Absent());
  };
  for (int g = 0; g < 4; ++g)
    optional(g > 0 || !c.is_coupled,
             matrix(Shape{c.units, c.inputs}, w.weights[g]));
  for (int g = 0; g < 4; ++g)
    optional(g > 0 || !c.is_coupled,
             matrix(Shape{c.units, c.outputs}, w.recurrent[g]));
  for (const int g : {0, 1, 3})
    optional(c.has_peephole && (g > 0 || !c.is_coupled),
             FloatWeights(Shape{c.units}, w.peephole[g]));
  for (int g = 0; g < 4; ++g)
    optional(g > 0 || !c.is_coupled, FloatWeights(Shape{c.units}, w.bias[g]));
  optional(c.has_projection, matrix(Shape{c.outputs, c.units}, w.projection));
  optional(c.has_projection, FloatWeights(Shape{c.outputs}, w.projection_bias));
}

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_RNN_LSTM_TESTING_H_
