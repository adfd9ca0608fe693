// The loops behind RunNode. Inputs have been checked by InferNode; outputs have
// their shape and are zero.
#ifndef MUNJA_IMPORT_REFERENCE_LOOPS_H_
#define MUNJA_IMPORT_REFERENCE_LOOPS_H_

#include <span>
#include <vector>

#include "import/ir/model.h"

namespace munja::importer::reference {

using Inputs = std::span<const Tensor* const>;
using Outputs = std::vector<Tensor>;

#define MUNJA_REFERENCE_LOOP(name) Status name(const Node&, Inputs, Outputs*)
MUNJA_REFERENCE_LOOP(RunUnary);
MUNJA_REFERENCE_LOOP(RunBinary);
MUNJA_REFERENCE_LOOP(RunCast);
MUNJA_REFERENCE_LOOP(RunReduce);
MUNJA_REFERENCE_LOOP(RunArgMax);
MUNJA_REFERENCE_LOOP(RunSoftmax);
MUNJA_REFERENCE_LOOP(RunBatchNorm);
MUNJA_REFERENCE_LOOP(RunLayerNorm);
MUNJA_REFERENCE_LOOP(RunConv);
MUNJA_REFERENCE_LOOP(RunConvTranspose);
MUNJA_REFERENCE_LOOP(RunPool);
MUNJA_REFERENCE_LOOP(RunMatMul);
MUNJA_REFERENCE_LOOP(RunResize);
MUNJA_REFERENCE_LOOP(RunLstm);
MUNJA_REFERENCE_LOOP(RunDepthToSpace);
MUNJA_REFERENCE_LOOP(RunConcat);
MUNJA_REFERENCE_LOOP(RunSplit);
MUNJA_REFERENCE_LOOP(RunSlice);
MUNJA_REFERENCE_LOOP(RunTranspose);
MUNJA_REFERENCE_LOOP(RunPad);
MUNJA_REFERENCE_LOOP(RunGather);
MUNJA_REFERENCE_LOOP(RunShape);
MUNJA_REFERENCE_LOOP(RunCopy);  // Identity, Reshape, Squeeze, Unsqueeze
#undef MUNJA_REFERENCE_LOOP

// Product of dims [first, last).
inline int64_t Count(const Dims& dims, size_t first, size_t last) {
  int64_t n = 1;
  for (size_t i = first; i < last; ++i) n *= dims[i];
  return n;
}

// Copies element `from` of `in` to element `to` of `out`.
inline void CopyElement(const Tensor& in, int64_t from, Tensor* out,
                        int64_t to) {
  if (in.is_integer)
    out->integers[to] = in.integers[from];
  else
    out->floats[to] = in.floats[from];
}

}  // namespace munja::importer::reference

#endif  // MUNJA_IMPORT_REFERENCE_LOOPS_H_
