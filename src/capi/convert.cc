#include <filesystem>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "bundle/bundle.h"
#include "bundle/inference_yml.h"
#include "bundle/sha256.h"
#include "capi/arguments.h"
#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/model_writer.h"
#include "graph/graph.h"
#include "munja/workshop.h"

using munja::InvalidArgument;
using munja::IoError;
using munja::Malformed;
using munja::ReadFile;
using munja::Result;
using munja::Status;
using munja::WriteFile;
using munja::bundle::FileEntry;
using munja::bundle::Manifest;
using munja::capi::ConvertedModel;
using munja::capi::ConvertSettings;
using munja::capi::CopyText;
using munja::capi::Guard;
using munja::capi::ReadOptions;
using munja::capi::RequireAll;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr char kDictionaryFile[] = "dictionary.txt";
// A dictionary has a million lines at most, and those are short.
constexpr size_t kMaxTextBytes = size_t{64} << 20;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// "dir/name/" -> "name".
std::string LastPart(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return fs::path(path).filename().string();
}

// Applies the contracts in order; those of files bring a dictionary, too.
Result<munja::ocr::Contract> ReadContracts(const munja_bundle_options& o,
                                           std::vector<std::string>* symbols) {
  munja::ocr::Contract contract;
  for (int32_t i = 0; i < o.contract_count; ++i) {
    const std::string name = o.contracts[i];
    Result<munja::ocr::Contract> named = munja::ocr::NamedContract(name);
    if (named.ok()) {
      contract = *named;
      continue;
    }
    if (!munja::IsRegularFile(name))
      return InvalidArgument(std::string(named.status().message()) +
                             ", and there is no such file");
    MUNJA_ASSIGN_OR_RETURN(const auto bytes, ReadFile(name, kMaxTextBytes));
    Status status = munja::bundle::ReadInferenceYml(
        std::string_view(reinterpret_cast<const char*>(bytes.data()),
                         bytes.size()),
        &contract, symbols);
    if (!status.ok()) return std::move(status).With(name);
    contract.name = "inference.yml";
  }
  return contract;
}

// Writes one file of the bundle and notes what it is.
Status WriteEntry(const std::string& folder, const std::string& file,
                  std::span<const uint8_t> bytes, FileEntry* entry) {
  MUNJA_RETURN_IF_ERROR(WriteFile(folder + "/" + file, bytes));
  entry->file = file;
  entry->bytes = bytes.size();
  MUNJA_ASSIGN_OR_RETURN(entry->sha256, munja::bundle::Sha256(bytes));
  return Status();
}

std::string ImageShape(int height, int width) {
  return "1x" + std::to_string(height) + "x" + std::to_string(width) + "x3";
}

Status WriteModel(const std::string& folder, const char* role,
                  const char* source, const std::string& shape,
                  const munja_bundle_options& o, FileEntry* entry,
                  Json* report) {
  ConvertSettings settings;
  settings.shape = shape;
  settings.fp16 = o.fp16 != 0;
  settings.compare = o.skip_comparison == 0;
  MUNJA_ASSIGN_OR_RETURN(ConvertedModel model,
                         munja::capi::ConvertModel(source, settings));
  (*report)[role] = std::move(model.report);
  return WriteEntry(folder, std::string(role) + ".tflite", model.bytes, entry);
}

Result<std::vector<uint8_t>> DictionaryBytes(
    const munja_bundle_options& o, const std::vector<std::string>& symbols) {
  if (o.dictionary != nullptr) return ReadFile(o.dictionary, kMaxTextBytes);
  if (symbols.empty()) return InvalidArgument("a bundle needs a dictionary");
  std::vector<uint8_t> bytes;
  for (const std::string& symbol : symbols) {
    bytes.insert(bytes.end(), symbol.begin(), symbol.end());
    bytes.push_back('\n');
  }
  return bytes;
}

