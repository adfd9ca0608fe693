#include "import/source.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/file.h"

namespace munja::foreign {

Result<std::string> FindModelFile(const std::string& path) {
  if (!IsDirectory(path)) return path;
  namespace fs = std::filesystem;
  const fs::path folder(path);
  for (const char* name : {"inference.json", "inference.pdmodel"})
    if (IsRegularFile((folder / name).string()))
      return (folder / name).string();
  std::vector<std::string> models;
  std::error_code error;
  fs::directory_iterator entry(folder, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    const std::string extension = entry->path().extension().string();
    for (const char* known : {".onnx", ".param", ".pdmodel", ".tflite"})
      if (extension == known) models.push_back(entry->path().string());
  }
  if (error) return IoError(path + ": " + error.message());
  if (models.size() == 1) return models[0];
  if (models.empty())
    return NotFound(path +
                    ": no model in this folder (inference.json, .pdmodel, "
                    ".onnx, .param or .tflite)");
  std::sort(models.begin(), models.end());
  std::string names;
  for (const std::string& model : models)
    names += (names.empty() ? "" : ", ") + fs::path(model).filename().string();
  return InvalidArgument(path +
                         ": several models in this folder, name one: " + names);
}

}  // namespace munja::foreign
