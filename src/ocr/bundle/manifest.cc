#include "bundle/manifest.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/file.h"
#include "base/json_end.h"
#include "bundle/config_json.h"
#include "bundle/fields.h"
#include "bundle/sha256.h"

namespace munja::bundle {
namespace {

using Json = nlohmann::json;
using Ordered = nlohmann::ordered_json;

// More than any model this project will read; keeps sizes far from overflow.
constexpr uint64_t kMaxFileBytes = uint64_t{1} << 32;
constexpr size_t kMostLanguages = 16;
constexpr size_t kMostCodes = 200;  // For each language model.

bool IsDigest(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Status ReadEntry(Fields& fields, const std::string& path, FileEntry* entry) {
  fields.Read("file", &entry->file);
  fields.Read("bytes", &entry->bytes);
  fields.Read("sha256", &entry->sha256);
  MUNJA_RETURN_IF_ERROR(fields.Finish(false));
  if (!IsPlainName(entry->file) || entry->file.starts_with(kManifestFile))
    return Malformed(path + ".file is not a plain file name");
  if (entry->bytes == 0 || entry->bytes > kMaxFileBytes)
    return Malformed(path + ".bytes is not a size that a file here can have");
  if (!IsDigest(entry->sha256))
    return Malformed(path + ".sha256 is not 64 lower-case hexadecimal digits");
  return Status();
}

Status ReadEntry(const Json& json, const std::string& path, FileEntry* entry) {
  Fields fields(json, path);
  return ReadEntry(fields, path, entry);
}

// `parent`: "" or "integer.".
Status RequireEntry(Fields& fields, const std::string& parent, const char* name,
                    FileEntry* entry) {
  const Json* json = fields.Child(name);
  if (!json) return Malformed(parent + name + " is missing");
  return ReadEntry(*json, parent + name, entry);
}

// The three networks, as the members of a bundle or of its "integer".
Status ReadNetworks(Fields& fields, const std::string& parent,
                    FileEntry* detector, FileEntry* recognizer,
                    std::optional<FileEntry>* classifier) {
  MUNJA_RETURN_IF_ERROR(RequireEntry(fields, parent, "detector", detector));
  MUNJA_RETURN_IF_ERROR(RequireEntry(fields, parent, "recognizer", recognizer));
  const Json* json = fields.Child("classifier");
  if (!json) return Status();
  return ReadEntry(*json, parent + "classifier", &classifier->emplace());
}

Status ReadCodes(const Json& json, const std::string& path,
                 std::vector<std::string>* codes) {
  const auto is_code = [](const Json& code) {
    return code.is_string() && IsLanguageCode(code.get<std::string>());
  };
  if (!json.is_array() || json.size() > kMostCodes ||
      !std::all_of(json.begin(), json.end(), is_code))
    return Malformed(path + " is not a list of codes such as \"en\"");
  for (const Json& code : json) codes->push_back(code.get<std::string>());
  return Status();
}

Status ReadLanguage(const Json& json, const std::string& path,
                    LanguageEntry* entry) {
  Fields fields(json, path);
  MUNJA_RETURN_IF_ERROR(ReadEntry(fields, path, entry));
  const Json* const codes = fields.Child("codes");
  if (codes == nullptr) return Status();
  return ReadCodes(*codes, path + ".codes", &entry->codes);
}

Status ReadLanguages(const Json& json, std::vector<LanguageEntry>* languages) {
  if (!json.is_array() || json.size() > kMostLanguages)
    return Malformed("languages is not a list of at most " +
                     std::to_string(kMostLanguages) + " files");
  for (size_t i = 0; i < json.size(); ++i)
    MUNJA_RETURN_IF_ERROR(ReadLanguage(json[i],
                                       "languages[" + std::to_string(i) + "]",
                                       &languages->emplace_back()));
  return Status();
}

Status ReadMeasured(const Json& json, Measured* measured) {
  Fields fields(json, "measured");
  fields.Read("page_ms", &measured->page_ms);
  fields.Read("word_f1", &measured->word_f1);
  fields.Read("on", &measured->on);
  MUNJA_RETURN_IF_ERROR(fields.Finish(false));
  if (!(measured->page_ms > 0))
    return Malformed("measured.page_ms is missing or not positive");
  if (!(measured->word_f1 >= 0 && measured->word_f1 <= 100))
    return Malformed("measured.word_f1 is not a percentage");
  return Status();
}

Ordered ToJson(const FileEntry& entry) {
  return {
      {"file", entry.file}, {"bytes", entry.bytes}, {"sha256", entry.sha256}};
}

}  // namespace

Status CheckFile(const std::string& path, const FileEntry& entry) {
  MUNJA_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  if (entry.bytes > 0 && file->bytes().size() != entry.bytes)
    return Malformed(path + ": it has " + std::to_string(file->bytes().size()) +
                     " bytes, it should have " + std::to_string(entry.bytes));
  MUNJA_ASSIGN_OR_RETURN(const std::string digest, Sha256(file->bytes()));
  if (digest != entry.sha256)
    return Malformed(path + ": its SHA-256 is not the expected one");
  return Status();
}

bool IsPlainName(std::string_view name) {
  return !name.empty() && name.size() <= 100 && name[0] != '.' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-' ||
                  c == '+';
         });
}

