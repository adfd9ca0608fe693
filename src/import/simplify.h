// Neutral model -> equivalent neutral model that lowers to fewer operators.
#ifndef MUNJA_IMPORT_SIMPLIFY_H_
#define MUNJA_IMPORT_SIMPLIFY_H_

#include "base/status.h"
#include "import/model.h"

namespace munja::foreign {

// Recognizes GELU (error function or tanh) and hard swish written out in
// parts; writes hard sigmoid as multiply, add and clip, and batch
// normalization as multiply and add; folds multiplications and additions by
// constants for each channel into the convolution before them; folds padding
// into the window behind it; gives a product with constant weights its bias
// (operator "FullyConnected": x, weights [K, N], bias [N]).
Status Simplify(Model* model);

// The parts, in that order.
void RecognizeActivations(Model* model);
void ExpandNormalizations(Model* model);
Status FoldAffine(Model* model);
Status FoldPadding(Model* model);

}  // namespace munja::foreign

#endif  // MUNJA_IMPORT_SIMPLIFY_H_
