#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "bundle/bundle.h"
#include "bundle/embedded.h"
#include "bundle/inference_yml.h"
#include "bundle/staged_folder.h"
#include "bundle/write.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "capi/tools/input_files.h"
#include "capi/tools/model_writer.h"
#include "graph/graph.h"
#include "munja/tools/convert.h"
#include "text/dictionary.h"
#ifdef MUNJA_HAS_IMPORT
#include "import/source.h"
#endif

using munja::InvalidArgument;
using munja::ReadStream;
using munja::Result;
using munja::Status;
using munja::WriteFile;
using munja::bundle::kDictionaryFile;
using munja::capi::ConvertedModel;
using munja::capi::ConvertSettings;
using munja::capi::CopyText;
using munja::capi::ErrorOf;
using munja::capi::Guard;
using munja::capi::KeepError;
using munja::capi::LongGuard;
using munja::capi::ReadOptions;
using munja::capi::RequireAll;

namespace {

using Json = nlohmann::ordered_json;

// A dictionary has a million lines at most, and those are short; language
// models are smaller still.
constexpr size_t kMaxTextBytes = size_t{64} << 20;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// What one inference.yml says.
Status ReadContractFile(const std::string& path, munja::ocr::Contract* contract,
                        std::vector<std::string>* symbols) {
  MUNJA_ASSIGN_OR_RETURN(const auto bytes, ReadStream(path, kMaxTextBytes));
  MUNJA_RETURN_IF_ERROR(
      munja::bundle::ReadInferenceYml(
          std::string_view(reinterpret_cast<const char*>(bytes.data()),
                           bytes.size()),
          contract, symbols)
          .With(path));
  contract->name = "inference.yml";
  return Status();
}

// The inference.yml beside a Paddle model; empty when there is none.
std::string ContractBeside(const char* source) {
#ifdef MUNJA_HAS_IMPORT
  if (source == nullptr) return "";
  const Result<std::string> file = munja::foreign::FindModelFile(source);
  if (!file.ok() || (!file->ends_with(".json") && !file->ends_with(".pdmodel")))
    return "";
  const size_t slash = file->rfind('/');
  const std::string beside =
      (slash == file->npos ? "" : file->substr(0, slash + 1)) + "inference.yml";
  if (munja::IsRegularFile(beside)) return beside;
#else
  (void)source;
#endif
  return "";
}

// Named contracts, then what lies beside the models, then files that were
// given; files bring a dictionary, too.
Result<munja::ocr::Contract> ReadContracts(const munja_model_create_options& o,
                                           std::vector<std::string>* symbols) {
  munja::ocr::Contract contract;
  std::vector<std::string> files;
  for (const char* source : {o.detector, o.recognizer, o.classifier})
    if (std::string beside = ContractBeside(source); !beside.empty())
      files.push_back(std::move(beside));
  for (int32_t i = 0; i < o.config_count; ++i) {
    const std::string name = o.configs[i];
    Result<munja::ocr::Contract> named = munja::ocr::NamedContract(name);
    if (named.ok()) {
      contract = *named;
    } else if (munja::Exists(name)) {
      files.push_back(name);
    } else {
      return InvalidArgument(std::string(named.status().message()) +
                             ", and there is no such file");
    }
  }
  for (const std::string& file : files)
    MUNJA_RETURN_IF_ERROR(ReadContractFile(file, &contract, symbols));
  return contract;
}

// Every entry of a list that a caller gave is there.
Status CheckList(const char* const* list, int32_t count, const char* what) {
  if (count < 0 || (count > 0 && list == nullptr))
    return InvalidArgument(std::string(what) + "_count does not fit the list");
  for (int32_t i = 0; i < count; ++i)
    if (list[i] == nullptr)
      return InvalidArgument(std::string("a ") + what + " is NULL");
  return Status();
}

std::vector<std::string> Pictures(const char* const* paths, int32_t count) {
  std::vector<std::string> pictures;
  for (int32_t i = 0; i < count; ++i) pictures.emplace_back(paths[i]);
  return pictures;
}

// A network that sees pictures of this size; 0: of every size. A height that is
// `assumed` gives way to one that the source states.
Result<ConvertedModel> ConvertRole(const char* role, const char* source,
                                   int height, int width, bool assumed,
                                   const munja_model_create_options& o,
                                   Json* report) {
  ConvertSettings settings;
  const auto size = [](int n) { return n > 0 ? n : -1; };
  settings.paddle_shape = {1, size(height), size(width), 3};
  settings.keep_paddle_height = assumed;
  if (height > 0) {
    settings.sample_height = height;
    settings.sample_width = width > 0 ? width : 320;
  }
  settings.fp16 = o.fp16 != 0;
  settings.gpu_safe = o.gpu_safe != 0;
  settings.pictures = Pictures(o.images, o.image_count);
  settings.compare = o.skip_comparison == 0;
  MUNJA_ASSIGN_OR_RETURN(ConvertedModel model,
                         munja::capi::ConvertModel(source, settings));
  (*report)[role] = model.report;
  return model;
}

// A model that has one height says so itself: whatever the contract assumed,
// it reads lines of that height.
void TakeHeight(const ConvertedModel& model, munja::ocr::Contract* contract,
                Json* report) {
  munja::ocr::RecognizerContract& r = contract->recognizer;
  if (model.input.rank() != 4) return;
  const int32_t height = model.input[1];
  // Others are refused with the bundle.
  if (height == r.height || height < 8 || height > 256) return;
  (*report)["recognizer"]["notes"].push_back(
      "recognizer.height is " + std::to_string(height) + ", as the model's, " +
      std::to_string(r.height) + " in the contract");
  r.height = height;
  r.max_width = std::max(r.max_width, 16 * height);
}

Result<std::vector<uint8_t>> DictionaryBytes(
    const munja_model_create_options& o,
    const std::vector<std::string>& symbols) {
  if (o.dictionary != nullptr) {
    MUNJA_ASSIGN_OR_RETURN(auto given, ReadStream(o.dictionary, kMaxTextBytes));
    if (given.empty())
      return munja::Malformed(std::string(o.dictionary) +
                              ": the file is empty; a dictionary has one "
                              "character a line");
    // Before it has another name.
    MUNJA_RETURN_IF_ERROR(munja::text::Dictionary::Parse(
                              std::string(given.begin(), given.end()), true)
                              .TakeStatus()
                              .With(o.dictionary));
    return given;
  }
  if (symbols.empty())
    return InvalidArgument(
        "the bundle has no dictionary: none is given, and no inference.yml of "
        "the recognizer brings one");
  std::vector<uint8_t> bytes;
  for (const std::string& symbol : symbols) {
    bytes.insert(bytes.end(), symbol.begin(), symbol.end());
    bytes.push_back('\n');
  }
  return bytes;
}

// The language models given, else those of the model inside the library.
Status ReadLanguages(const munja_model_create_options& o,
                     munja::bundle::BundleParts* parts) {
  if (o.no_languages != 0) {
    if (o.language_count == 0) return Status();
    return InvalidArgument(
        "languages are given, and none at all are asked for");
  }
  if (o.language_count == 0) {
    const auto embedded = munja::bundle::EmbeddedBundle();
    if (embedded == nullptr) return Status();
    MUNJA_ASSIGN_OR_RETURN(const munja::bundle::Manifest manifest,
                           munja::bundle::LoadManifest(*embedded));
    return munja::bundle::CopyLanguages(manifest, *embedded, parts);
  }
  std::set<std::string> names;
  for (int32_t i = 0; i < o.language_count; ++i) {
    const std::filesystem::path path = o.languages[i];
    std::string name = path.filename().string();
    if (path.extension() != ".lm" || !names.insert(name).second)
      return InvalidArgument("'" + path.string() +
                             "': the names of language models end in .lm, and "
                             "no two are alike");
    MUNJA_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes,
                           ReadStream(path.string(), kMaxTextBytes));
    parts->languages.emplace_back(std::move(name), std::move(bytes));
  }
  return Status();
}

