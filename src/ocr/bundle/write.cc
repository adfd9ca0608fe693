#include "bundle/write.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/file.h"
#include "base/folder.h"
#include "bundle/bundle.h"
#include "bundle/files.h"
#include "bundle/manifest.h"
#include "bundle/sha256.h"
#include "bundle/staged_folder.h"

namespace munja::bundle {
namespace {

// The files of a folder, which messages call by the name that it will have.
class FilesUnderName : public Files {
 public:
  FilesUnderName(const std::string& folder, std::string name)
      : files_(FolderFiles(folder)), name_(std::move(name)) {}
  Result<Bytes> Open(const std::string& name) const override {
    return files_->Open(name);
  }
  const std::string& place() const override { return name_; }

 private:
  std::shared_ptr<const Files> files_;
  std::string name_;
};

// Writes one file of the bundle and notes what it is.
Status WriteEntry(const std::string& folder, const std::string& file,
                  std::span<const uint8_t> bytes, FileEntry* entry) {
  MUNJA_RETURN_IF_ERROR(WriteFile(folder + "/" + file, bytes));
  entry->file = file;
  entry->bytes = bytes.size();
  MUNJA_ASSIGN_OR_RETURN(entry->sha256, Sha256(bytes));
  return Status();
}

// Files detector.tflite and so on, for the ending ".tflite".
Status WriteNetworks(const std::string& folder, const std::string& ending,
                     const NetworkFiles& files, FileEntry* detector,
                     FileEntry* recognizer,
                     std::optional<FileEntry>* classifier) {
  MUNJA_RETURN_IF_ERROR(
      WriteEntry(folder, "detector" + ending, files.detector, detector));
  MUNJA_RETURN_IF_ERROR(
      WriteEntry(folder, "recognizer" + ending, files.recognizer, recognizer));
  if (!files.classifier) return Status();
  return WriteEntry(folder, "classifier" + ending, *files.classifier,
                    &classifier->emplace());
}

}  // namespace

Result<std::string> BundleName(const std::string& folder,
                               const std::string& name) {
  std::string chosen = name.empty() ? FolderName(folder) : name;
  if (IsPlainName(chosen)) return chosen;
  return InvalidArgument(
      "'" + chosen +
      "' is not a name for a bundle: letters, digits, '.', '_', '-' only");
}

LanguageSource LanguageSource::Parse(const std::string& text) {
  LanguageSource source{text};
  const size_t equals = text.find('=');
  if (equals == text.npos) return source;
  std::vector<std::string> codes;
  for (size_t start = 0; start <= equals;) {
    const size_t end = std::min(text.find(',', start), equals);
    codes.push_back(text.substr(start, end - start));
    // A file may have '=' in its name, too.
    if (!IsLanguageCode(codes.back())) return source;
    start = end + 1;
  }
  return {text.substr(equals + 1), std::move(codes)};
}

Status CopyLanguages(const Manifest& manifest, const Files& files,
                     BundleParts* parts) {
  for (const LanguageEntry& entry : manifest.languages) {
    MUNJA_ASSIGN_OR_RETURN(const Files::Bytes file, files.Open(entry.file));
    parts->languages.push_back(
        {entry.file, {file.bytes.begin(), file.bytes.end()}, entry.codes});
  }
  return Status();
}

Status WriteBundle(const std::string& target, const BundleParts& parts) {
  Manifest manifest;
  MUNJA_ASSIGN_OR_RETURN(manifest.name, BundleName(target, parts.name));
  manifest.description = parts.description;
  manifest.config = parts.config;
  MUNJA_ASSIGN_OR_RETURN(const auto staged, StagedFolder::Create(target));
  const std::string& folder = staged->path();
  MUNJA_RETURN_IF_ERROR(WriteNetworks(folder, ".tflite", parts,
                                      &manifest.detector, &manifest.recognizer,
                                      &manifest.classifier));
  if (parts.integer) {
    IntegerNetworks& integer = manifest.integer.emplace();
    MUNJA_RETURN_IF_ERROR(WriteNetworks(
        folder, ".integer.tflite", *parts.integer, &integer.detector,
        &integer.recognizer, &integer.classifier));
  }
  MUNJA_RETURN_IF_ERROR(WriteEntry(folder, kDictionaryFile, parts.dictionary,
                                   &manifest.dictionary));
  for (const LanguagePart& part : parts.languages) {
    LanguageEntry& entry = manifest.languages.emplace_back();
    MUNJA_RETURN_IF_ERROR(WriteEntry(folder, part.file, part.bytes, &entry));
    entry.codes = part.codes;
  }
  MUNJA_RETURN_IF_ERROR(
      WriteFile(folder + "/" + kManifestFile, ToJson(manifest)));
  // The bundle must load: the dictionary has to fit the recognizer.
  {
    MUNJA_ASSIGN_OR_RETURN(
        const auto bundle,
        LoadBundle(std::make_shared<FilesUnderName>(folder, target)));
    MUNJA_RETURN_IF_ERROR(
        CreatePipeline(bundle, manifest.config, nullptr).TakeStatus());
    if (parts.integer)
      MUNJA_RETURN_IF_ERROR(CreatePipeline(bundle, manifest.config, nullptr,
                                           runtime::Precision::kFloat32, true)
                                .TakeStatus());
  }
  return staged->Publish();
}

}  // namespace munja::bundle
