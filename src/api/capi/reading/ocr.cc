#include "munja/ocr.h"

#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "bundle/bundle.h"
#include "bundle/config_json.h"
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
using munja::capi::ErrorOf;
using munja::capi::Guard;
using munja::capi::KeepError;
using munja::capi::ReadOptions;
using munja::capi::RequireAll;
using munja::document::Document;

namespace {

Result<Document> Read(munja::ocr::Pipeline& pipeline,
                      const munja::image::ImageView& image, munja_task task,
                      std::optional<float> min_confidence,
                      munja::ocr::StageSink* sink) {
  if (task == MUNJA_TASK_PAGE)
    return pipeline.Recognize(image, sink, min_confidence);
  Document document;
  document.width = image.width;
  document.height = image.height;
  document.model = pipeline.name();
  if (task == MUNJA_TASK_LINE) {
    MUNJA_ASSIGN_OR_RETURN(auto line, pipeline.RecognizeLine(image));
    document.lines.push_back(std::move(line));
    return document;
  }
  if (task != MUNJA_TASK_DETECT) return InvalidArgument("unknown task");
  MUNJA_ASSIGN_OR_RETURN(const auto boxes, pipeline.Detect(image, sink));
  for (const munja::ocr::TextBox& box : boxes) {
    munja::document::Line line;
    line.polygon = box.outline.value_or(box.quad);
    line.confidence = box.score;
    document.lines.push_back(std::move(line));
  }
  return document;
}

// The files of a model that is not in a directory, copied.
Result<std::shared_ptr<const munja::bundle::Files>> FilesOf(
    const munja_file* files, int32_t count) {
  if (count < 0 || files == nullptr)
    return InvalidArgument("file_count does not fit the files");
  std::map<std::string, std::vector<uint8_t>> copies;
  for (int32_t i = 0; i < count; ++i) {
    const munja_file& file = files[i];
    if (file.name == nullptr || *file.name == 0)
      return InvalidArgument("file " + std::to_string(i) + " has no name");
    std::vector<uint8_t> bytes;
    if (file.data != nullptr) {
      const auto* const data = static_cast<const uint8_t*>(file.data);
      bytes.assign(data, data + file.size);
    } else if (file.size > 0) {
      MUNJA_ASSIGN_OR_RETURN(
          bytes, munja::ReadDescriptor(file.fd, file.offset,
                                       static_cast<int64_t>(file.size)));
    }
    if (!copies.emplace(file.name, std::move(bytes)).second)
      return InvalidArgument("two files are named " + std::string(file.name));
  }
  return munja::bundle::OwnedFiles("memory", std::move(copies));
}

// The part of the image that is read; all zeros: the whole image.
Result<munja::image::ImageView> RegionOf(munja::image::ImageView image,
                                         const int32_t* region) {
  const int64_t left = region[0], top = region[1];
  const int64_t width = region[2], height = region[3];
  if (left == 0 && top == 0 && width == 0 && height == 0) return image;
  if (left < 0 || top < 0 || width < 1 || height < 1 ||
      left + width > image.width || top + height > image.height)
    return InvalidArgument("the region is not inside of the image");
  image.data = image.row(region[1]) + 3 * static_cast<size_t>(left);
  image.width = region[2];
  image.height = region[3];
  return image;
}

// The boxes of MUNJA_TASK_BOXES, in pixels of the region.
Result<std::vector<munja::geometry::Quad>> QuadsOf(
    const munja_read_options& o) {
  std::vector<munja::geometry::Quad> quads;
  if (o.task != MUNJA_TASK_BOXES) return quads;
  if (o.box_count < 0 || (o.box_count > 0 && o.boxes == nullptr))
    return InvalidArgument("box_count does not fit the boxes");
  for (int32_t i = 0; i < o.box_count; ++i) {
    munja::geometry::Quad& quad = quads.emplace_back();
    for (size_t k = 0; k < 4; ++k) {
      const float* const corner = o.boxes + 8 * static_cast<size_t>(i) + 2 * k;
      if (!std::isfinite(corner[0]) || !std::isfinite(corner[1]))
        return InvalidArgument("box " + std::to_string(i) +
                               " has a corner that is not a number");
      quad[k] = {corner[0] - static_cast<float>(o.region[0]),
                 corner[1] - static_cast<float>(o.region[1])};
    }
  }
  return quads;
}

void MoveBy(int32_t x, int32_t y, Document* document) {
  const auto move = [&](munja::geometry::Quad& quad) {
    for (munja::geometry::Point& p : quad) {
      p.x += static_cast<float>(x);
      p.y += static_cast<float>(y);
    }
  };
  for (munja::document::Line& line : document->lines) {
    move(line.polygon);
    for (munja::document::Character& c : line.characters) move(c.polygon);
  }
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
        std::shared_ptr<const munja::bundle::Files> files;
        if (o.file_count != 0) {
          MUNJA_ASSIGN_OR_RETURN(files, FilesOf(o.files, o.file_count));
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
            const munja::bundle::Bundle bundle,
            munja::bundle::LoadBundle(
                std::move(files),
                is_mixed || (is_default && delegates.empty())));
        const bool is_cascade = is_mixed || bundle.integer.detector != nullptr;
        munja::ocr::Config contract = bundle.manifest.config;
        if (o.overrides != nullptr)
          MUNJA_RETURN_IF_ERROR(
              munja::bundle::ApplyOverrides(o.overrides, &contract));
        MUNJA_ASSIGN_OR_RETURN(
            auto pipeline,
            munja::bundle::CreatePipeline(
                bundle, contract, std::move(pool), precision, is_cascade,
                std::move(delegates), std::move(words),
                o.allowed_characters ? o.allowed_characters : ""));
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
                : Read(*pipeline, view, o.task, floor, files.get());
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
