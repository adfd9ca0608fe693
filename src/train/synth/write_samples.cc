#include "train/synth/write_samples.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/file.h"
#include "image/encode.h"
#include "train/synth/contact_sheet.h"
#include "train/synth/line_source.h"
#include "train/synth/recipe.h"

namespace munja::train {
namespace {

constexpr uint64_t kMostPreviewedLines = 240;
constexpr int kSheetWidth = 1600;
constexpr int kCaptionSize = 13;

std::string ImageName(uint64_t index) {
  std::string digits = std::to_string(index);
  return "images/" + std::string(digits.size() < 6 ? 6 - digits.size() : 0, '0') + digits + ".png";
}

// Runs make(index) for all of [0, count) on some threads; the first failure ends it.
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

Status WriteLines(const SynthJob& job, int threads, std::vector<std::string>& warnings) {
  MUNJA_ASSIGN_OR_RETURN(const std::unique_ptr<LineSource> source, LineSource::Open(job.recipe, job.seed));
  warnings = source->warnings();
  const uint64_t previewed = job.preview.empty() ? 0 : std::min(job.count, kMostPreviewedLines);
  std::vector<SheetItem> items(previewed);
  std::vector<std::string> labels(job.folder.empty() ? 0 : job.count);
  const uint64_t count = job.folder.empty() ? previewed : job.count;
  MUNJA_RETURN_IF_ERROR(ForAll(count, threads, [&](uint64_t i) -> Status {
    MUNJA_ASSIGN_OR_RETURN(LineSample sample, source->Make(i));
    if (!job.folder.empty()) {
      MUNJA_RETURN_IF_ERROR(image::WritePng(job.folder + "/" + ImageName(i), sample.picture.view()));
      labels[i] = Json({{"image", ImageName(i)}, {"text", sample.text}}).dump() + "\n";
    }
    if (i < previewed) {
      MUNJA_ASSIGN_OR_RETURN(items[i].caption, source->Caption(sample.text, kCaptionSize));
      items[i].picture = std::move(sample.picture);
    }
    return Status();
  }));
  if (!job.folder.empty()) {
    std::string all;
    for (const std::string& label : labels) all += label;
    MUNJA_RETURN_IF_ERROR(WriteFile(job.folder + "/labels/synth.jsonl", all));
  }
  if (previewed == 0) return Status();
  MUNJA_ASSIGN_OR_RETURN(const image::Image sheet, MakeContactSheet(items, kSheetWidth));
  return image::WritePng(job.preview, sheet.view());
}

}  // namespace

Status WriteSamples(const SynthJob& job, std::vector<std::string>& warnings) {
  if (job.folder.empty() && job.preview.empty()) return InvalidArgument("neither a folder nor a preview to write");
  if (job.count == 0) return InvalidArgument("no samples to write: the count is 0");
  if (!job.folder.empty()) {
    for (const char* sub : {"/images", "/labels"}) {
      std::error_code error;
      std::filesystem::create_directories(job.folder + sub, error);
      if (error) return IoError(job.folder + sub + ": " + error.message());
    }
  }
  const int threads = job.threads > 0 ? job.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (job.pages) return Unsupported("pages are not written yet");
  return WriteLines(job, threads, warnings);
}

}  // namespace munja::train