Status WriteBundle(const std::string& folder,
                   const munja_model_create_options& o, char** report_text) {
  munja::bundle::BundleParts parts;
  // Before the long work.
  MUNJA_ASSIGN_OR_RETURN(
      parts.name,
      munja::bundle::BundleName(folder, o.name != nullptr ? o.name : ""));
  std::vector<std::string> inputs = Pictures(o.images, o.image_count);
  for (const char* source : {o.detector, o.recognizer, o.classifier}) {
    if (source == nullptr) continue;
    for (std::string& file : munja::capi::FilesOfModel(source))
      inputs.push_back(std::move(file));
  }
  for (int32_t i = 0; i < o.config_count; ++i)
    inputs.emplace_back(o.configs[i]);
  if (o.dictionary != nullptr) inputs.emplace_back(o.dictionary);
  for (int32_t i = 0; i < o.language_count; ++i)
    inputs.emplace_back(o.languages[i]);
  MUNJA_RETURN_IF_ERROR(munja::capi::RefuseReplacing(folder, inputs));
  MUNJA_RETURN_IF_ERROR(munja::bundle::CheckReplaceable(folder));
  if (o.description != nullptr) parts.description = o.description;
  std::vector<std::string> symbols;
  MUNJA_ASSIGN_OR_RETURN(parts.contract, ReadContracts(o, &symbols));
  MUNJA_ASSIGN_OR_RETURN(parts.dictionary, DictionaryBytes(o, symbols));
  MUNJA_RETURN_IF_ERROR(ReadLanguages(o, &parts));
  Json report;
  const munja::ocr::Contract& contract = parts.contract;
  MUNJA_ASSIGN_OR_RETURN(
      ConvertedModel detector,
      ConvertRole("detector", o.detector, 0, 0, false, o, &report));
  parts.detector = std::move(detector.bytes);
  // Only an inference.yml of the recognizer, which brings symbols, too, says
  // what height it was trained at.
  MUNJA_ASSIGN_OR_RETURN(
      ConvertedModel recognizer,
      ConvertRole("recognizer", o.recognizer, contract.recognizer.height, 0,
                  symbols.empty(), o, &report));
  TakeHeight(recognizer, &parts.contract, &report);
  parts.recognizer = std::move(recognizer.bytes);
  if (o.classifier != nullptr) {
    MUNJA_ASSIGN_OR_RETURN(
        ConvertedModel classifier,
        ConvertRole("classifier", o.classifier, contract.classifier.height,
                    contract.classifier.width, false, o, &report));
    parts.classifier = std::move(classifier.bytes);
  }
  MUNJA_RETURN_IF_ERROR(munja::bundle::WriteBundle(folder, parts));
  if (report_text != nullptr) return CopyText(Dump(report), report_text);
  return Status();
}

}  // namespace

