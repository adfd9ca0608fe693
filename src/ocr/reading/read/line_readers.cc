#include "reading/read/line_readers.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "base/control.h"
#include "reading/read/character_places.h"

namespace munja::ocr {
namespace {

// The gain in speed of one more thread on a single line.
constexpr double kSpeedUp = 0.6;

Status OfLine(Status status, size_t line) {
  return std::move(status).With("line " + std::to_string(line));
}

}  // namespace

size_t LinesSideBySide(std::span<const int> widths, int threads) {
  if (threads <= 1) return widths.size();
  const double together = 1.0 + kSpeedUp * (threads - 1);
  double left = 0;
  for (const int width : widths) left += width;
  // Each line goes to the thread that is free first. Only the ends count.
  constexpr size_t kMaxThreads = 64;
  double busy[kMaxThreads] = {};
  const std::span<double> loads(
      busy, std::min(static_cast<size_t>(threads), kMaxThreads));
  size_t best = 0;
  double least = left / together;
  for (size_t i = 0; i < widths.size(); ++i) {
    *std::min_element(loads.begin(), loads.end()) += widths[i];
    left -= widths[i];
    const double total =
        *std::max_element(loads.begin(), loads.end()) + left / together;
    // Side by side where it is all the same.
    if (total > least * (1 + 1e-9)) continue;
    least = total;
    best = i + 1;
  }
  return best;
}

Result<LineReaders> LineReaders::Create(
    Recognizer recognizer, std::optional<Recognizer> exact,
    std::optional<OrientationClassifier> classifier,
    std::shared_ptr<ThreadPool> pool) {
  std::vector<Reader> readers;
  const int threads = pool != nullptr ? pool->threads() : 1;
  readers.push_back(Reader{
      std::move(recognizer), std::move(exact), std::move(classifier), {}});
  for (int i = 1; i < threads; ++i) {
    MUNJA_ASSIGN_OR_RETURN(Recognizer fork, readers[0].recognizer.Fork());
    Reader reader{std::move(fork), std::nullopt, std::nullopt, {}};
    if (readers[0].exact) {
      MUNJA_ASSIGN_OR_RETURN(reader.exact, readers[0].exact->Fork());
    }
    if (readers[0].classifier) {
      MUNJA_ASSIGN_OR_RETURN(reader.classifier, readers[0].classifier->Fork());
    }
    readers.push_back(std::move(reader));
  }
  return LineReaders(std::move(readers), std::move(pool));
}

Result<LineReaders> LineReaders::Fork() const {
  MUNJA_ASSIGN_OR_RETURN(Recognizer recognizer,
                         readers_[0].recognizer.Fork(pool_));
  std::optional<Recognizer> exact;
  if (readers_[0].exact) {
    MUNJA_ASSIGN_OR_RETURN(exact, readers_[0].exact->Fork(pool_));
  }
  std::optional<OrientationClassifier> classifier;
  if (readers_[0].classifier) {
    MUNJA_ASSIGN_OR_RETURN(classifier, readers_[0].classifier->Fork());
  }
  return Create(std::move(recognizer), std::move(exact), std::move(classifier),
                pool_);
}

Status LineReaders::FreeMemory() {
  MUNJA_ASSIGN_OR_RETURN(LineReaders fresh, Fork());
  // In place: callers hold what config() returned.
  std::move(fresh.readers_.begin(), fresh.readers_.end(), readers_.begin());
  return Status();
}

Status LineReaders::CropAll(const image::ImageView& page,
                            std::span<PageLine> lines) {
  std::vector<Status> statuses(lines.size());
  const auto run = [&](size_t begin, size_t end, int worker) {
    auto& classifier = readers_[static_cast<size_t>(worker)].classifier;
    for (size_t i = begin; i < end; ++i)
      statuses[i] = Crop(page, lines[i], classifier, lines[i].crop);
  };
  if (pool_ != nullptr)
    pool_->ParallelFor(lines.size(), 1, run);
  else
    run(0, lines.size(), 0);
  for (size_t i = 0; i < lines.size(); ++i)
    if (!statuses[i].ok()) return OfLine(std::move(statuses[i]), i);
  return CheckControl();
}

Status LineReaders::ReadAll(const image::ImageView& page,
                            std::span<PageLine> lines) {
  std::vector<ReadingJob> jobs;
  for (size_t i = 0; i < lines.size(); ++i)
    if (!lines[i].is_read && !IsLowScoreSpeck(lines[i].box, config()))
      jobs.push_back(JobOf(lines, i, Pass::kFirst));
  MUNJA_RETURN_IF_ERROR(Run(page, lines, jobs));
  for (ReadingJob& job : jobs) {
    lines[job.line].reading = std::move(job.result);
    lines[job.line].is_read = true;
  }
  return Status();
}

Status LineReaders::Run(const image::ImageView& page, std::span<PageLine> lines,
                        std::vector<ReadingJob>& jobs) {
  queue_.clear();
  for (ReadingJob& job : jobs)
    queue_.push_back({&job, LineWidth(job.quad, config())});
  // The widest first: what comes last is short.
  std::sort(queue_.begin(), queue_.end(), [](const Queued& a, const Queued& b) {
    return a.width != b.width ? a.width > b.width : a.job < b.job;
  });
  RunQueue(page, lines);
  MUNJA_RETURN_IF_ERROR(RunAlone(page, lines));
  Queued* failed = nullptr;
  for (Queued& queued : queue_)
    if (!queued.status.ok() && (failed == nullptr || queued.job < failed->job))
      failed = &queued;
  // Workers may have been told to stop before they began.
  if (failed == nullptr) return CheckControl();
  const Code code = failed->status.code();
  if (code == Code::kCancelled || code == Code::kTimedOut)
    return std::move(failed->status);
  return OfLine(std::move(failed->status), failed->job->line);
}

void LineReaders::RunQueue(const image::ImageView& page,
                           std::span<PageLine> lines) {
  const auto run = [&](size_t i, Reader& reader) {
    ReadingJob& job = *queue_[i].job;
    queue_[i].status = Run(page, lines[job.line], job, reader);
    ReportProgress("lines", i + 1, queue_.size());
  };
  size_t side_by_side = 0;
  if (pool_ != nullptr) {
    widths_.clear();
    for (const Queued& queued : queue_) widths_.push_back(queued.width);
    side_by_side = LinesSideBySide(widths_, pool_->threads());
    // In order of the queue over all threads, not by shares of them.
    std::atomic<size_t> next{0};
    const auto take = [&](size_t, size_t, int worker) {
      Reader& reader = readers_[static_cast<size_t>(worker)];
      for (size_t i = next++; i < side_by_side; i = next++) run(i, reader);
    };
    pool_->ParallelFor(static_cast<size_t>(pool_->threads()), 1, take);
  }
  for (size_t i = side_by_side; i < queue_.size(); ++i) run(i, readers_[0]);
}

Status LineReaders::RunAlone(const image::ImageView& page,
                             std::span<PageLine> lines) {
  std::vector<Queued*> failed;
  for (Queued& queued : queue_)
    if (queued.status.code() == Code::kOutOfMemory) failed.push_back(&queued);
  if (failed.empty()) return Status();
  MUNJA_RETURN_IF_ERROR(FreeMemory());
  for (Queued* queued : failed)
    queued->status =
        Run(page, lines[queued->job->line], *queued->job, readers_[0]);
  return Status();
}

Status LineReaders::Run(const image::ImageView& page, PageLine& line,
                        ReadingJob& job, Reader& reader) const {
  MUNJA_RETURN_IF_ERROR(CheckControl());
  const LineImage* crop = &reader.crop;
  const bool is_first = job.pass == Pass::kFirst;
  if ((is_first || job.pass == Pass::kExact) && line.crop.pixels.width() > 0) {
    crop = &line.crop;
  } else if (is_first) {
    MUNJA_RETURN_IF_ERROR(Crop(page, line, reader.classifier, reader.crop));
  } else {
    Status status = CutLine(page, job.quad, config(), reader.crop);
    // A box that shrinks to nothing has nothing to say.
    if (status.code() == Code::kInvalidArgument) {
      job.result = Reading();
      return Status();
    }
    if (!status.ok()) return status;
    if (line.is_upside_down != (job.pass == Pass::kUpsideDown))
      TurnAround(reader.crop);
  }
  job.result.polygon = crop->polygon;
  const bool is_exact = job.pass == Pass::kExact || job.pass == Pass::kRecrop;
  Recognizer& recognizer =
      is_exact && reader.exact ? *reader.exact : reader.recognizer;
  MUNJA_RETURN_IF_ERROR(recognizer.Read(crop->pixels.view(), job.result.text));
  if (job.pass == Pass::kRecrop)
    PlaceInBox(job.result.polygon, job.growth, job.result.text.marks);
  return Status();
}

Status LineReaders::Crop(const image::ImageView& page, PageLine& line,
                         std::optional<OrientationClassifier>& classifier,
                         LineImage& crop) const {
  MUNJA_RETURN_IF_ERROR(CutLine(page, line.box.quad, config(), crop));
  if (!classifier) return Status();
  MUNJA_ASSIGN_OR_RETURN(line.is_upside_down,
                         classifier->IsUpsideDown(crop.pixels.view()));
  if (line.is_upside_down) TurnAround(crop);
  return Status();
}

}  // namespace munja::ocr
