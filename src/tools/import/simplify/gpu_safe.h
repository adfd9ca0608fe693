// Passes for delegates that support fewer forms of operators than .tflite has.
// Each returns the number of nodes it changed.
#ifndef MUNJA_IMPORT_SIMPLIFY_GPU_SAFE_H_
#define MUNJA_IMPORT_SIMPLIFY_GPU_SAFE_H_

#include "import/ir/model.h"

namespace munja::importer {

// Rewrites hard sigmoid, clamping to [0, 1] and hard swish with slopes other
// than 1/6 as multiplication, addition and clamping to [0, 6], which is RELU6.
// The results agree up to rounding.
int DecomposeHardSigmoid(Model* model);

// Makes every resize sample asymmetrically: position * input / output, no
// flags. Nearest samples and integer factors are unchanged, others move by up
// to half a sample.
int UseAsymmetricResize(Model* model);

// Rewrites a transposed convolution whose windows do not overlap (kernel =
// stride, no padding) as a 1x1 convolution to block * block times the channels,
// and DepthToSpace. The results are equal. Others are left unchanged.
int RewriteTransposedConvolutions(Model* model);

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_SIMPLIFY_GPU_SAFE_H_
