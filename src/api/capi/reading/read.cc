// Reading images.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "capi/reading/handles.h"
#include "capi/reading/read_region.h"
#include "capi/reading/stage_files.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "munja/ocr.h"

using munja::Code;
using munja::InvalidArgument;
using munja::Result;
using munja::Status;
using munja::capi::ErrorOf;
using munja::capi::Guard;
using munja::capi::KeepError;
using munja::capi::MoveBy;
using munja::capi::QuadsOf;
using munja::capi::ReadOptions;
using munja::capi::RegionOf;
using munja::capi::RequireAll;
using munja::document::Document;

namespace {

Result<Document> ReadTask(munja::ocr::Pipeline& pipeline,
                          const munja::image::ImageView& image, munja_task task,
                          std::optional<float> min_confidence,
                          munja::ocr::StageSink* sink) {
  if (task == MUNJA_TASK_PAGE)
    return pipeline.Recognize(image, sink, min_confidence);
  if (task == MUNJA_TASK_LINE) return pipeline.RecognizeLine(image);
  if (task != MUNJA_TASK_DETECT) return InvalidArgument("unknown task");
  MUNJA_ASSIGN_OR_RETURN(const auto boxes, pipeline.Detect(image, sink));
  Document document;
  document.width = image.width;
  document.height = image.height;
  document.model = pipeline.name();
  for (const munja::ocr::TextBox& box : boxes) {
    munja::document::Line line;
    line.polygon = box.outline.value_or(box.quad);
    line.confidence = box.score;
    document.lines.push_back(std::move(line));
  }
  return document;
}

}  // namespace

extern "C" {

munja_status munja_engine_read(munja_engine* engine, const munja_image* image,
                               const munja_read_options* options,
                               munja_document** document) {
  return KeepError(
      ErrorOf(options), Guard([&]() -> Status {
        MUNJA_RETURN_IF_ERROR(RequireAll(engine, image, document));
        munja_read_options o;
        MUNJA_RETURN_IF_ERROR(ReadOptions(options, &o));
        if (!(o.min_confidence >= 0 && o.min_confidence <= 1))
          return InvalidArgument("min_confidence must be 0 to 1");
        const munja::ControlScope scope(munja::capi::ControlOf(o.control));
        std::unique_ptr<munja::capi::StageFiles> files;
        if (o.dump_directory != nullptr) {
          MUNJA_ASSIGN_OR_RETURN(
              files, munja::capi::StageFiles::Create(o.dump_directory));
        }
        std::optional<float> floor;
        if (o.has_min_confidence != 0) floor = o.min_confidence;
        if (o.task < MUNJA_TASK_PAGE || o.task > MUNJA_TASK_BOXES)
          return InvalidArgument("unknown task " +
                                 std::to_string(static_cast<int>(o.task)));
        MUNJA_ASSIGN_OR_RETURN(const munja::image::ImageView view,
                               RegionOf(image->view(), o.region));
        MUNJA_ASSIGN_OR_RETURN(const auto quads, QuadsOf(o));
        MUNJA_ASSIGN_OR_RETURN(const auto pipeline, engine->pipeline.Take());
        Result<Document> result =
            o.task == MUNJA_TASK_BOXES
                ? pipeline->RecognizeBoxes(view, quads)
                : ReadTask(*pipeline, view, o.task, floor, files.get());
        // Image and options are checked: what does not fit is the model's.
        if (!result.ok() && result.status().code() == Code::kInvalidArgument)
          return munja::Malformed("the model " + pipeline->name() + ": " +
                                  std::string(result.status().message()));
        MUNJA_ASSIGN_OR_RETURN(Document read, std::move(result));
        MoveBy(o.region[0], o.region[1], &read);
        read.width = image->view().width;
        read.height = image->view().height;
        // Boxes and single lines are left out only where the caller says so.
        std::erase_if(read.lines, [&](const munja::document::Line& line) {
          return floor && line.confidence < *floor;
        });
        read.timing.decode = image->decode_ms;
        read.timing.total += image->decode_ms;
        *document = new munja_document(std::move(read));
        return Status();
      }));
}

}  // extern "C"
