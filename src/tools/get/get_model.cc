#include "get/get_model.h"

#include <algorithm>
#include <vector>

#include "base/control.h"
#include "base/file.h"
#include "base/folder.h"
#include "bundle/bundle.h"
#include "bundle/manifest.h"
#include "bundle/search.h"
#include "bundle/staged_folder.h"
#include "convert/create_model.h"
#include "graph/graph.h"
#ifdef MUNJA_HAS_DOWNLOAD
#include "bundle/pull/pull.h"
#endif

namespace munja::tools {
namespace {

using bundle::CatalogFile;
using bundle::CatalogModel;
using bundle::CatalogNetwork;

Status Download(const std::string& url,
                [[maybe_unused]] const std::string& path,
                [[maybe_unused]] const bundle::FileEntry& entry) {
#ifdef MUNJA_HAS_DOWNLOAD
  Status status = bundle::Fetch(url, path, entry, {});
  if (status.code() == Code::kUnavailable)
    return Status(status.code(),
                  std::string(status.message()) +
                      "; a mirror's address or a directory of the files may "
                      "be given instead");
  return status;
#else
  return Unavailable(url +
                     ": this build cannot download; build it with "
                     "MUNJA_DOWNLOAD, or give a directory of the files");
#endif
}

// Fetches the files of a model and remembers where they came from.
class Fetcher {
 public:
  explicit Fetcher(std::string from) : from_(std::move(from)) {}

  // The path of a verified file of a network.
  Result<std::string> Get(const CatalogNetwork& network,
                          const CatalogFile& file) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    const bundle::FileEntry entry = {file.file, file.bytes, file.sha256};
    sources_ += "| `" + network.Path(file) + "` | " + network.Address(file) +
                " | `" + file.sha256 + "` |\n";
    if (IsDirectory(from_)) {
      const std::string path = from_ + "/" + network.Path(file);
      MUNJA_RETURN_IF_ERROR(bundle::CheckFile(path, entry));
      return path;
    }
    MUNJA_ASSIGN_OR_RETURN(const std::string cache, bundle::CacheFolder());
    const std::string path = cache + "/downloads/" + network.Path(file);
    if (!bundle::CheckFile(path, entry).ok()) {
      const std::string url =
          from_.empty() ? network.Address(file) : network.Address(file, from_);
      MUNJA_RETURN_IF_ERROR(Download(url, path, entry));
    }
    return path;
  }
  // Rows of a table.
  const std::string& sources() const { return sources_; }

 private:
  std::string from_, sources_;
};

bool HasIntegers(const graph::Graph& network) {
  return std::ranges::any_of(
      network.subgraphs, [](const graph::Subgraph& subgraph) {
        return std::ranges::any_of(subgraph.values,
                                   [](const graph::Value& value) {
                                     return value.type == ElementType::kInt8;
                                   });
      });
}

// Whether the model is there, whole, and has what is wanted.
bool IsThere(const std::string& directory, const GetOptions& options) {
  if (!IsRegularFile(directory + "/" + bundle::kManifestFile)) return false;
  const auto there = bundle::LoadBundle(bundle::FolderFiles(directory), false);
  if (!there.ok() || (options.classifier && there->classifier == nullptr))
    return false;
  return !options.quantize || there->manifest.integer ||
         HasIntegers(*there->detector);
}

// Creates the model in float beside the directory, quantizes it into that, and
// removes the former.
Status CreateQuantized(const std::string& directory,
                       const ModelSources& sources, const QuantizeJob& job,
                       nlohmann::ordered_json* report) {
  MUNJA_ASSIGN_OR_RETURN(const auto staged,
                         bundle::StagedFolder::Create(directory));
  MUNJA_ASSIGN_OR_RETURN(*report, CreateModel(staged->path(), sources));
  MUNJA_ASSIGN_OR_RETURN(nlohmann::ordered_json quantized,
                         QuantizeModel(staged->path(), job, directory));
  for (auto& [role, network] : report->items())
    if (quantized.contains(role))
      network["quantized"] = std::move(quantized[role]);
  return Status();
}

std::string ModelCard(const CatalogModel& model, const std::string& sources,
                      bool is_quantized) {
  return "# Model card: " + std::string(model.name) + "\n\n" +
         model.description + ".\n\nThe weights are those of " +
         bundle::kCatalogPublisher + ", license " + bundle::kCatalogLicense +
         (is_quantized ? ", converted and quantized by Munja.\n\n"
                       : ", converted by Munja.\n\n") +
         "| file | address | SHA-256 |\n|---|---|---|\n" + sources;
}

}  // namespace

Result<std::string> GetModel(const std::string& name, const GetOptions& options,
                             nlohmann::ordered_json* report) {
  const CatalogModel* const model = bundle::FindInCatalog(name);
  if (model == nullptr) {
    std::string known;
    for (const CatalogModel& one : bundle::Catalog())
      known += (known.empty() ? "" : ", ") + std::string(one.name);
    return NotFound("the catalog has no model '" + name + "', only " + known);
  }
  return GetModel(*model, options, report);
}

Result<std::string> GetModel(const CatalogModel& model,
                             const GetOptions& options,
                             nlohmann::ordered_json* report) {
  std::string directory = options.directory;
  if (directory.empty()) {
    MUNJA_ASSIGN_OR_RETURN(directory, bundle::DataFolder());
    directory += std::string("/") + model.name;
  }
  *report = nlohmann::ordered_json::object();
  if (IsThere(directory, options)) return directory;
  // Before a long download.
  if (options.quantize) MUNJA_RETURN_IF_ERROR(CheckJob(*options.quantize));

  if (!options.from.empty() && options.from.find("://") == std::string::npos &&
      !IsDirectory(options.from))
    return NotFound(options.from + ": there is no such directory");
  Fetcher fetcher(options.from);
  ModelSources sources;
  sources.configs = {model.config};
  sources.name = model.name;
  sources.description = model.description;
  sources.fp16 = options.fp16;
  sources.compare = options.compare;
  MUNJA_ASSIGN_OR_RETURN(sources.detector,
                         fetcher.Get(*model.detector, model.detector->network));
  MUNJA_ASSIGN_OR_RETURN(
      sources.recognizer,
      fetcher.Get(*model.recognizer, model.recognizer->network));
  MUNJA_ASSIGN_OR_RETURN(
      sources.configs.emplace_back(),
      fetcher.Get(*model.recognizer, model.recognizer->settings));
  if (options.classifier) {
    const CatalogNetwork& classifier = bundle::CatalogClassifier();
    MUNJA_ASSIGN_OR_RETURN(sources.classifier,
                           fetcher.Get(classifier, classifier.network));
  }
  if (options.quantize) {
    MUNJA_RETURN_IF_ERROR(
        CreateQuantized(directory, sources, *options.quantize, report));
  } else {
    MUNJA_ASSIGN_OR_RETURN(*report, CreateModel(directory, sources));
  }
  MUNJA_RETURN_IF_ERROR(WriteFile(
      directory + "/" + bundle::kModelCardFile,
      ModelCard(model, fetcher.sources(), options.quantize.has_value())));
  return directory;
}

}  // namespace munja::tools
