#include "munja/tools/convert.h"

#include <string>
#include <vector>

#include "base/file.h"
#include "bundle/write.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "capi/tools/lists.h"
#include "capi/tools/quantize_job.h"
#include "convert/create_model.h"
#include "convert/input_files.h"
#include "convert/model_writer.h"
#include "get/get_model.h"

using munja::Result;
using munja::Status;
using munja::capi::ErrorOf;
using munja::capi::KeepError;
using munja::capi::KeepReport;
using munja::capi::LongGuard;
using munja::capi::ReadOptions;
using munja::capi::RequireAll;
using munja::capi::TextOf;
using munja::capi::TextsOf;
using munja::tools::ConvertSettings;

namespace {

constexpr size_t kMaxDictionaryBytes = size_t{64} << 20;  // More than any has.

Result<ConvertSettings> ReadSettings(const munja_convert_options& o) {
  ConvertSettings settings;
  settings.fp16 = o.fp16 != 0;
  settings.compare = o.skip_comparison == 0;
  settings.allow_custom_ops = o.allow_custom_ops != 0;
  settings.gpu_safe = o.gpu_safe != 0;
  settings.keep_layout = o.keep_layout != 0;
  settings.shape = TextOf(o.shape);
  settings.report_shape = TextOf(o.report_shape);
  settings.values = TextOf(o.constants);
  MUNJA_ASSIGN_OR_RETURN(settings.pictures,
                         TextsOf(o.images, o.image_count, "image"));
  return settings;
}

Result<munja::tools::ModelSources> ReadSources(
    const munja_model_create_options& o) {
  munja::tools::ModelSources s;
  s.detector = TextOf(o.detector);
  s.recognizer = TextOf(o.recognizer);
  s.classifier = TextOf(o.classifier);
  s.dictionary = TextOf(o.dictionary);
  s.name = TextOf(o.name);
  s.description = TextOf(o.description);
  s.fp16 = o.fp16 != 0;
  s.compare = o.skip_comparison == 0;
  s.gpu_safe = o.gpu_safe != 0;
  s.no_languages = o.no_languages != 0;
  MUNJA_ASSIGN_OR_RETURN(s.configs,
                         TextsOf(o.configs, o.config_count, "config"));
  MUNJA_ASSIGN_OR_RETURN(s.images, TextsOf(o.images, o.image_count, "image"));
  MUNJA_ASSIGN_OR_RETURN(s.languages,
                         TextsOf(o.languages, o.language_count, "language"));
  return s;
}

}  // namespace

extern "C" {

munja_status munja_convert(const char* source, const char* output,
                           const munja_convert_options* options,
                           char** report) {
  const auto convert = [&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(source, output));
    munja_convert_options o;
    MUNJA_RETURN_IF_ERROR(ReadOptions(options, &o));
    const munja::ControlScope scope(munja::capi::ControlOf(o.control));
    MUNJA_ASSIGN_OR_RETURN(ConvertSettings settings, ReadSettings(o));
    // Before the long work.
    std::vector<std::string> inputs = munja::tools::FilesOfModel(source);
    inputs.insert(inputs.end(), settings.pictures.begin(),
                  settings.pictures.end());
    if (o.dictionary != nullptr) inputs.emplace_back(o.dictionary);
    MUNJA_RETURN_IF_ERROR(munja::tools::RefuseOverwriting(output, inputs));
    if (o.dictionary != nullptr) {
      MUNJA_ASSIGN_OR_RETURN(
          settings.dictionary,
          munja::ReadStream(o.dictionary, kMaxDictionaryBytes));
      settings.dictionary_name = munja::bundle::kDictionaryFile;
    }
    MUNJA_ASSIGN_OR_RETURN(const munja::tools::ConvertedModel model,
                           munja::tools::ConvertModel(source, settings));
    MUNJA_RETURN_IF_ERROR(munja::WriteFile(output, model.bytes));
    return KeepReport(model.report, report);
  };
  return KeepError(ErrorOf(options), LongGuard(convert));
}

munja_status munja_model_create(const char* directory,
                                const munja_model_create_options* options,
                                char** report) {
  const auto create = [&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(directory, options));
    munja_model_create_options o;
    MUNJA_RETURN_IF_ERROR(ReadOptions(options, &o));
    MUNJA_RETURN_IF_ERROR(RequireAll(o.detector, o.recognizer));
    MUNJA_ASSIGN_OR_RETURN(const auto sources, ReadSources(o));
    const munja::ControlScope scope(munja::capi::ControlOf(o.control));
    MUNJA_ASSIGN_OR_RETURN(const auto made,
                           munja::tools::CreateModel(directory, sources));
    return KeepReport(made, report);
  };
  return KeepError(ErrorOf(options), LongGuard(create));
}

munja_status munja_model_get(const char* name,
                             const munja_model_get_options* options,
                             char** path, char** report) {
  const auto get = [&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(name, path));
    munja_model_get_options o;
    MUNJA_RETURN_IF_ERROR(ReadOptions(options, &o));
    const munja::ControlScope scope(munja::capi::ControlOf(o.control));
    munja::tools::GetOptions settings;
    settings.from = TextOf(o.from);
    settings.directory = TextOf(o.directory);
    settings.fp16 = o.fp16 != 0;
    settings.compare = o.skip_comparison == 0;
    settings.classifier = o.classifier != 0;
    if (o.quantize != nullptr) {
      MUNJA_ASSIGN_OR_RETURN(settings.quantize, munja::capi::ReadModelJob(
                                                    o.quantize, o.calibration));
    } else if (o.calibration != nullptr) {
      return munja::InvalidArgument(
          "images to calibrate on are given, but not how to quantize");
    }
    nlohmann::ordered_json made;
    MUNJA_ASSIGN_OR_RETURN(const std::string directory,
                           munja::tools::GetModel(name, settings, &made));
    MUNJA_RETURN_IF_ERROR(KeepReport(made, report));
    return munja::capi::CopyText(directory, path);
  };
  return KeepError(ErrorOf(options), LongGuard(get));
}

}  // extern "C"
