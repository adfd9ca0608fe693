#include "bundle/bundle.h"

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "base/thread_pool.h"
#include "bundle/network_check.h"
#include "bundle/sha256.h"
#include "bundle/staged_folder.h"
#include "reading/network/network_input.h"
#include "runtime/delegate.h"
#include "runtime/float_io.h"
#include "runtime/session.h"
#include "text/allow_list.h"
#include "text/ctc.h"
#include "text/dictionary.h"
#include "text/hangul_letters.h"
#include "tflite/read.h"

namespace munja::bundle {
namespace {

// A file that is what bundle.json says.
Result<Files::Bytes> OpenChecked(const Files& files, const FileEntry& entry) {
  MUNJA_ASSIGN_OR_RETURN(Files::Bytes file, files.Open(entry.file));
  const std::string label = files.Label(entry.file);
  if (file.bytes.size() != entry.bytes)
    return Malformed(label + ": it has " + std::to_string(file.bytes.size()) +
                     " bytes, bundle.json says " + std::to_string(entry.bytes));
  MUNJA_ASSIGN_OR_RETURN(const std::string digest, Sha256(file.bytes));
  if (digest != entry.sha256)
    return Malformed(label + ": its SHA-256 is not the one in bundle.json");
  return file;
}

Result<std::shared_ptr<const graph::Graph>> LoadModel(const Files& files,
                                                      const FileEntry& entry) {
  MUNJA_ASSIGN_OR_RETURN(Files::Bytes file, OpenChecked(files, entry));
  MUNJA_ASSIGN_OR_RETURN(auto graph,
                         tflite::Read(file.bytes, std::move(file.owner))
                             .With(files.Label(entry.file)));
  return std::shared_ptr<const graph::Graph>(std::move(graph));
}

// A network of a bundle and the name of its file.
Result<std::unique_ptr<runtime::Session>> MakeSession(
    const std::string& file, const std::shared_ptr<const graph::Graph>& graph,
    const ocr::Normalization& normalization, runtime::SessionOptions options) {
  // A model with integers at its borders must mean the same pixels. What it
  // quantizes by itself it was calibrated for.
  for (const graph::ValueId v : graph->main().inputs) {
    const graph::Value& input = graph->main().values[v];
    MUNJA_RETURN_IF_ERROR(
        ocr::CheckInputRange(
            {input.name, input.type, input.shape, input.quantization},
            normalization)
            .With(file));
  }
  // Pixels have 256 levels: what becomes of each is known before.
  options.stored_inputs = true;
  MUNJA_ASSIGN_OR_RETURN(auto session,
                         runtime::CreateSession(graph, options).With(file));
  return runtime::WithFloatOutputs(std::move(session));
}

// Where the networks of one precision are described.
struct Entries {
  const FileEntry &detector, &recognizer;
  const std::optional<FileEntry>& classifier;
};

Entries FloatEntries(const Manifest& m) {
  return {m.detector, m.recognizer, m.classifier};
}

Entries IntegerEntries(const Manifest& m) {
  return {m.integer->detector, m.integer->recognizer, m.integer->classifier};
}

Status LoadGraphs(const Files& files, const Entries& entries, Graphs* graphs) {
  MUNJA_ASSIGN_OR_RETURN(graphs->detector, LoadModel(files, entries.detector));
  MUNJA_ASSIGN_OR_RETURN(graphs->recognizer,
                         LoadModel(files, entries.recognizer));
  if (entries.classifier) {
    MUNJA_ASSIGN_OR_RETURN(graphs->classifier,
                           LoadModel(files, *entries.classifier));
  }
  return Status();
}

Result<std::unique_ptr<runtime::Session>> MakeRecognizer(
    const std::string& file, const std::shared_ptr<const graph::Graph>& graph,
    const ocr::RecognizerConfig& config, bool has_language, bool all_classes,
    runtime::SessionOptions options) {
  // Look-alikes, spaces and letters of other words are among the next ones of a
  // step.
  if (config.settle_signs || config.part_words || has_language)
    options.top_k = 1 + static_cast<int>(text::kOtherChoices);
  else
    options.top_k = 1;
  if (all_classes || config.hangul_letters) options.top_k = 0;
  // Lines are of all widths, and are read by falling width: fewer plans than a
  // page has widths would all be gone when the next page begins.
  options.max_plans = 128;
  MUNJA_ASSIGN_OR_RETURN(
      auto session, MakeSession(file, graph, config.normalization, options));
  MUNJA_RETURN_IF_ERROR(CheckRecognizer(*session, config).With(file));
  return WithFileName(std::move(session), file);
}

std::string Stem(const std::string& file) {
  return file.substr(0, file.rfind('.'));
}

std::string Lowered(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// A code, a code with a region ("en-us", "en_us"), or the model's name.
bool HasLanguage(const LanguageEntry& entry, const std::string& wanted) {
  const std::string general = wanted.substr(0, wanted.find_first_of("-_"));
  for (const std::string& code : entry.codes)
    if (code == wanted || code == general) return true;
  return Lowered(Stem(entry.file)) == wanted;
}

std::vector<std::string> CodesIn(std::string_view languages) {
  std::vector<std::string> codes;
  for (size_t start = 0; start <= languages.size();) {
    const size_t end = std::min(languages.find(',', start), languages.size());
    codes.emplace_back(languages.substr(start, end - start));
    start = end + 1;
  }
  return codes;
}

}  // namespace

Result<Manifest> LoadManifest(const Files& files) {
  const std::string label = files.Label(kManifestFile);
  MUNJA_ASSIGN_OR_RETURN(const Files::Bytes file, files.Open(kManifestFile));
  if (file.bytes.size() > kMaxManifestBytes)
    return Malformed(label + ": it has more than a megabyte");
  return ParseManifest(
             std::string_view(reinterpret_cast<const char*>(file.bytes.data()),
                              file.bytes.size()))
      .With(label);
}

Result<Bundle> LoadBundle(std::shared_ptr<const Files> files,
                          bool with_integer) {
  Bundle bundle;
  MUNJA_ASSIGN_OR_RETURN(bundle.manifest, LoadManifest(*files));
  const Manifest& m = bundle.manifest;
  MUNJA_RETURN_IF_ERROR(LoadGraphs(*files, FloatEntries(m), &bundle));
  if (m.integer && with_integer)
    MUNJA_RETURN_IF_ERROR(
        LoadGraphs(*files, IntegerEntries(m), &bundle.integer));
  MUNJA_ASSIGN_OR_RETURN(const Files::Bytes dictionary,
                         OpenChecked(*files, m.dictionary));
  bundle.dictionary.assign(
      reinterpret_cast<const char*>(dictionary.bytes.data()),
      dictionary.bytes.size());
  for (const FileEntry& entry : m.languages) {
    MUNJA_ASSIGN_OR_RETURN(Files::Bytes file, OpenChecked(*files, entry));
    auto model = text::LanguageModel::Parse(file.bytes, std::move(file.owner))
                     .With(files->Label(entry.file));
    if (!model.ok()) return std::move(model).TakeStatus();
    bundle.languages.push_back(std::move(*model));
  }
  bundle.files = std::move(files);
  return bundle;
}

std::vector<std::string> LanguagesOf(const Manifest& manifest) {
  std::vector<std::string> all;
  for (const LanguageEntry& entry : manifest.languages) {
    if (entry.codes.empty()) all.push_back(Stem(entry.file));
    all.insert(all.end(), entry.codes.begin(), entry.codes.end());
  }
  return all;
}

bool NamesLanguages(const Manifest& manifest, std::string_view languages) {
  const std::vector<std::string> codes = CodesIn(languages);
  return std::all_of(codes.begin(), codes.end(), [&](const auto& wanted) {
    return std::any_of(manifest.languages.begin(), manifest.languages.end(),
                       [code = Lowered(wanted)](const auto& entry) {
                         return HasLanguage(entry, code);
                       });
  });
}

Status KeepLanguages(std::string_view languages, Bundle* bundle) {
  const std::vector<LanguageEntry>& entries = bundle->manifest.languages;
  std::string known;
  for (const std::string& language : LanguagesOf(bundle->manifest))
    known += (known.empty() ? "" : ", ") + language;
  std::vector<char> is_kept(entries.size(), 0);
  for (const std::string& wanted : CodesIn(languages)) {
    bool is_found = false;
    for (size_t i = 0; i < entries.size(); ++i) {
      if (!HasLanguage(entries[i], Lowered(wanted))) continue;
      is_kept[i] = 1;
      is_found = true;
    }
    if (!is_found)
      return InvalidArgument(
          "languages: the model '" + bundle->manifest.name +
          "' has no language model for '" + wanted + "'; it has " +
          (known.empty() ? "none at all" : "those for " + known));
  }
  size_t kept = 0;
  for (size_t i = 0; i < entries.size(); ++i)
    if (is_kept[i] != 0) bundle->languages[kept++] = bundle->languages[i];
  bundle->languages.resize(kept);
  return Status();
}

Status Extract(const Files& files, const std::string& target) {
  MUNJA_ASSIGN_OR_RETURN(const Manifest manifest, LoadManifest(files));
  MUNJA_ASSIGN_OR_RETURN(const auto staged, StagedFolder::Create(target));
  const std::string& folder = staged->path();
  // First, because it names the files to be removed when this ends early.
  MUNJA_ASSIGN_OR_RETURN(const Files::Bytes json, files.Open(kManifestFile));
  MUNJA_RETURN_IF_ERROR(WriteFile(folder + "/" + kManifestFile, json.bytes));
  for (const FileEntry* entry : manifest.files()) {
    MUNJA_ASSIGN_OR_RETURN(const Files::Bytes file, OpenChecked(files, *entry));
    MUNJA_RETURN_IF_ERROR(WriteFile(folder + "/" + entry->file, file.bytes));
  }
  if (const auto card = files.Open(kModelCardFile); card.ok())
    MUNJA_RETURN_IF_ERROR(
        WriteFile(folder + "/" + kModelCardFile, card->bytes));
  return staged->Publish();
}

Result<std::unique_ptr<ocr::Pipeline>> CreatePipeline(
    const Bundle& bundle, const ocr::Config& given,
    const std::shared_ptr<ThreadPool>& pool, runtime::Precision precision,
    bool is_cascade, std::vector<std::shared_ptr<runtime::Delegate>> delegates,
    std::shared_ptr<const text::WordList> words,
    std::string_view allowed_characters, std::string_view denied_characters) {
  const Manifest& m = bundle.manifest;
  for (const auto& delegate : delegates)
    if (!delegate->serves_many_sessions())
      return InvalidArgument("delegate " + std::string(delegate->name()) +
                             " serves one model only, and an engine has "
                             "several");
  if (is_cascade && bundle.integer.detector == nullptr)
    return NotFound(bundle.files->place() +
                    ": the bundle has no networks that compute with integers, "
                    "which precision mixed reads with; 'munja quantize "
                    "--both' makes one with both");
  const Graphs& graphs = is_cascade ? bundle.integer : bundle;
  const Entries entries = is_cascade ? IntegerEntries(m) : FloatEntries(m);
  const auto label = [&](const FileEntry& entry) {
    return bundle.files->Label(entry.file);
  };
  ocr::Networks networks;
  networks.name = m.name;
  ocr::Config config = given;
  MUNJA_ASSIGN_OR_RETURN(
      text::Dictionary dictionary,
      text::Dictionary::Parse(bundle.dictionary, config.recognizer.use_space)
          .With(label(m.dictionary)));
  if (!allowed_characters.empty() || !denied_characters.empty()) {
    MUNJA_ASSIGN_OR_RETURN(std::vector<char> allowed,
                           text::AllowedClasses(dictionary, allowed_characters,
                                                denied_characters));
    networks.allowed =
        std::make_shared<const std::vector<char>>(std::move(allowed));
    config.recognizer.settle_signs = false;
    config.recognizer.part_words = false;
    config.recognizer.language_weight = 0;
    words = nullptr;
  }
  if (config.recognizer.language_weight > 0)
    networks.language.models = bundle.languages;
  networks.language.words = std::move(words);
  const bool has_language = !networks.language.empty();
  runtime::SessionOptions options;
  options.pool = pool;
  options.precision = precision;
  options.delegates = std::move(delegates);
  const std::string detector_file = label(entries.detector);
  MUNJA_ASSIGN_OR_RETURN(networks.detector,
                         MakeSession(detector_file, graphs.detector,
                                     config.detector.normalization, options));
  MUNJA_RETURN_IF_ERROR(
      CheckDetector(*networks.detector, config.detector).With(detector_file));
  networks.detector = WithFileName(std::move(networks.detector), detector_file);
  // The network itself says so, also where the description does not.
  if (graphs.recognizer->metadata.contains(text::kHangulLettersEntry))
    config.recognizer.hangul_letters = true;
  MUNJA_ASSIGN_OR_RETURN(
      networks.recognizer,
      MakeRecognizer(label(entries.recognizer), graphs.recognizer,
                     config.recognizer, has_language,
                     networks.allowed != nullptr, options));
  if (is_cascade) {
    MUNJA_ASSIGN_OR_RETURN(
        networks.exact_recognizer,
        MakeRecognizer(label(m.recognizer), bundle.recognizer,
                       config.recognizer, has_language,
                       networks.allowed != nullptr, options));
  }
  if (graphs.classifier) {
    runtime::SessionOptions plain;
    plain.precision = precision;
    plain.delegates = options.delegates;
    const std::string file = label(*entries.classifier);
    MUNJA_ASSIGN_OR_RETURN(networks.classifier,
                           MakeSession(file, graphs.classifier,
                                       config.classifier.normalization, plain));
    networks.classifier = WithFileName(std::move(networks.classifier), file);
  }
  networks.dictionary =
      std::make_shared<const text::Dictionary>(std::move(dictionary));
  auto pipeline = ocr::Pipeline::Create(std::move(networks), config, pool);
  if (pipeline.ok()) return pipeline;
  // Invalid arguments here come from files that do not fit together.
  const Status& status = pipeline.status();
  const Code code = status.code() == Code::kInvalidArgument ? Code::kMalformed
                                                            : status.code();
  const std::string message(status.message());
  const std::string& place = bundle.files->place();
  // Errors of a network name its file.
  const bool is_named = message.find(place + "/") != message.npos;
  return Status(code, is_named ? message : place + ": " + message);
}

}  // namespace munja::bundle
