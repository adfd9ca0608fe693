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

// Where a row has the probabilities of classes.
struct RowLayout {
  size_t columns;
  std::span<const int32_t> partners;
  const text::HangulLetters* letters;

  bool IsSyllable(int32_t cls) const {
    return letters != nullptr && letters->IsSyllable(cls);
  }
  size_t ColumnOf(int32_t cls) const {
    return static_cast<size_t>(letters ? letters->ColumnOf(cls) : cls);
  }
  // The column that counts as that of `cls`; the same where there is none.
  size_t PartnerOf(int32_t cls) const {
    return ColumnOf(partners.empty() ? cls
                                     : partners[static_cast<size_t>(cls)]);
  }
};

double Emission(const float* row, const RowLayout& layout, int32_t cls) {
  if (layout.IsSyllable(cls))
    return std::max<double>(layout.letters->Probability(row, cls), kLeast);
  const size_t column = layout.ColumnOf(cls), partner = layout.PartnerOf(cls);
  double sum = row[column];
  if (partner != column) sum += row[partner];
  return std::max(sum, kLeast);
}

// Takes the occupancy of a class from its gradient, a part of it from its
// partner's: each as much as it gave to their sum. Letters of a syllable take
// all of it.
void TakeOccupancy(float* gradient, const float* row, const RowLayout& layout,
                   int32_t cls, float occupancy) {
  const size_t column = layout.ColumnOf(cls), partner = layout.PartnerOf(cls);
  if (layout.IsSyllable(cls)) {
    gradient[column] -= occupancy;
    for (const int letter : layout.letters->LettersOf(cls))
      gradient[letter] -= occupancy;
    return;
  }
  const float sum = row[column] + row[partner];
  const float part = partner == column || !(sum > 0) ? 1.0f : row[column] / sum;
  gradient[column] -= occupancy * part;
  if (partner != column) gradient[partner] -= occupancy * (1 - part);
}

void Gather(const float* probabilities, size_t steps, const RowLayout& layout,
            std::span<const int32_t> label, double* emission) {
  for (size_t t = 0; t < steps; ++t) {
    const float* row = probabilities + t * layout.columns;
    const double blank = Emission(row, layout, 0);
    double* out = emission + t * (2 * label.size() + 1);
    out[0] = blank;
    for (size_t i = 0; i < label.size(); ++i) {
      out[2 * i + 1] = Emission(row, layout, label[i]);
      out[2 * i + 2] = blank;
    }
  }
}

// Makes the softmax of a row that part of the gradient which does not depend
// on the label. `syllables`: the occupancy of all of them.
void WeighRow(float* row, const RowLayout& layout, float weight,
              float syllables) {
  const size_t whole =
      layout.letters == nullptr
          ? layout.columns
          : static_cast<size_t>(layout.letters->whole_columns());
  for (size_t c = 0; c < whole; ++c) row[c] *= weight;
  for (size_t c = whole; c < layout.columns; ++c) row[c] *= weight * syllables;
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

double CtcLoss(float* probabilities, size_t steps, size_t columns,
               std::span<const int32_t> label, float weight,
               CtcScratch* scratch, std::span<const int32_t> partners,
               const text::HangulLetters* letters) {
  const RowLayout layout{columns, partners, letters};
  const size_t states = 2 * label.size() + 1;
  const size_t size = steps * states;
  double log_probability = -INFINITY;
  if (steps > 0 && CtcSteps(label) <= steps) {
    scratch->emission.resize(size);
    scratch->forward.resize(size);
    scratch->backward.resize(size);
    Gather(probabilities, steps, layout, label, scratch->emission.data());
    log_probability = Forward(scratch->emission.data(), steps, label,
                              scratch->forward.data());
  }
  if (!std::isfinite(log_probability)) {
    std::fill(probabilities, probabilities + steps * columns, 0.0f);
    return 0;
  }
  Backward(scratch->emission.data(), steps, label, scratch->backward.data());
  for (size_t t = 0; t < steps; ++t) {
    float* row = probabilities + t * columns;
    double* occupancy = scratch->forward.data() + t * states;
    const double* ends = scratch->backward.data() + t * states;
    for (size_t s = 0; s < states; ++s) occupancy[s] *= ends[s];
    const double sum = Normalize(occupancy, states);
    const float* given = row;
    if (!partners.empty()) {
      scratch->row.assign(row, row + columns);
      given = scratch->row.data();
    }
    double blank = 0, syllables = 0;
    for (size_t s = 0; s < states; s += 2) blank += occupancy[s];
    for (size_t i = 0; i < label.size(); ++i)
      if (layout.IsSyllable(label[i])) syllables += occupancy[2 * i + 1];
    WeighRow(row, layout, weight, static_cast<float>(syllables));
    if (sum <= 0) continue;  // Out of range: this step teaches nothing.
    TakeOccupancy(row, given, layout, 0, weight * static_cast<float>(blank));
    for (size_t i = 0; i < label.size(); ++i) {
      TakeOccupancy(row, given, layout, label[i],
                    weight * static_cast<float>(occupancy[2 * i + 1]));
    }
  }
  return -log_probability;
}

}  // namespace munja::train