extern "C" {

munja_status munja_convert(const char* source, const char* output,
                           const munja_convert_options* options,
                           char** report) {
  return KeepError(
      ErrorOf(options), LongGuard([&]() -> Status {
        MUNJA_RETURN_IF_ERROR(RequireAll(source, output));
        munja_convert_options o;
        MUNJA_RETURN_IF_ERROR(ReadOptions(options, &o));
        const munja::ControlScope scope(munja::capi::ControlOf(o.control));
        ConvertSettings settings;
        settings.fp16 = o.fp16 != 0;
        settings.compare = o.skip_comparison == 0;
        settings.allow_custom_ops = o.allow_custom_ops != 0;
        settings.gpu_safe = o.gpu_safe != 0;
        settings.keep_layout = o.keep_layout != 0;
        if (o.shape != nullptr) settings.shape = o.shape;
        if (o.report_shape != nullptr) settings.report_shape = o.report_shape;
        if (o.constants != nullptr) settings.values = o.constants;
        MUNJA_RETURN_IF_ERROR(CheckList(o.images, o.image_count, "picture"));
        settings.pictures = Pictures(o.images, o.image_count);
        // Before the long work.
        std::vector<std::string> inputs = munja::capi::FilesOfModel(source);
        inputs.insert(inputs.end(), settings.pictures.begin(),
                      settings.pictures.end());
        if (o.dictionary != nullptr) inputs.emplace_back(o.dictionary);
        MUNJA_RETURN_IF_ERROR(munja::capi::RefuseOverwriting(output, inputs));
        if (o.dictionary != nullptr) {
          MUNJA_ASSIGN_OR_RETURN(settings.dictionary,
                                 ReadStream(o.dictionary, kMaxTextBytes));
          settings.dictionary_name = kDictionaryFile;
        }
        MUNJA_ASSIGN_OR_RETURN(const ConvertedModel model,
                               munja::capi::ConvertModel(source, settings));
        MUNJA_RETURN_IF_ERROR(WriteFile(output, model.bytes));
        if (report != nullptr) return CopyText(Dump(model.report), report);
        return Status();
      }));
}

munja_status munja_model_create(const char* folder,
                                const munja_model_create_options* options,
                                char** report) {
  return KeepError(
      ErrorOf(options), LongGuard([&]() -> Status {
        MUNJA_RETURN_IF_ERROR(RequireAll(folder, options));
        munja_model_create_options o;
        MUNJA_RETURN_IF_ERROR(ReadOptions(options, &o));
        MUNJA_RETURN_IF_ERROR(RequireAll(o.detector, o.recognizer));
        MUNJA_RETURN_IF_ERROR(CheckList(o.configs, o.config_count, "contract"));
        MUNJA_RETURN_IF_ERROR(CheckList(o.images, o.image_count, "picture"));
        MUNJA_RETURN_IF_ERROR(
            CheckList(o.languages, o.language_count, "language"));
        const munja::ControlScope scope(munja::capi::ControlOf(o.control));
        return WriteBundle(folder, o, report);
      }));
}

}  // extern "C"
