#include "synth/write_samples.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/file.h"
#include "image/encode.h"
#include "synth/contact_sheet.h"
#include "synth/line_source.h"
#include "synth/page_preview.h"
#include "synth/page_source.h"
#include "synth/recipe.h"

namespace munja::train {
namespace {

constexpr uint64_t kMostPreviewedLines = 240, kMostPreviewedPages = 16;
constexpr int kPagesInRow = 4;
constexpr int kSheetWidth = 1600;
constexpr int kCaptionSize = 13;

std::string ImageName(uint64_t index) {
  std::string digits = std::to_string(index);
  return "images/" +
         std::string(digits.size() < 6 ? 6 - digits.size() : 0, '0') + digits +
         ".png";
}

// Runs make(index) for all of [0, count) on some threads; the first failure
// ends it.
template <class Make>
Status ForAll(uint64_t count, int threads, const Make& make) {
  std::atomic<uint64_t> next = 0;
  std::mutex mutex;
  Status failure;
  const auto work = [&] {
    for (uint64_t i = next++; i < count; i = next++) {
      Status status = make(i);
      if (status.ok()) continue;
      const std::lock_guard<std::mutex> lock(mutex);
      if (failure.ok()) failure = std::move(status);
      next = count;
    }
  };
  std::vector<std::thread> workers;
  for (int i = 1; i < threads; ++i) workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();
  return failure;
}

Status WritePicture(const SynthJob& job, uint64_t index,
                    const image::Image& picture) {
  return image::WritePng(job.folder + "/" + ImageName(index), picture.view());
}

Result<Json> WriteLine(const LineSource& source, uint64_t index,
                       const SynthJob& job) {
  MUNJA_ASSIGN_OR_RETURN(const LineSample sample, source.Make(index));
  MUNJA_RETURN_IF_ERROR(WritePicture(job, index, sample.picture));
  return Json(
      {{"image", ImageName(index)}, {"text", source.LabelOf(sample.text)}});
}

Result<Json> WritePage(const PageSource& source, uint64_t index,
                       const SynthJob& job) {
  MUNJA_ASSIGN_OR_RETURN(const PageSample sample, source.Make(index));
  MUNJA_RETURN_IF_ERROR(WritePicture(job, index, sample.picture));
  Json lines = Json::array();
  for (const PageLine& line : sample.lines) {
    Json outline = Json::array();
    for (const geometry::Point p : line.outline) outline.push_back({p.x, p.y});
    Json entry = {{"poly", std::move(outline)}, {"text", line.text}};
    if (line.ignore) entry["ignore"] = true;
    lines.push_back(std::move(entry));
  }
  return Json({{"image", ImageName(index)}, {"lines", std::move(lines)}});
}

Result<image::Image> PreviewLines(const LineSource& source, uint64_t count,
                                  int threads) {
  std::vector<SheetItem> items(std::min(count, kMostPreviewedLines));
  MUNJA_RETURN_IF_ERROR(
      ForAll(items.size(), threads, [&](uint64_t i) -> Status {
        MUNJA_ASSIGN_OR_RETURN(LineSample sample, source.Make(i));
        MUNJA_ASSIGN_OR_RETURN(items[i].caption,
                               source.Caption(sample.text, kCaptionSize));
        items[i].picture = std::move(sample.picture);
        return Status();
      }));
  return MakeContactSheet(items, kSheetWidth);
}

Result<image::Image> PreviewPages(const PageSource& source, uint64_t count,
                                  int) {
  const int rows = static_cast<int>(
      (std::min(count, kMostPreviewedPages) + kPagesInRow - 1) / kPagesInRow);
  return PageContactSheet(source, 0, kPagesInRow, rows,
                          kSheetWidth / kPagesInRow, false);
}

Status MakeFolders(const std::string& folder) {
  for (const char* sub : {"/images", "/labels"}) {
    std::error_code error;
    std::filesystem::create_directories(folder + sub, error);
    if (error) return IoError(folder + sub + ": " + error.message());
  }
  return Status();
}

template <class Source>
Status WriteAll(const SynthJob& job, int threads,
                Result<Json> (*write)(const Source&, uint64_t, const SynthJob&),
                Result<image::Image> (*preview)(const Source&, uint64_t, int),
                std::vector<std::string>& warnings) {
  MUNJA_ASSIGN_OR_RETURN(const std::unique_ptr<Source> source,
                         Source::Open(job.recipe, job.seed));
  warnings = source->warnings();
  if (!job.folder.empty()) {
    MUNJA_RETURN_IF_ERROR(MakeFolders(job.folder));
    std::vector<std::string> labels(job.count);
    MUNJA_RETURN_IF_ERROR(ForAll(job.count, threads, [&](uint64_t i) -> Status {
      MUNJA_ASSIGN_OR_RETURN(const Json label, write(*source, i, job));
      labels[i] = label.dump() + "\n";
      return Status();
    }));
    std::string all;
    for (const std::string& label : labels) all += label;
    MUNJA_RETURN_IF_ERROR(WriteFile(job.folder + "/labels/synth.jsonl", all));
  }
  if (job.preview.empty()) return Status();
  MUNJA_ASSIGN_OR_RETURN(const image::Image sheet,
                         preview(*source, job.count, threads));
  return image::WritePng(job.preview, sheet.view());
}

}  // namespace

Status WriteSamples(const SynthJob& job, std::vector<std::string>& warnings) {
  if (job.folder.empty() && job.preview.empty())
    return InvalidArgument("neither a folder nor a preview to write");
  if (job.count == 0)
    return InvalidArgument("no samples to write: the count is 0");
  const int threads =
      job.threads > 0
          ? job.threads
          : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (job.pages)
    return WriteAll<PageSource>(job, threads, WritePage, PreviewPages,
                                warnings);
  return WriteAll<LineSource>(job, threads, WriteLine, PreviewLines, warnings);
}

}  // namespace munja::train
