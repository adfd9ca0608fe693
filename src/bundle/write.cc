#include "bundle/write.h"

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "bundle/bundle.h"
#include "bundle/files.h"
#include "bundle/manifest.h"
#include "bundle/sha256.h"

namespace munja::bundle {
namespace {

namespace fs = std::filesystem;

// "dir/name/" -> "name".
std::string LastPart(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return fs::path(path).filename().string();
}

// Writes one file of the bundle and notes what it is.
Status WriteEntry(const std::string& folder, const std::string& file,
                  std::span<const uint8_t> bytes, FileEntry* entry) {
  MUNJA_RETURN_IF_ERROR(WriteFile(folder + "/" + file, bytes));
  entry->file = file;
  entry->bytes = bytes.size();
  MUNJA_ASSIGN_OR_RETURN(entry->sha256, Sha256(bytes));
  return Status();
}

}  // namespace

Result<std::string> BundleName(const std::string& folder,
                               const std::string& name) {
  std::string chosen = name.empty() ? LastPart(folder) : name;
  if (IsPlainName(chosen)) return chosen;
  return InvalidArgument(
      "'" + chosen +
      "' is not a name for a bundle: letters, digits, '.', '_', '-' only");
}

Status WriteBundle(const std::string& folder, const BundleParts& parts) {
  Manifest manifest;
  MUNJA_ASSIGN_OR_RETURN(manifest.name, BundleName(folder, parts.name));
  manifest.description = parts.description;
  manifest.contract = parts.contract;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return IoError(folder + ": cannot make the folder: " + error.message());
  MUNJA_RETURN_IF_ERROR(WriteEntry(folder, "detector.tflite", parts.detector,
                                   &manifest.detector));
  MUNJA_RETURN_IF_ERROR(WriteEntry(folder, "recognizer.tflite",
                                   parts.recognizer, &manifest.recognizer));
  if (parts.classifier) {
    manifest.classifier.emplace();
    MUNJA_RETURN_IF_ERROR(WriteEntry(folder, "classifier.tflite",
                                     *parts.classifier, &*manifest.classifier));
  }
  MUNJA_RETURN_IF_ERROR(WriteEntry(folder, kDictionaryFile, parts.dictionary,
                                   &manifest.dictionary));
  const std::string path = folder + "/" + kManifestFile;
  MUNJA_RETURN_IF_ERROR(WriteFile(path, ToJson(manifest)));
  // The bundle must load: the dictionary has to fit the recognizer.
  Status status = [&]() -> Status {
    MUNJA_ASSIGN_OR_RETURN(const auto bundle, LoadBundle(FolderFiles(folder)));
    return CreatePipeline(bundle, manifest.contract, 1).TakeStatus();
  }();
  if (!status.ok()) fs::remove(path, error);
  return status;
}

}  // namespace munja::bundle