Status WriteBundle(const std::string& folder, const munja_bundle_options& o,
                   char** report_text) {
  Manifest manifest;
  manifest.name = o.name != nullptr ? o.name : LastPart(folder);
  if (!munja::bundle::IsPlainName(manifest.name))
    return InvalidArgument(
        "'" + manifest.name +
        "' is not a name for a bundle: letters, digits, '.', '_', '-' only");
  if (o.description != nullptr) manifest.description = o.description;
  std::vector<std::string> symbols;
  MUNJA_ASSIGN_OR_RETURN(manifest.contract, ReadContracts(o, &symbols));
  MUNJA_ASSIGN_OR_RETURN(const auto dictionary, DictionaryBytes(o, symbols));

  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return IoError(folder + ": cannot make the folder: " + error.message());
  Json report;
  const munja::ocr::Contract& contract = manifest.contract;
  MUNJA_RETURN_IF_ERROR(WriteModel(folder, "detector", o.detector, "", o,
                                   &manifest.detector, &report));
  MUNJA_RETURN_IF_ERROR(WriteModel(folder, "recognizer", o.recognizer,
                                   ImageShape(contract.recognizer.height, 320),
                                   o, &manifest.recognizer, &report));
  if (o.classifier != nullptr) {
    manifest.classifier.emplace();
    MUNJA_RETURN_IF_ERROR(WriteModel(
        folder, "classifier", o.classifier,
        ImageShape(contract.classifier.height, contract.classifier.width), o,
        &*manifest.classifier, &report));
  }
  MUNJA_RETURN_IF_ERROR(
      WriteEntry(folder, kDictionaryFile, dictionary, &manifest.dictionary));
  const std::string path = folder + "/" + munja::bundle::kManifestFile;
  MUNJA_RETURN_IF_ERROR(WriteFile(path, munja::bundle::ToJson(manifest)));
  // The bundle must load: the dictionary has to fit the recognizer.
  Status status = [&]() -> Status {
    MUNJA_ASSIGN_OR_RETURN(const auto bundle,
                           munja::bundle::LoadBundle(
                               munja::bundle::FolderFiles(folder)));
    return munja::bundle::CreatePipeline(bundle, manifest.contract, 1)
        .TakeStatus();
  }();
  if (!status.ok()) {
    fs::remove(path, error);
    return status;
  }
  if (report_text != nullptr) return CopyText(Dump(report), report_text);
  return Status();
}

}  // namespace

extern "C" {

munja_status munja_convert(const char* source, const char* output,
                           const munja_convert_options* options,
                           char** report) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(source, output));
    munja_convert_options o;
    MUNJA_RETURN_IF_ERROR(ReadOptions(options, &o));
    ConvertSettings settings;
    settings.fp16 = o.fp16 != 0;
    settings.compare = o.skip_comparison == 0;
    if (o.shape != nullptr) settings.shape = o.shape;
    if (o.dictionary != nullptr) {
      MUNJA_ASSIGN_OR_RETURN(settings.dictionary,
                             ReadFile(o.dictionary, kMaxTextBytes));
      settings.dictionary_name = kDictionaryFile;
    }
    MUNJA_ASSIGN_OR_RETURN(const ConvertedModel model,
                           munja::capi::ConvertModel(source, settings));
    MUNJA_RETURN_IF_ERROR(WriteFile(output, model.bytes));
    if (report != nullptr) return CopyText(Dump(model.report), report);
    return Status();
  });
}

munja_status munja_bundle_write(const char* folder,
                                const munja_bundle_options* options,
                                char** report) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(folder, options));
    munja_bundle_options o;
    MUNJA_RETURN_IF_ERROR(ReadOptions(options, &o));
    MUNJA_RETURN_IF_ERROR(RequireAll(o.detector, o.recognizer));
    if (o.contract_count < 0 ||
        (o.contract_count > 0 && o.contracts == nullptr))
      return InvalidArgument("contract_count does not fit the contracts");
    return WriteBundle(folder, o, report);
  });
}

munja_status munja_model_to_text(const munja_model* model, char** text) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(model, text));
    return CopyText(munja::graph::ToText(*model->graph), text);
  });
}

munja_status munja_model_to_dot(const munja_model* model, char** dot) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(model, dot));
    return CopyText(munja::graph::ToDot(*model->graph), dot);
  });
}

}  // extern "C"
