// LSTM.
#include <cmath>
#include <vector>

#include "base/control.h"
#include "import/reference/loops.h"

namespace munja::importer::reference {
namespace {

double Sigmoid(double v) { return 1 / (1 + std::exp(-v)); }

}  // namespace

Status RunLstm(const Node& node, Inputs in, Outputs* out) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t reverse,
                         node.attributes.Int("reverse", 0));
  const Tensor &x = *in[0], &w = *in[1], &r = *in[2];
  const float* bias =
      in.size() > 3 && in[3] != nullptr ? in[3]->floats.data() : nullptr;
  Tensor& y = (*out)[0];
  const int64_t steps = x.shape[0], batch = x.shape[1], size = x.shape[2];
  const int64_t directions = w.shape[0], hidden = r.shape[2];
  std::vector<double> gates(4 * hidden), h, cell;
  for (int64_t d = 0; d < directions; ++d) {
    const bool backward = d == 1 || reverse != 0;
    for (int64_t b = 0; b < batch; ++b) {
      h.assign(hidden, 0.0);
      cell.assign(hidden, 0.0);
      for (int64_t step = 0; step < steps && !IsStopped(); ++step) {
        const int64_t t = backward ? steps - 1 - step : step;
        const float* row = x.floats.data() + (t * batch + b) * size;
        for (int64_t g = 0; g < 4 * hidden; ++g) {
          double sum = 0;
          if (bias != nullptr)
            sum = static_cast<double>(bias[d * 8 * hidden + g]) +
                  bias[(d * 8 + 4) * hidden + g];
          const float* wg = w.floats.data() + (d * 4 * hidden + g) * size;
          for (int64_t i = 0; i < size; ++i)
            sum += static_cast<double>(wg[i]) * row[i];
          const float* rg = r.floats.data() + (d * 4 * hidden + g) * hidden;
          for (int64_t i = 0; i < hidden; ++i)
            sum += static_cast<double>(rg[i]) * h[i];
          gates[g] = sum;
        }
        float* to = y.floats.data() + (t * batch + b) * directions * hidden +
                    d * hidden;
        for (int64_t i = 0; i < hidden; ++i) {
          // Input, output, forget gate, new content.
          cell[i] = Sigmoid(gates[2 * hidden + i]) * cell[i] +
                    Sigmoid(gates[i]) * std::tanh(gates[3 * hidden + i]);
          h[i] = Sigmoid(gates[hidden + i]) * std::tanh(cell[i]);
          to[i] = static_cast<float>(h[i]);
        }
      }
    }
  }
  return {};
}

}  // namespace munja::importer::reference
