// Reliability: whether of lines said to be 90 % sure nine in ten are right.
#ifndef MUNJA_DOCUMENT_RELIABILITY_H_
#define MUNJA_DOCUMENT_RELIABILITY_H_

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace munja::document {

class Reliability {
 public:
  // Lines whose confidence is from a tenth of the whole up to the next one.
  struct Bin {
    int64_t lines = 0, right = 0;
    double said = 0;  // The sum of their confidences.
  };
  // sigmoid(slope x log-odds of the confidence + offset)
  struct Logistic {
    double slope = 1, offset = 0;
  };

  // A confidence in [0, 1], others count as the nearer end.
  void Add(double confidence, bool is_right);

  int64_t lines() const { return static_cast<int64_t>(said_.size()); }
  std::array<Bin, 10> Bins() const;
  // The expected calibration error: the distance between what is said and the
  // share that is right in each bin, in the mean of all lines (C. Guo et al.,
  // "On Calibration of Modern Neural Networks", 2017, equation 3).
  double Error() const;
  // The function of this kind under which the observations are most probable
  // (J. Platt, "Probabilistic Outputs for Support Vector Machines", 1999, with
  // the targets of its section 2.2). None where there are no right lines, or no
  // wrong ones, or where a higher confidence means fewer right lines.
  std::optional<Logistic> Fit() const;

 private:
  std::vector<std::pair<double, bool>> said_;
};

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_RELIABILITY_H_
