#include "munja/ocr.h"

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "bundle/bundle.h"
#include "bundle/contract_json.h"
#include "bundle/search.h"
#include "capi/reading/handles.h"
#include "capi/reading/stage_files.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/session_options.h"
#include "text/word_list.h"

using munja::Code;
using munja::InvalidArgument;
using munja::Result;
using munja::Status;
using munja::capi::CopyText;
using munja::capi::Guard;
using munja::capi::ReadOptions;
using munja::capi::RequireAll;
using munja::document::Document;

namespace {

Result<Document> Read(munja::ocr::Pipeline& pipeline,
                      const munja::image::Image& image, munja_task task,
                      std::optional<float> min_confidence,
                      munja::ocr::StageSink* sink) {
  if (task == MUNJA_READ_PAGE)
    return pipeline.Recognize(image.view(), sink, min_confidence);
  Document document;
  document.width = image.width();
  document.height = image.height();
  document.model = pipeline.name();
  if (task == MUNJA_READ_LINE) {
    MUNJA_ASSIGN_OR_RETURN(auto line, pipeline.RecognizeLine(image.view()));
    document.lines.push_back(std::move(line));
    return document;
  }
  if (task != MUNJA_DETECT_ONLY) return InvalidArgument("unknown task");
  MUNJA_ASSIGN_OR_RETURN(const auto boxes, pipeline.Detect(image.view(), sink));
  for (const munja::ocr::TextBox& box : boxes) {
    munja::document::Line line;
    line.polygon = box.outline.value_or(box.quad);
    line.confidence = box.score;
    document.lines.push_back(std::move(line));
  }
  return document;
}

Result<std::shared_ptr<const munja::text::WordList>> ReadWordList(
    const std::string& path) {
  constexpr size_t kMostBytes = size_t{64} << 20;
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                         munja::ReadStream(path, kMostBytes));
  return munja::text::WordList::Parse(
             {reinterpret_cast<const char*>(bytes.data()), bytes.size()})
      .With(path);
}

}  // namespace

extern "C" {

munja_status munja_engine_create(const munja_engine_options* options,
                                 munja_engine** engine) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(engine));
    munja_engine_options o;
    MUNJA_RETURN_IF_ERROR(ReadOptions(options, &o));
    if (o.threads < 0 || o.threads > 1024)
      return InvalidArgument("threads must be 0 to 1024");
    MUNJA_ASSIGN_OR_RETURN(auto delegates, munja::capi::ReadDelegates(
                                               o.delegates, o.delegate_count));
    const munja::ControlScope scope(munja::capi::ControlOf(o.control));
    const bool is_auto = o.precision == MUNJA_PRECISION_AUTO;
    const bool is_bundles = o.precision == MUNJA_PRECISION_BUNDLE;
    MUNJA_ASSIGN_OR_RETURN(
        const munja::runtime::Precision precision,
        munja::capi::PrecisionOf(is_auto || is_bundles ? MUNJA_PRECISION_FLOAT32
                                                       : o.precision));
    std::shared_ptr<const munja::text::WordList> words;
    if (o.words != nullptr && *o.words != 0) {
      MUNJA_ASSIGN_OR_RETURN(words, ReadWordList(o.words));
    }
    MUNJA_ASSIGN_OR_RETURN(auto files,
                           munja::bundle::FindBundle(o.model ? o.model : ""));
    MUNJA_ASSIGN_OR_RETURN(
        const munja::bundle::Bundle bundle,
        munja::bundle::LoadBundle(
            std::move(files), is_auto || (is_bundles && delegates.empty())));
    const bool is_cascade = is_auto || bundle.integer.detector != nullptr;
    munja::ocr::Contract contract = bundle.manifest.contract;
    if (o.overrides != nullptr)
      MUNJA_RETURN_IF_ERROR(
          munja::bundle::ApplyOverrides(o.overrides, &contract));
    MUNJA_ASSIGN_OR_RETURN(
        auto pipeline, munja::bundle::CreatePipeline(
                           bundle, contract, o.threads, precision, is_cascade,
                           std::move(delegates), std::move(words)));
    *engine = new munja_engine(std::move(pipeline));
    return Status();
  });
}

void munja_engine_free(munja_engine* engine) { delete engine; }

const char* munja_engine_name(const munja_engine* engine) {
  return engine ? engine->pipeline.name().c_str() : "";
}

munja_status munja_engine_settings(const munja_engine* engine, char** json) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(engine, json));
    return CopyText(
        munja::bundle::ContractToJson(engine->pipeline.contract())
            .dump(2, ' ', false, nlohmann::json::error_handler_t::replace),
        json);
  });
}

munja_status munja_engine_read(munja_engine* engine, const munja_image* image,
                               const munja_read_options* options,
                               munja_document** document) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(engine, image, document));
    munja_read_options o;
    MUNJA_RETURN_IF_ERROR(ReadOptions(options, &o));
    if (!(o.min_confidence >= 0 && o.min_confidence <= 1))
      return InvalidArgument("min_confidence must be 0 to 1");
    const munja::ControlScope scope(munja::capi::ControlOf(o.control));
    std::unique_ptr<munja::capi::StageFiles> files;
    if (o.dump_folder != nullptr) {
      MUNJA_ASSIGN_OR_RETURN(files,
                             munja::capi::StageFiles::Create(o.dump_folder));
    }
    std::optional<float> floor;
    if (o.min_confidence > 0) floor = o.min_confidence;
    if (o.task < MUNJA_READ_PAGE || o.task > MUNJA_READ_LINE)
      return InvalidArgument("unknown task " +
                             std::to_string(static_cast<int>(o.task)));
    MUNJA_ASSIGN_OR_RETURN(const auto pipeline, engine->pipeline.Take());
    Result<Document> result =
        Read(*pipeline, image->image, o.task, floor, files.get());
    // Picture and options are checked: what does not fit is the model's.
    if (!result.ok() && result.status().code() == Code::kInvalidArgument)
      return munja::Malformed("the model " + pipeline->name() + ": " +
                              std::string(result.status().message()));
    MUNJA_ASSIGN_OR_RETURN(Document read, std::move(result));
    // Boxes and single lines are left out only where the caller says so.
    std::erase_if(read.lines, [&](const munja::document::Line& line) {
      return floor && line.confidence < *floor;
    });
    if (std::isfinite(o.decode_ms)) {
      read.timing.decode = o.decode_ms;
      read.timing.total += o.decode_ms;
    }
    *document = new munja_document(std::move(read));
    return Status();
  });
}

}  // extern "C"
