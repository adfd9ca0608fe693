#include "import/source.h"

#include <filesystem>
#include <vector>

#include "base/file.h"
#include "base/folder.h"

namespace munja::importer {

Result<std::string> FindModelFile(const std::string& path) {
  if (!IsDirectory(path)) return path;
  namespace fs = std::filesystem;
  const fs::path folder(path);
  for (const char* name : {"inference.json", "inference.pdmodel"})
    if (IsRegularFile((folder / name).string()))
      return (folder / name).string();
  std::vector<std::string> models;
  MUNJA_ASSIGN_OR_RETURN(const std::vector<std::string> found, NamesIn(path));
  for (const std::string& name : found) {
    const std::string extension = fs::path(name).extension().string();
    for (const char* known : {".onnx", ".param", ".pdmodel", ".tflite"})
      if (extension == known) models.push_back((folder / name).string());
  }
  if (models.size() == 1) return models[0];
  if (models.empty())
    return NotFound(path,
                    ": no model in this directory (inference.json, .pdmodel, "
                    ".onnx, .param or .tflite)");
  std::string names;
  for (const std::string& model : models)
    names += (names.empty() ? "" : ", ") + fs::path(model).filename().string();
  return InvalidArgument(path,
                         ": several models in this folder, name one: ", names);
}

}  // namespace munja::importer
