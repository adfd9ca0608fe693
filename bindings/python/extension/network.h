#ifndef MUNJA_PYTHON_NETWORK_H_
#define MUNJA_PYTHON_NETWORK_H_

#include "binding.h"

namespace munja_python {

struct Network {
  munja::Network network;
};

// (name, type, shape, scale, zero point); -1 in the shape: dynamic.
nb::tuple DescribeTensor(const char* name, const munja_tensor_info& info);

}  // namespace munja_python

#endif  // MUNJA_PYTHON_NETWORK_H_
