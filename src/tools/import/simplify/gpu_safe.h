// Passes for delegates that take fewer forms of operators than .tflite has.
// Each gives the number of nodes it changed.
#ifndef MUNJA_IMPORT_SIMPLIFY_GPU_SAFE_H_
#define MUNJA_IMPORT_SIMPLIFY_GPU_SAFE_H_

#include "import/ir/model.h"

namespace munja::foreign {

// Hard sigmoid, clamping to [0, 1] and hard swish with other slopes than 1/6 as
// multiplication, addition and clamping to [0, 6], which is RELU6. The same
// numbers up to rounding.
int DecomposeHardSigmoid(Model* model);

// Every resize samples asymmetrically: position * input / output, no flags.
// The same numbers for nearest samples and whole factors, others move by up to
// half a sample.
int UseAsymmetricResize(Model* model);

// A transposed convolution whose windows do not overlap (kernel = stride, no
// padding) as a 1x1 convolution to block * block times the channels, and
// DepthToSpace. The same numbers. Others are left alone.
int RewriteTransposedConvolutions(Model* model);

}  // namespace munja::foreign

#endif  // MUNJA_IMPORT_SIMPLIFY_GPU_SAFE_H_
