#include "cli/model_arguments.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/exit_code.h"
#include "cli/streams.h"

namespace munja::cli {
namespace {

namespace fs = std::filesystem;

bool IsForeignModel(const fs::path& path) {
  const std::string extension = path.extension().string();
  for (const char* known : {".onnx", ".param", ".pdmodel", ".json"})
    if (extension == known) return true;
  return false;
}

bool IsFile(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_directory(path, error);
}

// As much as a .tflite file can have.
constexpr size_t kMaxModelBytes = size_t{2} << 30;

int LoadModelFromStandardInput(std::optional<munja::Network>* model) {
  std::vector<unsigned char> bytes;
  if (ReadInput("-", &bytes, kMaxModelBytes) != kSuccess) return kBadModel;
  // Not null for a model of no bytes, which is a damaged one.
  bytes.reserve(1);
  munja::Result<munja::Network> loaded = munja::Network::Load(bytes);
  if (!loaded.ok())
    return Fail(loaded.error(), Subject::kModel, "standard input");
  *model = *std::move(loaded);
  return kSuccess;
}

}  // namespace

int LoadModel(const std::string& path, std::optional<munja::Network>* model) {
  if (IsStandardInput(path)) return LoadModelFromStandardInput(model);
  std::error_code error;
  if (fs::is_directory(path, error)) {
    const bool is_bundle = fs::exists(fs::path(path) / "bundle.json", error);
    PrintError(
        path, is_bundle ? "this is a bundle; give one of its models, such as " +
                              (fs::path(path) / "detector.tflite").string()
                        : "this is a folder; give a .tflite file");
    return kBadModel;
  }
  munja::Result<munja::Network> loaded = munja::Network::Load(path);
  if (loaded.ok()) {
    *model = *std::move(loaded);
    return kSuccess;
  }
  if (loaded.code() == MUNJA_MALFORMED && IsForeignModel(path)) {
    PrintError(path, "this is no .tflite model; 'munja convert " + path +
                         " -o OUT.tflite' makes one of it");
    return kBadModel;
  }
  return Fail(loaded.error(), Subject::kModel, path);
}

int CheckBundlePath(const std::string& path) {
  if (path.empty() || !IsFile(path)) return kSuccess;
  // A file may have the name of an installed bundle.
  if (munja::Model::Find(path).ok()) return kSuccess;
  std::string text = "this is a file; a bundle is a folder with bundle.json";
  if (fs::path(path).filename() == "bundle.json") {
    const fs::path folder = fs::path(path).parent_path();
    text = "give the folder that holds it: " +
           (folder.empty() ? "." : folder.string());
  } else if (path.ends_with(".tflite") || IsForeignModel(path)) {
    text =
        "this is a single model; reading takes a bundle, a folder with a "
        "detector, a recognizer and a dictionary: 'munja convert --bundle' "
        "makes one";
  }
  PrintError(path, text);
  return kBadModel;
}

std::string ShapeText(std::span<const int32_t> dims) {
  if (dims.empty()) return "scalar";
  std::string text;
  for (const int32_t dim : dims) {
    if (!text.empty()) text += 'x';
    text += dim < 0 ? "?" : std::to_string(dim);
  }
  return text;
}

std::string ExampleShape(const munja::TensorInfo& input) {
  std::vector<int32_t> dims = input.dims;
  int free = 0;
  for (size_t d = 1; d < dims.size(); ++d) free += dims[d] < 0 ? 1 : 0;
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] < 0)
      dims[d] = d == 0 ? 1 : dims.size() != 4 ? 16 : free > 1 ? 640 : 320;
  return ShapeText(dims);
}

std::string InputsText(const std::vector<munja::TensorInfo>& inputs) {
  std::string text;
  for (const munja::TensorInfo& input : inputs)
    text += (text.empty() ? "'" : ", '") + input.name + "' (" +
            munja::NameOf(input.type) + " " + ShapeText(input.dims) + ")";
  return text.empty() ? "none" : text;
}

int AssignToInputs(const std::vector<munja::TensorInfo>& inputs,
                   const std::vector<std::string>& arguments,
                   const std::string& option,
                   std::vector<std::string>* values) {
  values->assign(inputs.size(), "");
  const std::string known =
      "; the model's inputs are, in order, " + InputsText(inputs);
  std::vector<std::string> unnamed;
  for (const std::string& argument : arguments) {
    std::string* place = nullptr;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::string start = inputs[i].name + "=";
      if (start.size() == 1 || !argument.starts_with(start)) continue;
      if (!(*values)[i].empty())
        return UsageError(option + " is given twice for the input '" +
                          inputs[i].name + "'");
      place = &(*values)[i];
      *place = argument.substr(start.size());
      if (place->empty())
        return UsageError(option + " '" + argument + "' has no value");
    }
    if (place != nullptr) continue;
    // A file may have '=' in its name, too.
    if (argument.find('=') != argument.npos && !IsFile(argument))
      return UsageError(option + " '" + argument + "' names no input" + known);
    unnamed.push_back(argument);
  }
  size_t next = 0;
  for (const std::string& value : unnamed) {
    while (next < inputs.size() && !(*values)[next].empty()) ++next;
    if (next == inputs.size())
      return UsageError(option + " '" + value + "' is one too many" + known);
    (*values)[next] = value;
  }
  return kSuccess;
}

bool ParseShape(const std::string& text, std::vector<int32_t>* dims) {
  dims->clear();
  const char* at = text.c_str();
  for (;;) {
    if (*at < '0' || *at > '9' || dims->size() == MUNJA_MAX_RANK) return false;
    char* end = nullptr;
    const long value = std::strtol(at, &end, 10);
    if (value < 0 || value > (1L << 30)) return false;
    dims->push_back(static_cast<int32_t>(value));
    if (*end == 0) return true;
    if (*end != 'x' && *end != ',') return false;
    at = end + 1;
  }
}

size_t ElementBytes(munja_element_type type) {
  switch (type) {
    case MUNJA_TYPE_UINT8:
    case MUNJA_TYPE_INT8:
    case MUNJA_TYPE_BOOL:
      return 1;
    case MUNJA_TYPE_FLOAT16:
    case MUNJA_TYPE_INT16:
    case MUNJA_TYPE_UINT16:
      return 2;
    case MUNJA_TYPE_FLOAT32:
    case MUNJA_TYPE_INT32:
    case MUNJA_TYPE_UINT32:
      return 4;
    case MUNJA_TYPE_INT64:
    case MUNJA_TYPE_UINT64:
    case MUNJA_TYPE_FLOAT64:
    case MUNJA_TYPE_COMPLEX64:
      return 8;
    default:
      return 0;
  }
}

}  // namespace munja::cli
