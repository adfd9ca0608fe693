// The entries of a folder. Not with std::filesystem, whose iterators end the
// process where there is no memory.
#ifndef MUNJA_BASE_FOLDER_H_
#define MUNJA_BASE_FOLDER_H_

#include <string>
#include <vector>

#include "base/status.h"

namespace munja {

// Names of everything in the folder but "." and "..", sorted. kNotFound, kIo.
Result<std::vector<std::string>> NamesIn(const std::string& folder);

// "dir/name/" -> "name".
std::string FolderName(std::string path);

}  // namespace munja

#endif  // MUNJA_BASE_FOLDER_H_
