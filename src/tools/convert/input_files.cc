#include "convert/input_files.h"

#include <filesystem>

#include "base/file.h"
#ifdef MUNJA_HAS_IMPORT
#include "import/source.h"
#endif

namespace munja::tools {

std::vector<std::string> FilesOfModel(const std::string& source) {
  namespace fs = std::filesystem;
  std::string model = source;
#ifdef MUNJA_HAS_IMPORT
  // The function that reads the model reports a missing file.
  if (Result<std::string> found = importer::FindModelFile(source); found.ok())
    model = std::move(*found);
#endif
  std::vector<std::string> files = {model};
  const fs::path path(model);
  for (const char* weights : {".pdiparams", ".bin"})
    files.push_back(fs::path(path).replace_extension(weights).string());
  files.push_back((path.parent_path() / "inference.yml").string());
  std::erase_if(files, [](const std::string& file) { return !Exists(file); });
  return files;
}

Status RefuseOverwriting(const std::string& output,
                         const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs)
    if (IsRegularFile(output) && IsSameFile(output, input))
      return InvalidArgument(output + ": this is also an input (" + input +
                             "); write to another file");
  return Status();
}

Status RefuseReplacing(const std::string& folder,
                       const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs)
    if (IsInFolder(input, folder))
      return InvalidArgument(folder + ": this folder holds an input (" + input +
                             "); write to another folder");
  return Status();
}

}  // namespace munja::tools
