#include "document/reliability.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace munja::document {
namespace {

// Networks say 0 and 1 by rounding; the logarithms end before.
constexpr double kLeast = 1e-6;
constexpr int kMostSteps = 100;

double LogOdds(double confidence) {
  const double p = std::clamp(confidence, kLeast, 1 - kLeast);
  return std::log(p / (1 - p));
}

}  // namespace

void Reliability::Add(double confidence, bool is_right) {
  // NaN is no confidence at all.
  said_.emplace_back(confidence > 0 ? std::min(confidence, 1.0) : 0, is_right);
}

std::array<Reliability::Bin, 10> Reliability::Bins() const {
  std::array<Bin, 10> bins;
  for (const auto& [confidence, is_right] : said_) {
    Bin& bin =
        bins[std::min(bins.size() - 1, static_cast<size_t>(confidence * 10))];
    ++bin.lines;
    bin.right += is_right;
    bin.said += confidence;
  }
  return bins;
}

double Reliability::Error() const {
  double distance = 0;
  for (const Bin& bin : Bins())
    distance += std::abs(bin.said - static_cast<double>(bin.right));
  return said_.empty() ? 0 : distance / static_cast<double>(said_.size());
}

std::optional<Reliability::Logistic> Reliability::Fit() const {
  const auto right = static_cast<double>(
      std::count_if(said_.begin(), said_.end(),
                    [](const auto& line) { return line.second; }));
  const double wrong = static_cast<double>(said_.size()) - right;
  if (right == 0 || wrong == 0) return std::nullopt;
  const double target_right = (right + 1) / (right + 2);
  const double target_wrong = 1 / (wrong + 2);
  // Newton's method on the logarithm of the probability, which has one
  // maximum; from the share of right lines, whatever they say.
  Logistic f{0, std::log((right + 1) / (wrong + 1))};
  for (int step = 0; step < kMostSteps; ++step) {
    double g_slope = 0, g_offset = 0, h_ss = 1e-9, h_so = 0, h_oo = 1e-9;
    for (const auto& [confidence, is_right] : said_) {
      const double x = LogOdds(confidence);
      const double p = 1 / (1 + std::exp(-(f.slope * x + f.offset)));
      const double miss = (is_right ? target_right : target_wrong) - p;
      const double weight = p * (1 - p);
      g_slope += miss * x;
      g_offset += miss;
      h_ss += weight * x * x;
      h_so += weight * x;
      h_oo += weight;
    }
    const double determinant = h_ss * h_oo - h_so * h_so;
    const double slope = (h_oo * g_slope - h_so * g_offset) / determinant;
    const double offset = (h_ss * g_offset - h_so * g_slope) / determinant;
    if (!std::isfinite(slope) || !std::isfinite(offset)) return std::nullopt;
    // Far from the maximum a whole step may go past it.
    const double scale =
        std::min(1.0, 2 / std::max(std::abs(slope), std::abs(offset)));
    f.slope += scale * slope;
    f.offset += scale * offset;
    if (std::max(std::abs(slope), std::abs(offset)) < 1e-9) break;
  }
  if (f.slope <= 0) return std::nullopt;
  return f;
}

}  // namespace munja::document
