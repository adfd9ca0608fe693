// Engines: models that are ready to read.
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "bundle/bundle.h"
#include "bundle/config_json.h"
#include "bundle/search.h"
#include "capi/reading/handles.h"
#include "capi/reading/model_files.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/session_options.h"
#include "munja/ocr.h"

using munja::InvalidArgument;
using munja::Status;
using munja::capi::CopyText;
using munja::capi::ErrorOf;
using munja::capi::FilesOf;
using munja::capi::Guard;
using munja::capi::KeepError;
using munja::capi::ReadOptions;
using munja::capi::ReadWordList;
using munja::capi::RequireAll;

extern "C" {

munja_status munja_thread_pool_create(int32_t threads,
                                      munja_thread_pool** pool) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(pool));
    MUNJA_ASSIGN_OR_RETURN(auto made, munja::capi::PoolOf(threads));
    *pool = new munja_thread_pool{std::move(made)};
    return Status();
  });
}

void munja_thread_pool_free(munja_thread_pool* pool) { delete pool; }

munja_status munja_engine_create(const munja_engine_options* options,
                                 munja_engine** engine) {
  return KeepError(
      ErrorOf(options), Guard([&]() -> Status {
        MUNJA_RETURN_IF_ERROR(RequireAll(engine));
        munja_engine_options o;
        MUNJA_RETURN_IF_ERROR(ReadOptions(options, &o));
        if (o.threads < 0 || o.threads > 1024)
          return InvalidArgument("threads must be 0 to 1024");
        MUNJA_ASSIGN_OR_RETURN(
            auto delegates,
            munja::capi::ReadDelegates(o.delegates, o.delegate_count));
        const munja::ControlScope scope(munja::capi::ControlOf(o.control));
        const bool is_mixed = o.precision == MUNJA_PRECISION_MIXED;
        const bool is_default = o.precision == MUNJA_PRECISION_DEFAULT;
        MUNJA_ASSIGN_OR_RETURN(
            const munja::runtime::Precision precision,
            munja::capi::PrecisionOf(
                is_mixed ? MUNJA_PRECISION_FLOAT32 : o.precision,
                o.no_winograd != 0));
        std::shared_ptr<const munja::text::WordList> words;
        if (o.words != nullptr && *o.words != 0) {
          MUNJA_ASSIGN_OR_RETURN(words, ReadWordList(o.words));
        }
        if (o.file_count > 0 && o.model != nullptr && *o.model != 0)
          return InvalidArgument("model and files are both given");
        const bool has_languages = o.languages != nullptr && *o.languages != 0;
        std::shared_ptr<const munja::bundle::Files> files;
        if (o.file_count != 0) {
          MUNJA_ASSIGN_OR_RETURN(files, FilesOf(o.files, o.file_count));
        } else if (has_languages && (o.model == nullptr || *o.model == 0)) {
          MUNJA_ASSIGN_OR_RETURN(files,
                                 munja::bundle::FindBundleFor(o.languages));
        } else {
          MUNJA_ASSIGN_OR_RETURN(
              files, munja::bundle::FindBundle(o.model ? o.model : ""));
        }
        std::shared_ptr<munja::ThreadPool> pool;
        if (o.pool != nullptr) {
          pool = o.pool->pool;
        } else {
          MUNJA_ASSIGN_OR_RETURN(pool, munja::capi::PoolOf(o.threads));
        }
        MUNJA_ASSIGN_OR_RETURN(
            munja::bundle::Bundle bundle,
            munja::bundle::LoadBundle(
                std::move(files),
                is_mixed || (is_default && delegates.empty())));
        if (has_languages)
          MUNJA_RETURN_IF_ERROR(
              munja::bundle::KeepLanguages(o.languages, &bundle));
        const bool is_cascade = is_mixed || bundle.integer.detector != nullptr;
        munja::ocr::Config config = bundle.manifest.config;
        if (o.overrides != nullptr)
          MUNJA_RETURN_IF_ERROR(
              munja::bundle::ApplyOverrides(o.overrides, &config));
        MUNJA_ASSIGN_OR_RETURN(
            auto pipeline, munja::bundle::CreatePipeline(
                               bundle, config, pool, precision, is_cascade,
                               std::move(delegates), std::move(words),
                               o.allowed_characters ? o.allowed_characters : "",
                               o.denied_characters ? o.denied_characters : ""));
        *engine = new munja_engine(std::move(pipeline));
        return Status();
      }));
}

void munja_engine_free(munja_engine* engine) { delete engine; }

const char* munja_engine_name(const munja_engine* engine) {
  return engine ? engine->pipeline.name().c_str() : "";
}

munja_status munja_engine_settings(const munja_engine* engine, char** json) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(engine, json));
    return CopyText(
        munja::bundle::ConfigToJson(engine->pipeline.config())
            .dump(2, ' ', false, nlohmann::json::error_handler_t::replace),
        json);
  });
}

}  // extern "C"
