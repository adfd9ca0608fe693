// Neutral model -> equivalent neutral model that lowers to fewer operators.
#ifndef MUNJA_IMPORT_SIMPLIFY_SIMPLIFY_H_
#define MUNJA_IMPORT_SIMPLIFY_SIMPLIFY_H_

#include "base/status.h"
#include "import/ir/model.h"

namespace munja::importer {

// Recognizes GELU (error function or tanh) and hard swish written out in
// parts; writes hard sigmoid as multiply, add and clip, and batch
// normalization as multiply and add; folds multiplications and additions by
// constants for each channel into the convolution before them; folds padding
// into the window behind it; gives a product with constant weights its bias
// (operator "FullyConnected": x, weights [K, N], bias [N]); adds up parallel
// convolutions.
struct SimplifyOptions {
  bool gpu_safe = false;  // The passes of gpu_safe.h, too.
};

// The rewrites that users may want to know about.
struct Simplification {
  int merged_branches = 0;
  int hard_sigmoids = 0, resizes = 0, transposed = 0;  // See gpu_safe.h.
};

Result<Simplification> Simplify(Model* model,
                                const SimplifyOptions& options = {});

// The parts, in the order in which they run.
void RecognizeActivations(Model* model);
void ExpandNormalizations(Model* model);
Status FoldAffine(Model* model);
// Sums of convolutions of the same input, and of a convolution and its own
// input (perhaps times and plus a constant for each channel): one convolution.
// Gives the number of sums that vanished.
int MergeBranches(Model* model);
Status FoldPadding(Model* model);

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_SIMPLIFY_SIMPLIFY_H_
