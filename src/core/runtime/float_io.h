// Float inputs and outputs for a model that has integer ones.
#ifndef MUNJA_RUNTIME_FLOAT_IO_H_
#define MUNJA_RUNTIME_FLOAT_IO_H_

#include <memory>

#include "base/status.h"
#include "runtime/session.h"

namespace munja::runtime {

// Where an input or output is int8, uint8 or int16 with one scale, the session
// that comes out takes or gives float32 and converts with the scale and zero
// point that the model states. What is float already stays; TensorInfo keeps
// the quantization. A session without
// such tensors comes back as it is.
std::unique_ptr<Session> WithFloatIo(std::unique_ptr<Session> session);

// The same for the outputs alone.
std::unique_ptr<Session> WithFloatOutputs(std::unique_ptr<Session> session);

}  // namespace munja::runtime

#endif  // MUNJA_RUNTIME_FLOAT_IO_H_
