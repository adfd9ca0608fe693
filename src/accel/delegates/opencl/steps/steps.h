// Steps: records each operator of the schema as kernel launches, one row each
// (steps.cc), a file for each family.
#ifndef MUNJA_DELEGATES_OPENCL_STEPS_STEPS_H_
#define MUNJA_DELEGATES_OPENCL_STEPS_STEPS_H_

#include <string_view>

#include "base/status.h"

namespace munja::delegates::opencl {

class Recorder;

struct StepRow {
  std::string_view op;
  // The failure says why the node is not supported.
  Status (*record)(Recorder& r);
};

// Null: the operator is not supported.
const StepRow* FindStep(std::string_view op);

// convolution.cc
Status RecordConv(Recorder& r);
Status RecordDepthwise(Recorder& r);
Status RecordTransposeConv(Recorder& r);
Status RecordPool(Recorder& r);
Status RecordFullyConnected(Recorder& r);
// elementwise.cc
Status RecordActivation(Recorder& r);
Status RecordUnary(Recorder& r);
Status RecordBinary(Recorder& r);
// move.cc
Status RecordMove(Recorder& r);
Status RecordReshape(Recorder& r);
Status RecordResize(Recorder& r);
Status RecordDequantize(Recorder& r);
// reduce.cc
Status RecordReduce(Recorder& r);
Status RecordSoftmax(Recorder& r);
Status RecordL2Normalization(Recorder& r);
Status RecordBatchMatMul(Recorder& r);

}  // namespace munja::delegates::opencl

#endif  // MUNJA_DELEGATES_OPENCL_STEPS_STEPS_H_
