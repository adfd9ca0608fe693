#include "reading/read/line_readers.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "base/control.h"
#include "reading/find/low_score_boxes.h"
#include "reading/orient/page_turn.h"
#include "reading/read/character_places.h"

namespace munja::ocr {
namespace {

// By how much one more thread speeds up the reading of a single line.
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
  constexpr size_t kMostThreads = 64;
  double busy[kMostThreads] = {};
  const std::span<double> loads(
      busy, std::min(static_cast<size_t>(threads), kMostThreads));
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

Status LineReaders::CutAll(const image::ImageView& page,
                           std::span<const TextBox> boxes,
                           std::vector<LineImage>& lines) {
  lines.resize(boxes.size());
  is_turned_.assign(boxes.size(), 0);
  statuses_.clear();
  statuses_.resize(boxes.size());
  const auto run = [&](size_t begin, size_t end, int worker) {
    auto& classifier = readers_[static_cast<size_t>(worker)].classifier;
    for (size_t i = begin; i < end; ++i)
      statuses_[i] =
          Cut(page, boxes[i], i, classifier ? &*classifier : nullptr, lines[i]);
  };
  if (pool_ != nullptr)
    pool_->ParallelFor(boxes.size(), 1, run);
  else
    run(0, boxes.size(), 0);
  for (size_t i = 0; i < boxes.size(); ++i)
    if (!statuses_[i].ok()) return OfLine(std::move(statuses_[i]), i);
  return CheckControl();
}

Status LineReaders::ReadSample(const Page& page, std::span<const size_t> lines,
                               Look look, std::vector<Reading>& readings) {
  tasks_.clear();
  for (const size_t line : lines) AddTask(page, line, look, 0);
  MUNJA_RETURN_IF_ERROR(RunTasks(page));
  for (size_t slot = 0; slot < lines.size(); ++slot)
    readings.push_back(std::move(results_[slot]));
  return Status();
}

Result<int> LineReaders::FindQuarterTurns(const image::ImageView& pixels,
                                          std::span<const TextBox> boxes,
                                          std::vector<KnownLine>* known) {
  known->clear();
  const RecognizerContract& contract = readers_[0].recognizer.contract();
  const std::vector<size_t> sample = TurnSample(boxes, contract);
  if (sample.empty()) return 0;
  // They are no part of what a page has to be read.
  const ControlScope silent(CurrentControl(), ControlScope::kSilent);
  const Page page = {pixels, boxes, {}};
  is_turned_.assign(boxes.size(), 0);
  const std::span<const size_t> all(sample);
  const bool has_classifier = readers_[0].classifier.has_value();
  std::vector<Reading> readings, turned;
  // Two lines that are read well as they lie say enough.
  const bool is_on_end = IsOnEnd(boxes[sample[0]].quad, contract);
  const size_t first = is_on_end || has_classifier ? all.size() : 2;
  MUNJA_RETURN_IF_ERROR(
      ReadSample(page, all.first(first), Look::kFirst, readings));
  bool is_upright = !is_on_end && !has_classifier;
  for (const Reading& reading : readings)
    is_upright = is_upright && reading.text.confidence >= kReadsWell;
  TurnVotes votes;
  if (!is_upright) {
    MUNJA_RETURN_IF_ERROR(
        ReadSample(page, all.subspan(first), Look::kFirst, readings));
    if (!has_classifier)
      MUNJA_RETURN_IF_ERROR(ReadSample(page, all, Look::kUpsideDown, turned));
    for (size_t i = 0; i < readings.size(); ++i)
      votes.Add({&readings[i], i < turned.size() ? &turned[i] : nullptr});
    if (const int turns = votes.Turns(); turns != 0) return turns;
  }
  // The classifier's word on a line is part of what comes next.
  if (has_classifier) return 0;
  for (size_t i = 0; i < readings.size(); ++i)
    known->push_back({sample[i], std::move(readings[i])});
  return 0;
}

Status LineReaders::ReadAll(const image::ImageView& pixels,
                            std::span<const TextBox> boxes,
                            std::span<const LineImage> lines,
                            std::vector<Reading>& readings,
                            std::span<KnownLine> known) {
  const Page page = {pixels, boxes, lines};
  if (lines.empty()) is_turned_.assign(boxes.size(), 0);
  readings.resize(boxes.size());
  std::vector<char> is_done(boxes.size(), 0);
  for (auto& [line, reading] : known) {
    readings[line] = std::move(reading);
    is_done[line] = 1;
  }
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (!IsFaintSpeck(boxes[i], readers_[0].recognizer.contract())) continue;
    readings[i] = Reading();
    is_done[i] = 1;
  }
  tasks_.clear();
  for (size_t i = 0; i < boxes.size(); ++i)
    if (is_done[i] == 0) AddTask(page, i, Look::kFirst, 0);
  MUNJA_RETURN_IF_ERROR(RunTasks(page));
  for (size_t i = 0, slot = 0; i < boxes.size(); ++i)
    if (is_done[i] == 0) std::swap(readings[i], results_[slot++]);
  Status again = ReadDoubtful(page, readings);
  if (IsDoneWithout(again, "doubtful lines are not all read again"))
    return Status();
  return again;
}

Status LineReaders::ReadDoubtful(const Page& page,
                                 std::vector<Reading>& readings) {
  const std::span<const TextBox> boxes = page.boxes;
  FindDoubtful(page, readings);
  if (readers_[0].exact) MUNJA_RETURN_IF_ERROR(ReadExactly(page, readings));
  const auto faint =
      std::count_if(boxes.begin(), boxes.end(),
                    [](const TextBox& box) { return box.is_faint; });
  const bool is_unknown = IsUnknownWriting(
      doubtful_.size(), boxes.size() - static_cast<size_t>(faint));
  if (!is_unknown) MUNJA_RETURN_IF_ERROR(ReadOtherCuts(page, readings));
  if (readers_[0].classifier) return Status();
  return ReadUpsideDown(page, is_unknown, readings);
}

void LineReaders::FindDoubtful(const Page& page,
                               std::span<const Reading> readings) {
  const float sure = readers_[0].recognizer.contract().second_look;
  doubtful_.clear();
  for (size_t i = 0; i < readings.size(); ++i)
    if (readings[i].text.confidence < sure && !page.boxes[i].is_faint)
      doubtful_.push_back(i);
}

Status LineReaders::ReadExactly(const Page& page,
                                std::vector<Reading>& readings) {
  if (IsUnknownWriting(doubtful_.size(), readings.size())) return Status();
  std::erase_if(doubtful_,
                [&](size_t i) { return !MayBecomeText(readings[i]); });
  tasks_.clear();
  for (const size_t i : doubtful_) AddTask(page, i, Look::kExact, 0);
  MUNJA_RETURN_IF_ERROR(RunTasks(page));
  for (size_t slot = 0; slot < doubtful_.size(); ++slot)
    std::swap(readings[doubtful_[slot]], results_[slot]);
  FindDoubtful(page, readings);
  return Status();
}

Status LineReaders::ReadOtherCuts(const Page& page,
                                  std::vector<Reading>& readings) {
  open_.clear();
  for (const size_t i : doubtful_)
    if (MayBecomeText(readings[i])) open_.push_back({i, readings[i].text});
  for (int cut = 0; cut < kSecondCuts && !open_.empty(); ++cut) {
    tasks_.clear();
    for (const Open& open : open_)
      AddTask(page, open.line, Look::kOtherCut, cut);
    MUNJA_RETURN_IF_ERROR(RunTasks(page));
    size_t slot = 0;
    std::erase_if(open_, [&](const Open& open) {
      return TakeCut(results_[slot++].text, open.first, readings[open.line]);
    });
  }
  return Status();
}

Status LineReaders::ReadUpsideDown(const Page& page, bool is_unknown,
                                   std::vector<Reading>& readings) {
  std::erase_if(doubtful_,
                [&](size_t i) { return !MayBeUpsideDown(readings[i]); });
  const RecognizerContract& contract = readers_[0].recognizer.contract();
  // Which way a line on end runs is a guess for each of them.
  const auto middle =
      std::stable_partition(doubtful_.begin(), doubtful_.end(), [&](size_t i) {
        return !is_unknown && IsOnEnd(page.boxes[i].quad, contract);
      });
  const auto by_use = [&](size_t a, size_t b) {
    const int wa = LineWidth(page.boxes[a].quad, contract);
    const int wb = LineWidth(page.boxes[b].quad, contract);
    return wa != wb ? TellsMore(wa, wb, contract.height) : a < b;
  };
  std::sort(middle, doubtful_.end(), by_use);
  const auto on_end = static_cast<size_t>(middle - doubtful_.begin());
  const size_t sample = StandsUpright(readings) ? 0 : kTurnedSample;
  size_t end = std::min(doubtful_.size(), on_end + sample);
  for (size_t begin = 0; begin < end;) {
    tasks_.clear();
    for (size_t i = begin; i < end; ++i)
      AddTask(page, doubtful_[i], Look::kUpsideDown, 0);
    MUNJA_RETURN_IF_ERROR(RunTasks(page));
    bool is_any_turned = false;
    for (size_t i = begin; i < end; ++i) {
      if (TakeIfUpsideDown(results_[i - begin], readings[doubtful_[i]]) &&
          i >= on_end)
        is_any_turned = true;
    }
    begin = end;
    if (is_any_turned) end = doubtful_.size();
  }
  return Status();
}

void LineReaders::AddTask(const Page& page, size_t line, Look look, int cut) {
  const geometry::Quad& quad = page.boxes[line].quad;
  const RecognizerContract& contract = readers_[0].recognizer.contract();
  tasks_.push_back(
      {line, look, cut, tasks_.size(),
       LineWidth(look == Look::kOtherCut ? SecondCut(quad, cut) : quad,
                 contract)});
}

Status LineReaders::RunTasks(const Page& page) {
  const size_t count = tasks_.size();
  // The widest first: what comes last is short.
  std::sort(tasks_.begin(), tasks_.end(), [](const Task& a, const Task& b) {
    return a.width != b.width ? a.width > b.width : a.slot < b.slot;
  });
  if (results_.size() < count) results_.resize(count);
  statuses_.clear();
  statuses_.resize(count);
  size_t side_by_side = count;
  if (pool_ != nullptr) {
    widths_.clear();
    for (const Task& task : tasks_) widths_.push_back(task.width);
    side_by_side = LinesSideBySide(widths_, pool_->threads());
    // In that order over all threads, not by shares of them.
    std::atomic<size_t> next{0};
    const auto take = [&](size_t, size_t, int worker) {
      Reader& reader = readers_[static_cast<size_t>(worker)];
      for (size_t i = next++; i < side_by_side; i = next++) {
        statuses_[i] = Run(page, tasks_[i], reader);
        ReportProgress("lines", i + 1, count);
      }
    };
    pool_->ParallelFor(static_cast<size_t>(pool_->threads()), 1, take);
  }
  for (size_t i = pool_ != nullptr ? side_by_side : 0; i < count; ++i) {
    statuses_[i] = Run(page, tasks_[i], readers_[0]);
    ReportProgress("lines", i + 1, count);
  }

  size_t failed = count;
  for (size_t i = 0; i < count; ++i) {
    if (statuses_[i].ok()) continue;
    if (failed == count || tasks_[i].slot < tasks_[failed].slot) failed = i;
  }
  // Workers may have been told to stop before they began.
  if (failed == count) return CheckControl();
  const Code code = statuses_[failed].code();
  if (code == Code::kCancelled || code == Code::kTimedOut)
    return std::move(statuses_[failed]);
  return OfLine(std::move(statuses_[failed]), tasks_[failed].line);
}

Status LineReaders::Run(const Page& page, const Task& task, Reader& reader) {
  MUNJA_RETURN_IF_ERROR(CheckControl());
  const TextBox& box = page.boxes[task.line];
  Reading& result = results_[task.slot];
  const LineImage* line = &reader.line;
  const bool is_first = task.look == Look::kFirst;
  if ((is_first || task.look == Look::kExact) && !page.lines.empty()) {
    line = &page.lines[task.line];
  } else if (is_first) {
    MUNJA_RETURN_IF_ERROR(Cut(page.pixels, box, task.line,
                              reader.classifier ? &*reader.classifier : nullptr,
                              reader.line));
  } else {
    const bool is_other_cut = task.look == Look::kOtherCut;
    Status status = CutLine(
        page.pixels, is_other_cut ? SecondCut(box.quad, task.cut) : box.quad,
        reader.recognizer.contract(), reader.line);
    // A box that shrinks to nothing has nothing to say.
    if (status.code() == Code::kInvalidArgument) {
      result = Reading();
      return Status();
    }
    if (!status.ok()) return status;
    const bool is_upside_down = task.look == Look::kUpsideDown;
    if ((is_turned_[task.line] != 0) != is_upside_down) TurnAround(reader.line);
  }
  result.polygon = line->polygon;
  const bool is_exact =
      task.look == Look::kExact ||
      (task.look == Look::kOtherCut && reader.exact.has_value());
  Recognizer& recognizer = is_exact ? *reader.exact : reader.recognizer;
  MUNJA_RETURN_IF_ERROR(recognizer.Read(line->pixels.view(), result.text));
  if (task.look == Look::kOtherCut)
    PlaceInBox(result.polygon, SecondGrowth(box.quad, task.cut),
               result.text.marks);
  return Status();
}

Status LineReaders::Cut(const image::ImageView& page, const TextBox& box,
                        size_t line, OrientationClassifier* classifier,
                        LineImage& cut) {
  MUNJA_RETURN_IF_ERROR(
      CutLine(page, box.quad, readers_[0].recognizer.contract(), cut));
  if (classifier == nullptr) return Status();
  MUNJA_ASSIGN_OR_RETURN(const bool is_turned,
                         classifier->IsUpsideDown(cut.pixels.view()));
  is_turned_[line] = is_turned;
  if (is_turned) TurnAround(cut);
  return Status();
}

}  // namespace munja::ocr
