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

namespace munja::importer::paddle {

// The file holds no names: its tensors are stored in the byte order of the
// parameters' names. Each begins with two versions, levels of sequence lengths
// and a description of its own, which must match the program. kMalformed names
// the tensor and the byte; so does trailing data.
Result<std::map<std::string, Tensor>> ReadParameters(
    std::span<const uint8_t> bytes, std::vector<Variable> parameters);

}  // namespace munja::importer::paddle

#endif  // MUNJA_IMPORT_PADDLE_PARAMETERS_H_
