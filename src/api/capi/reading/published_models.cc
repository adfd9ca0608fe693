// Models that are fetched: those of the catalog, and bundles by their address.
#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

#include "bundle/catalog.h"
#include "bundle/search.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "munja/model.h"
#include "nlohmann/json.hpp"
#ifdef MUNJA_HAS_DOWNLOAD
#include "bundle/pull/pull.h"
#endif

using munja::InvalidArgument;
using munja::Status;
using munja::bundle::CatalogFile;
using munja::bundle::CatalogModel;
using munja::bundle::CatalogNetwork;
using munja::capi::CopyText;
using munja::capi::ErrorOf;
using munja::capi::Guard;
using munja::capi::KeepError;
using munja::capi::LongGuard;
using munja::capi::RequireAll;

namespace {

nlohmann::ordered_json Describe(const char* role, const CatalogNetwork& network,
                                const CatalogFile& file) {
  nlohmann::ordered_json entry = {{"role", role},
                                  {"address", network.Address(file)},
                                  {"sha256", file.sha256}};
  if (file.bytes > 0) entry["bytes"] = file.bytes;
  return entry;
}

nlohmann::ordered_json Describe(const CatalogModel& model, bool is_installed) {
  nlohmann::ordered_json entry = {
      {"name", model.name},
      {"description", model.description},
      {"languages", nlohmann::ordered_json::array()},
      {"download_bytes", model.bytes()}};
  std::istringstream languages(model.languages);
  for (std::string code; languages >> code;) entry["languages"].push_back(code);
  if (model.accuracy > 0) entry["accuracy"] = model.accuracy;
  entry["publisher"] = munja::bundle::kCatalogPublisher;
  entry["license"] = munja::bundle::kCatalogLicense;
  entry["installed"] = is_installed;
  const CatalogNetwork &detector = *model.detector,
                       &recognizer = *model.recognizer,
                       &classifier = munja::bundle::CatalogClassifier();
  entry["files"] = {Describe("detector", detector, detector.network),
                    Describe("recognizer", recognizer, recognizer.network),
                    Describe("settings", recognizer, recognizer.settings),
                    Describe("classifier", classifier, classifier.network)};
  return entry;
}

}  // namespace

extern "C" {

munja_status munja_model_catalog(char** json) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(json));
    auto list = nlohmann::ordered_json::array();
    const auto installed = munja::bundle::ListBundles();
    for (const CatalogModel& model : munja::bundle::Catalog())
      list.push_back(Describe(
          model, std::any_of(installed.begin(), installed.end(),
                             [&](const munja::bundle::FoundBundle& found) {
                               return found.name == model.name;
                             })));
    return CopyText(list.dump(), json);
  });
}

munja_status munja_model_pull(const char* name,
                              const munja_model_pull_options* options,
                              char** path) {
  return KeepError(
      ErrorOf(options), LongGuard([&]() -> Status {
        MUNJA_RETURN_IF_ERROR(RequireAll(name, path));
        munja_model_pull_options o;
        MUNJA_RETURN_IF_ERROR(munja::capi::ReadOptions(options, &o));
        const munja::ControlScope scope(munja::capi::ControlOf(o.control));
#ifdef MUNJA_HAS_DOWNLOAD
        munja::bundle::PullOptions pull;
        const char* from = o.base_url;
        if (from == nullptr) from = std::getenv("MUNJA_MODELS_URL");
        if (from == nullptr || *from == 0) from = MUNJA_DEFAULT_MODELS_URL;
        if (*from == 0)
          return InvalidArgument(
              "there is no address to fetch models from: set base_url or "
              "MUNJA_MODELS_URL");
        pull.base_url = from;
        MUNJA_ASSIGN_OR_RETURN(pull.folder, munja::bundle::DataFolder());
        if (o.progress != nullptr) {
          pull.progress = [o](const std::string& file, uint64_t done,
                              uint64_t total) {
            return o.progress(o.context, file.c_str(), done, total) == 0;
          };
        }
        MUNJA_ASSIGN_OR_RETURN(const std::string folder,
                               munja::bundle::Pull(name, pull));
        return CopyText(folder, path);
#else
        return munja::Unavailable(
            "this build cannot download; build it with MUNJA_DOWNLOAD");
#endif
      }));
}

}  // extern "C"