bool IsLanguageCode(std::string_view code) {
  return code.size() >= 2 && code.size() <= 16 &&
         std::all_of(code.begin(), code.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

std::vector<const FileEntry*> Manifest::files() const {
  std::vector<const FileEntry*> all = {&detector, &recognizer, &dictionary};
  if (classifier) all.push_back(&*classifier);
  if (integer) {
    all.push_back(&integer->detector);
    all.push_back(&integer->recognizer);
    if (integer->classifier) all.push_back(&*integer->classifier);
  }
  for (const FileEntry& language : languages) all.push_back(&language);
  return all;
}

uint64_t Manifest::bytes() const {
  uint64_t sum = 0;
  for (const FileEntry* file : files()) sum += file->bytes;
  return sum;
}

Result<Manifest> ParseManifest(std::string_view text) {
  MUNJA_ASSIGN_OR_RETURN(Json json, ParseJson(text));
  const TakenApartAtEnd end(json);
  Manifest manifest;
  Fields fields(json, "");
  int format = 0;
  fields.Read("format", &format);
  fields.Read("name", &manifest.name);
  fields.Read("description", &manifest.description);
  MUNJA_RETURN_IF_ERROR(fields.Finish(false));
  if (format < 1) return Malformed("format is missing or not positive");
  if (format > kFormat)
    return Unsupported("bundle format " + std::to_string(format) +
                       " is newer than this program, which reads format " +
                       std::to_string(kFormat));
  if (!IsPlainName(manifest.name)) return Malformed("name is not a plain name");
  if (const Json* measured = fields.Child("measured"))
    MUNJA_RETURN_IF_ERROR(
        ReadMeasured(*measured, &manifest.measured.emplace()));
  MUNJA_RETURN_IF_ERROR(ReadNetworks(fields, "", &manifest.detector,
                                     &manifest.recognizer,
                                     &manifest.classifier));
  if (const Json* integer = fields.Child("integer")) {
    Fields inner(*integer, "integer");
    IntegerNetworks& networks = manifest.integer.emplace();
    MUNJA_RETURN_IF_ERROR(inner.Finish(false));
    MUNJA_RETURN_IF_ERROR(ReadNetworks(inner, "integer.", &networks.detector,
                                       &networks.recognizer,
                                       &networks.classifier));
    if (networks.classifier.has_value() != manifest.classifier.has_value())
      return Malformed("classifier must be there in both precisions or none");
  }
  MUNJA_RETURN_IF_ERROR(
      RequireEntry(fields, "", "dictionary", &manifest.dictionary));
  if (const Json* languages = fields.Child("languages"))
    MUNJA_RETURN_IF_ERROR(ReadLanguages(*languages, &manifest.languages));
  const Json* config = fields.Child("contract");
  if (!config) return Malformed("contract is missing");
  if (Status status = ReadConfig(*config, "contract", &manifest.config);
      !status.ok())
    return Malformed(std::string(status.message()));
  return manifest;
}

std::string ToJson(const Manifest& manifest) {
  Ordered json;
  json["format"] = kFormat;
  json["name"] = manifest.name;
  if (!manifest.description.empty()) json["description"] = manifest.description;
  if (const auto& measured = manifest.measured)
    json["measured"] = {{"page_ms", ShortDecimal(measured->page_ms)},
                        {"word_f1", ShortDecimal(measured->word_f1)},
                        {"on", measured->on}};
  json["detector"] = ToJson(manifest.detector);
  json["recognizer"] = ToJson(manifest.recognizer);
  if (manifest.classifier) json["classifier"] = ToJson(*manifest.classifier);
  if (const auto& integer = manifest.integer) {
    Ordered& inner = json["integer"];
    inner["detector"] = ToJson(integer->detector);
    inner["recognizer"] = ToJson(integer->recognizer);
    if (integer->classifier) inner["classifier"] = ToJson(*integer->classifier);
  }
  json["dictionary"] = ToJson(manifest.dictionary);
  for (const LanguageEntry& language : manifest.languages) {
    Ordered entry = ToJson(language);
    if (!language.codes.empty()) entry["codes"] = language.codes;
    json["languages"].push_back(std::move(entry));
  }
  json["contract"] = ConfigToJson(manifest.config);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace munja::bundle
