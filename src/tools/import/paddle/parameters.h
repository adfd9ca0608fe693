// .pdiparams: the parameters of a program, one after the other.
#ifndef MUNJA_IMPORT_PADDLE_PARAMETERS_H_
#define MUNJA_IMPORT_PADDLE_PARAMETERS_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "import/paddle/program.h"

namespace munja::foreign::paddle {

// The file holds no names: its tensors lie in the order of the parameters'
// names (by byte). Each begins with two versions, levels of sequence lengths
// and a description of its own, which must be what the program says.
// kMalformed names the tensor and the byte; so does anything that is left over.
Result<std::map<std::string, Tensor>> ReadParameters(
    std::span<const uint8_t> bytes, std::vector<Variable> parameters);

}  // namespace munja::foreign::paddle

#endif  // MUNJA_IMPORT_PADDLE_PARAMETERS_H_
