#include "train/ctc_loss.h"

#include <algorithm>
#include <cmath>

namespace munja::train {
namespace {

constexpr double kLeast = 1e-7;

// The label with a blank before, between and after its characters: state s
// stands for the blank when s is even, for label[s / 2] when it is odd.
bool MaySkip(std::span<const int32_t> label, size_t s) {
  return s % 2 == 1 && s >= 3 && label[s / 2] != label[s / 2 - 1];
}

// Divides the row by its sum and gives the sum.
double Normalize(double* row, size_t states) {
  double sum = 0;
  for (size_t s = 0; s < states; ++s) sum += row[s];
  if (sum > 0) {
    const double scale = 1 / sum;
    for (size_t s = 0; s < states; ++s) row[s] *= scale;
  }
  return sum;
}

// The class that counts as `cls`; `cls` itself where there is none.
size_t PartnerOf(std::span<const int32_t> partners, size_t cls) {
  return partners.empty() ? cls : static_cast<size_t>(partners[cls]);
}

double Emission(const float* row, std::span<const int32_t> partners,
                size_t cls) {
  const size_t partner = PartnerOf(partners, cls);
  double sum = row[cls];
  if (partner != cls) sum += row[partner];
  return std::max(sum, kLeast);
}

// Takes the occupancy of a class from its gradient, a part of it from its
// partner's: each as much as it gave to their sum.
void TakeOccupancy(float* gradient, const float* row,
                   std::span<const int32_t> partners, size_t cls,
                   float occupancy) {
  const size_t partner = PartnerOf(partners, cls);
  const float sum = row[cls] + row[partner];
  const float part = partner == cls || !(sum > 0) ? 1.0f : row[cls] / sum;
  gradient[cls] -= occupancy * part;
  if (partner != cls) gradient[partner] -= occupancy * (1 - part);
}

void Gather(const float* probabilities, size_t steps, size_t classes,
            std::span<const int32_t> label, std::span<const int32_t> partners,
            double* emission) {
  for (size_t t = 0; t < steps; ++t) {
    const float* row = probabilities + t * classes;
    const double blank = Emission(row, partners, 0);
    double* out = emission + t * (2 * label.size() + 1);
    out[0] = blank;
    for (size_t i = 0; i < label.size(); ++i) {
      out[2 * i + 1] = Emission(row, partners, static_cast<size_t>(label[i]));
      out[2 * i + 2] = blank;
    }
  }
}

// forward[t][s]: probability of all beginnings of paths that are in state s
// after step t, each row normalized. Gives log P(label), -infinity when no
// path is left.
double Forward(const double* emission, size_t steps,
               std::span<const int32_t> label, double* forward) {
  const size_t states = 2 * label.size() + 1;
  double log_sum = 0;
  for (size_t t = 0; t < steps; ++t) {
    double* now = forward + t * states;
    const double* e = emission + t * states;
    std::fill(now, now + states, 0.0);
    // States from which the end is no longer reached, and those not reached
    // yet, stay 0: they would only push the others out of a double's range.
    const size_t left = 2 * (steps - 1 - t) + 2;
    const size_t begin = states > left ? states - left : 0;
    const size_t end = std::min(states, 2 * t + 2);
    if (t == 0) {
      for (size_t s = begin; s < end; ++s) now[s] = e[s];
    } else {
      const double* before = now - states;
      for (size_t s = begin; s < end; ++s) {
        double sum = before[s];
        if (s >= 1) sum += before[s - 1];
        if (MaySkip(label, s)) sum += before[s - 2];
        now[s] = sum * e[s];
      }
    }
    log_sum += std::log(Normalize(now, states));
  }
  const double* last = forward + (steps - 1) * states;
  const double ends = last[states - 1] + (states > 1 ? last[states - 2] : 0);
  return log_sum + std::log(ends);
}

// backward[t][s]: probability of all ends of paths that are in state s after
// step t, that step's emission left out; normalized.
void Backward(const double* emission, size_t steps,
              std::span<const int32_t> label, double* backward) {
  const size_t states = 2 * label.size() + 1;
  double* last = backward + (steps - 1) * states;
  std::fill(last, last + states, 0.0);
  last[states - 1] = 1;
  if (states > 1) last[states - 2] = 1;
  for (size_t t = steps - 1; t-- > 0;) {
    double* now = backward + t * states;
    const double* next = now + states;
    const double* e = emission + (t + 1) * states;
    for (size_t s = 0; s < states; ++s) {
      double sum = next[s] * e[s];
      if (s + 1 < states) sum += next[s + 1] * e[s + 1];
      if (s + 2 < states && MaySkip(label, s + 2))
        sum += next[s + 2] * e[s + 2];
      now[s] = sum;
    }
    Normalize(now, states);
  }
}

}  // namespace

size_t CtcSteps(std::span<const int32_t> label) {
  size_t steps = label.size();
  for (size_t i = 1; i < label.size(); ++i) steps += label[i] == label[i - 1];
  return steps;
}

double CtcLoss(float* probabilities, size_t steps, size_t classes,
               std::span<const int32_t> label, float weight,
               CtcScratch* scratch, std::span<const int32_t> partners) {
  const size_t states = 2 * label.size() + 1;
  const size_t size = steps * states;
  double log_probability = -INFINITY;
  if (steps > 0 && CtcSteps(label) <= steps) {
    scratch->emission.resize(size);
    scratch->forward.resize(size);
    scratch->backward.resize(size);
    Gather(probabilities, steps, classes, label, partners,
           scratch->emission.data());
    log_probability = Forward(scratch->emission.data(), steps, label,
                              scratch->forward.data());
  }
  if (!std::isfinite(log_probability)) {
    std::fill(probabilities, probabilities + steps * classes, 0.0f);
    return 0;
  }
  Backward(scratch->emission.data(), steps, label, scratch->backward.data());
  for (size_t t = 0; t < steps; ++t) {
    float* row = probabilities + t * classes;
    double* occupancy = scratch->forward.data() + t * states;
    const double* ends = scratch->backward.data() + t * states;
    for (size_t s = 0; s < states; ++s) occupancy[s] *= ends[s];
    const double sum = Normalize(occupancy, states);
    const float* given = row;
    if (!partners.empty()) {
      scratch->row.assign(row, row + classes);
      given = scratch->row.data();
    }
    for (size_t c = 0; c < classes; ++c) row[c] *= weight;
    if (sum <= 0) continue;  // Out of range: this step teaches nothing.
    double blank = 0;
    for (size_t s = 0; s < states; s += 2) blank += occupancy[s];
    TakeOccupancy(row, given, partners, 0, weight * static_cast<float>(blank));
    for (size_t i = 0; i < label.size(); ++i) {
      TakeOccupancy(row, given, partners, static_cast<size_t>(label[i]),
                    weight * static_cast<float>(occupancy[2 * i + 1]));
    }
  }
  return -log_probability;
}

}  // namespace munja::train
