// The loss of connectionist temporal classification (Graves et al., ICML
// 2006) of one line and its gradient.
#ifndef MUNJA_TRAIN_CTC_LOSS_H_
#define MUNJA_TRAIN_CTC_LOSS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "text/hangul_letters.h"

namespace munja::train {

// Steps that a label needs: one a character and a blank between equal ones.
size_t CtcSteps(std::span<const int32_t> label);

// Reusable working memory; one a thread.
struct CtcScratch {
  std::vector<double> emission, forward, backward;
  std::vector<float> row;
};

// Gives -log P(label). `probabilities` is steps x columns, the softmax of the
// network's logits; it is replaced by the loss's gradient with respect to the
// logits times `weight`: softmax - occupancy. Only the label's own classes
// take part in the sums over paths, so that the cost does not grow with the
// alphabet but for one pass over the rows. Class 0 is the blank; labels hold
// classes in [1, classes).
//
// Probabilities below 1e-7 count as 1e-7 in the sums over paths, which keeps
// them in the range of a double without logarithms. A label that does not fit
// into the steps has loss 0 and gradient 0, as zero_infinity of libtorch.
//
// `partners`, where it is not empty, has a class for each class: the two count
// as one, by the sum of their probabilities. Pairs are mutual, a class without
// a partner has itself; of a pair the label holds one and the same everywhere.
//
// `letters`, where it is not null: a row of `probabilities` has its columns, in
// place of one for each class, and the softmax of each of its parts. The three
// parts of letters get a gradient as far as a step shows a syllable. Syllables
// have no partners.
double CtcLoss(float* probabilities, size_t steps, size_t columns,
               std::span<const int32_t> label, float weight,
               CtcScratch* scratch, std::span<const int32_t> partners = {},
               const text::HangulLetters* letters = nullptr);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_CTC_LOSS_H_
