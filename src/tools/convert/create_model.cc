#include "convert/create_model.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/file.h"
#include "bundle/bundle.h"
#include "bundle/embedded.h"
#include "bundle/inference_yml.h"
#include "bundle/staged_folder.h"
#include "bundle/write.h"
#include "convert/input_files.h"
#include "convert/model_writer.h"
#include "text/dictionary.h"
#ifdef MUNJA_HAS_IMPORT
#include "import/source.h"
#endif

namespace munja::tools {
namespace {

using Json = nlohmann::ordered_json;

// A dictionary has a million lines at most, and those are short; language
// models are smaller still.
constexpr size_t kMaxTextBytes = size_t{64} << 20;

// Reads one inference.yml.
Status ReadConfigFile(const std::string& path, ocr::Config* config,
                      std::vector<std::string>* symbols) {
  MUNJA_ASSIGN_OR_RETURN(const auto bytes, ReadStream(path, kMaxTextBytes));
  MUNJA_RETURN_IF_ERROR(
      bundle::ReadInferenceYml(
          std::string_view(reinterpret_cast<const char*>(bytes.data()),
                           bytes.size()),
          config, symbols)
          .With(path));
  config->name = "inference.yml";
  return Status();
}

// The inference.yml beside a Paddle model; empty when there is none.
std::string ConfigBeside(const std::string& source) {
#ifdef MUNJA_HAS_IMPORT
  if (source.empty()) return "";
  const Result<std::string> file = importer::FindModelFile(source);
  if (!file.ok() || (!file->ends_with(".json") && !file->ends_with(".pdmodel")))
    return "";
  const size_t slash = file->rfind('/');
  const std::string beside =
      (slash == file->npos ? "" : file->substr(0, slash + 1)) + "inference.yml";
  if (IsRegularFile(beside)) return beside;
#else
  (void)source;
#endif
  return "";
}

// Named contracts, then what lies beside the models, then files that were
// given; files bring a dictionary, too.
Result<ocr::Config> ReadConfigs(const ModelSources& o,
                                std::vector<std::string>* symbols) {
  ocr::Config config;
  std::vector<std::string> files;
  for (const std::string& source : {o.detector, o.recognizer, o.classifier})
    if (std::string beside = ConfigBeside(source); !beside.empty())
      files.push_back(std::move(beside));
  for (const std::string& name : o.configs) {
    Result<ocr::Config> named = ocr::NamedConfig(name);
    if (named.ok()) {
      config = *named;
    } else if (Exists(name)) {
      files.push_back(name);
    } else {
      return InvalidArgument(std::string(named.status().message()) +
                             ", and there is no such file");
    }
  }
  for (const std::string& file : files)
    MUNJA_RETURN_IF_ERROR(ReadConfigFile(file, &config, symbols));
  return config;
}

// A network that sees pictures of this size; 0: of every size. A height that is
// `assumed` gives way to one that the source states.
Result<ConvertedModel> ConvertRole(const char* role, const std::string& source,
                                   int height, int width, bool assumed,
                                   const ModelSources& o, Json* report) {
  ConvertSettings settings;
  const auto size = [](int n) { return n > 0 ? n : -1; };
  settings.paddle_shape = {1, size(height), size(width), 3};
  settings.keep_paddle_height = assumed;
  if (height > 0) {
    settings.sample_height = height;
    settings.sample_width = width > 0 ? width : 320;
  }
  settings.fp16 = o.fp16;
  settings.gpu_safe = o.gpu_safe;
  settings.pictures = o.images;
  settings.compare = o.compare;
  MUNJA_ASSIGN_OR_RETURN(ConvertedModel model, ConvertModel(source, settings));
  (*report)[role] = model.report;
  return model;
}

// A model that has one height says so itself: whatever the config assumed,
// it reads lines of that height.
void TakeHeight(const ConvertedModel& model, ocr::Config* config,
                Json* report) {
  ocr::RecognizerConfig& r = config->recognizer;
  if (model.input.rank() != 4) return;
  const int32_t height = model.input[1];
  // Others are refused with the bundle.
  if (height == r.height || height < 8 || height > 256) return;
  (*report)["recognizer"]["notes"].push_back(
      "recognizer.height is " + std::to_string(height) + ", as the model's, " +
      std::to_string(r.height) + " in the config");
  r.height = height;
  r.max_width = std::max(r.max_width, 16 * height);
}

Result<std::vector<uint8_t>> DictionaryBytes(
    const ModelSources& o, const std::vector<std::string>& symbols) {
  if (!o.dictionary.empty()) {
    MUNJA_ASSIGN_OR_RETURN(auto given, ReadStream(o.dictionary, kMaxTextBytes));
    if (given.empty())
      return Malformed(o.dictionary +
                       ": the file is empty; a dictionary has one "
                       "character a line");
    // Before it has another name.
    MUNJA_RETURN_IF_ERROR(
        text::Dictionary::Parse(std::string(given.begin(), given.end()), true)
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
Status ReadLanguages(const ModelSources& o, bundle::BundleParts* parts) {
  if (o.no_languages) {
    if (o.languages.empty()) return Status();
    return InvalidArgument(
        "languages are given, and none at all are asked for");
  }
  if (o.languages.empty()) {
    const auto embedded = bundle::EmbeddedBundle();
    if (embedded == nullptr) return Status();
    MUNJA_ASSIGN_OR_RETURN(const bundle::Manifest manifest,
                           bundle::LoadManifest(*embedded));
    return bundle::CopyLanguages(manifest, *embedded, parts);
  }
  std::set<std::string> names;
  for (const std::string& text : o.languages) {
    bundle::LanguageSource source = bundle::LanguageSource::Parse(text);
    const std::filesystem::path path = source.path;
    std::string name = path.filename().string();
    if (path.extension() != ".lm" || !names.insert(name).second)
      return InvalidArgument("'" + path.string() +
                             "': the names of language models end in .lm, and "
                             "no two are alike");
    MUNJA_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes,
                           ReadStream(path.string(), kMaxTextBytes));
    parts->languages.push_back(
        {std::move(name), std::move(bytes), std::move(source.codes)});
  }
  return Status();
}

}  // namespace

Result<Json> CreateModel(const std::string& directory, const ModelSources& o) {
  bundle::BundleParts parts;
  // Before the long work.
  MUNJA_ASSIGN_OR_RETURN(parts.name, bundle::BundleName(directory, o.name));
  std::vector<std::string> inputs = o.images;
  for (const std::string& source : {o.detector, o.recognizer, o.classifier}) {
    if (source.empty()) continue;
    for (std::string& file : FilesOfModel(source))
      inputs.push_back(std::move(file));
  }
  inputs.insert(inputs.end(), o.configs.begin(), o.configs.end());
  if (!o.dictionary.empty()) inputs.emplace_back(o.dictionary);
  for (const std::string& language : o.languages)
    inputs.push_back(bundle::LanguageSource::Parse(language).path);
  MUNJA_RETURN_IF_ERROR(RefuseReplacing(directory, inputs));
  MUNJA_RETURN_IF_ERROR(bundle::CheckReplaceable(directory));
  parts.description = o.description;
  std::vector<std::string> symbols;
  MUNJA_ASSIGN_OR_RETURN(parts.config, ReadConfigs(o, &symbols));
  MUNJA_ASSIGN_OR_RETURN(parts.dictionary, DictionaryBytes(o, symbols));
  MUNJA_RETURN_IF_ERROR(ReadLanguages(o, &parts));
  Json report;
  const ocr::Config& config = parts.config;
  MUNJA_ASSIGN_OR_RETURN(
      ConvertedModel detector,
      ConvertRole("detector", o.detector, 0, 0, false, o, &report));
  parts.detector = std::move(detector.bytes);
  // Only an inference.yml of the recognizer, which brings symbols, too, says
  // what height it was trained at.
  MUNJA_ASSIGN_OR_RETURN(
      ConvertedModel recognizer,
      ConvertRole("recognizer", o.recognizer, config.recognizer.height, 0,
                  symbols.empty(), o, &report));
  TakeHeight(recognizer, &parts.config, &report);
  parts.recognizer = std::move(recognizer.bytes);
  if (!o.classifier.empty()) {
    MUNJA_ASSIGN_OR_RETURN(
        ConvertedModel classifier,
        ConvertRole("classifier", o.classifier, config.classifier.height,
                    config.classifier.width, false, o, &report));
    parts.classifier = std::move(classifier.bytes);
  }
  MUNJA_RETURN_IF_ERROR(bundle::WriteBundle(directory, parts));
  return report;
}

}  // namespace munja::tools
