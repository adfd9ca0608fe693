// The kernels in OpenCL C 1.1, a program for each family: what is not used is
// not compiled. All work on dense tensors in the runtime's own layout (NHWC),
// stored as float or, with MUNJA_HALF defined, as half; sums are float always.
//
// Each kernel has work-groups of kGroupSize, or of what was found to be faster
// (MUNJA_GROUP). Most compute one item (an element,
// or a block of few) in each work-item, and have the number of items as first
// argument; those whose name begins with `group_` compute one item in each
// group, which is always of kGroupSize.
#ifndef MUNJA_DELEGATES_OPENCL_KERNELS_SOURCES_H_
#define MUNJA_DELEGATES_OPENCL_KERNELS_SOURCES_H_

#include <string>

namespace munja::delegates::opencl {

inline constexpr int kGroupSize = 64;

enum class Family { kConvolution, kElementwise, kMove, kReduce, kMatmul };
inline constexpr int kFamilies = 5;

// The preamble of each program: storage, activations.
std::string Preamble();
const char* SourceOf(Family family);

// One for each family, in the file of its name.
extern const char kConvolutionSource[];
extern const char kElementwiseSource[];
extern const char kMoveSource[];
extern const char kReduceSource[];
extern const char kMatmulSource[];

}  // namespace munja::delegates::opencl

#endif  // MUNJA_DELEGATES_OPENCL_KERNELS_SOURCES_H_
