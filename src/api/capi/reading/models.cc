// Models that are installed.
#include <string>
#include <utility>

#include "bundle/bundle.h"
#include "bundle/config_json.h"
#include "bundle/search.h"
#include "capi/runtime/guard.h"
#include "munja/model.h"
#include "nlohmann/json.hpp"

using munja::Result;
using munja::Status;
using munja::bundle::Manifest;
using munja::capi::CopyText;
using munja::capi::Guard;
using munja::capi::RequireAll;

extern "C" {

munja_status munja_model_list(char** json) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(json));
    auto list = nlohmann::ordered_json::array();
    for (const auto& found : munja::bundle::ListBundles()) {
      const std::string& place = found.files->place();
      nlohmann::ordered_json entry = {
          {"name", found.name},
          {"path", place},
          {"embedded", place == munja::bundle::kEmbeddedPlace}};
      const Result<Manifest> manifest =
          munja::bundle::LoadManifest(*found.files);
      if (!manifest.ok()) {
        entry["error"] = std::string(manifest.status().message());
      } else {
        if (!manifest->description.empty())
          entry["description"] = manifest->description;
        entry["bytes"] = manifest->bytes();
        for (const std::string& language :
             munja::bundle::LanguagesOf(*manifest))
          entry["languages"].push_back(language);
        if (const auto& measured = manifest->measured)
          entry["measured"] = {
              {"page_ms", munja::bundle::ShortDecimal(measured->page_ms)},
              {"word_f1", munja::bundle::ShortDecimal(measured->word_f1)},
              {"on", measured->on}};
      }
      list.push_back(std::move(entry));
    }
    return CopyText(
        list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
        json);
  });
}

munja_status munja_model_find(const char* name, char** path) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(path));
    MUNJA_ASSIGN_OR_RETURN(const auto found,
                           munja::bundle::FindBundle(name ? name : ""));
    return CopyText(found->place(), path);
  });
}

munja_status munja_model_directory(char** path) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(path));
    MUNJA_ASSIGN_OR_RETURN(const std::string folder,
                           munja::bundle::DataFolder());
    return CopyText(folder, path);
  });
}

munja_status munja_model_verify(const char* name) {
  return Guard([&]() -> Status {
    MUNJA_ASSIGN_OR_RETURN(auto files,
                           munja::bundle::FindBundle(name ? name : ""));
    MUNJA_ASSIGN_OR_RETURN(const auto bundle,
                           munja::bundle::LoadBundle(std::move(files)));
    if (bundle.integer.detector != nullptr)
      MUNJA_RETURN_IF_ERROR(munja::bundle::CreatePipeline(
                                bundle, bundle.manifest.config, nullptr,
                                munja::runtime::Precision::kFloat32, true)
                                .TakeStatus());
    return munja::bundle::CreatePipeline(bundle, bundle.manifest.config,
                                         nullptr)
        .TakeStatus();
  });
}

munja_status munja_model_extract(const char* name, const char* folder) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(folder));
    MUNJA_ASSIGN_OR_RETURN(const auto files,
                           munja::bundle::FindBundle(name ? name : ""));
    return munja::bundle::Extract(*files, folder);
  });
}

}  // extern "C"
