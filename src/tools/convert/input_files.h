// The files that a call reads, so that it does not overwrite them.
#ifndef MUNJA_TOOLS_CONVERT_INPUT_FILES_H_
#define MUNJA_TOOLS_CONVERT_INPUT_FILES_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace munja::tools {

// The files that the model `source` consists of: itself or what its folder
// holds, and the file with its weights beside it. Those that do not exist are
// left out.
std::vector<std::string> FilesOfModel(const std::string& source);

// kInvalidArgument when `output`, by whatever name or link, is one of the
// inputs.
Status RefuseOverwriting(const std::string& output,
                         const std::vector<std::string>& inputs);

// The same for a folder that will be replaced: when one of the inputs is it, or
// in it.
Status RefuseReplacing(const std::string& folder,
                       const std::vector<std::string>& inputs);

}  // namespace munja::tools

#endif  // MUNJA_TOOLS_CONVERT_INPUT_FILES_H_
