#include "track/live_text.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/str_cat.h"
#include "image/transform.h"

namespace munja::track {
namespace {

// Less sharp than this share of the sharpest frame lately: blurred.
constexpr float kBlurred = 0.45f;
constexpr double kForget = 0.99;  // The factor from frame to frame.
// Sharper than the searched frame by this factor: lines that were not seen in
// it, or not as a whole, may be found.
constexpr float kSharperFrame = 1.15f;
// Frames of which nothing can be read are read nevertheless after so long.
constexpr double kPatience = 0.4;  // Seconds.
// Nothing is visible in such frames.
constexpr float kDark = 5, kBright = 250, kFlat = 6;

geometry::Rect<float> RegionOf(const LiveOptions& options) {
  const geometry::Rect<int>& r = options.region;
  return {static_cast<float>(r.left), static_cast<float>(r.top),
          static_cast<float>(r.right - 1), static_cast<float>(r.bottom - 1)};
}

Status CheckOptions(const LiveOptions& options) {
  const LineRules& r = options.rules;
  if (r.best_frames < 1 || r.best_frames > 50)
    return InvalidArgument("best_frames must be 1 to 50, not ", r.best_frames);
  if (r.agree_readings < 1 || r.agree_readings > r.best_frames)
    return InvalidArgument("agree_readings must be 1 to best_frames (",
                           r.best_frames, "), not ", r.agree_readings);
  if (r.appear_after < 1 || r.leave_after < 1)
    return InvalidArgument("appear_after and leave_after must be at least 1");
  if (!(options.frame_ms >= 0) || !std::isfinite(options.frame_ms))
    return InvalidArgument("frame_ms must be 0 or more");
  if (!(options.time_share >= 0 && options.time_share <= 1))
    return InvalidArgument("time_share must be 0 to 1");
  if (!(options.max_gap > 0))
    return InvalidArgument("max_gap must be more than 0 seconds");
  return Status();
}

double SystemClock() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Event StreamEvent(EventKind kind, double time, std::string text) {
  Event event;
  event.kind = kind;
  event.time = event.first_time = event.last_time = time;
  event.text = std::move(text);
  return event;
}

Result<image::Image> UprightRgb(const image::PixelView& pixels,
                                int quarter_turns) {
  MUNJA_ASSIGN_OR_RETURN(image::Image rgb, image::ToRgb(pixels));
  if (quarter_turns == 0) return rgb;
  return image::Rotate(rgb.view(), quarter_turns);
}

}  // namespace

LiveText::LiveText(std::unique_ptr<TextReader> reader, LiveOptions options,
                   Sink sink)
    : reader_(std::move(reader)),
      options_(std::move(options)),
      sink_(std::move(sink)),
      control_({Control::kDefaultMemory, 0}),
      lines_(options_.rules),
      budget_(options_.frame_ms, options_.time_share) {}

Result<std::unique_ptr<LiveText>> LiveText::Create(
    std::unique_ptr<TextReader> reader, LiveOptions options, Sink sink) {
  MUNJA_RETURN_IF_ERROR(CheckOptions(options));
  std::unique_ptr<LiveText> live(
      new LiveText(std::move(reader), std::move(options), std::move(sink)));
  if (live->options_.asynchronous)
    live->worker_ = std::thread([self = live.get()] { self->Work(); });
  return live;
}

LiveText::~LiveText() {
  if (!worker_.joinable()) return;
  control_.Cancel();
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  worker_.join();
}

double LiveText::Now() const {
  return options_.clock ? options_.clock() : SystemClock();
}

Status LiveText::CheckCancelled() {
  if (is_cancelled_.load())
    return Cancelled("live text was cancelled; a reset lets it go on");
  return Status();
}

void LiveText::ForgetStream() {
  ++stream_;
  slot_.reset();
  searched_ = nullptr;
  newest_.reset();
  lines_.Forget();
  camera_.Forget();
  sharpest_ = 0;
}

void LiveText::CheckContinuity(int width, int height, double time) {
  if (!newest_) return;
  std::string reason;
  const Place& last = *newest_;
  if (width != last.width || height != last.height)
    reason = StrCat("the frames are now ", width, " x ", height,
                    " pixels, after ", last.width, " x ", last.height);
  else if (time <= last.time)
    reason = StrCat("a frame at ", std::to_string(time), " s follows one at ",
                    std::to_string(last.time), " s");
  else if (time - last.time > options_.max_gap)
    reason =
        StrCat("no frame came for ", std::to_string(time - last.time), " s");
  if (reason.empty()) return;
  lines_.Finish(last, &events_);
  if (slot_) ++statistics_.dropped;
  ForgetStream();
  ++statistics_.restarts;
  events_.push_back(
      StreamEvent(EventKind::kRestarted, time, std::move(reason)));
}

ChangeMap LiveText::ChangesOf(const GrayFrame& gray, const Place& place) const {
  ChangeMap changes;
  if (searched_ != nullptr) {
    // Poses that are equal have a map that is exactly the identity.
    Affine to_searched;
    if (searched_to_world_ != place.to_world)
      to_searched =
          Enlarged(Compose(Inverse(searched_to_world_), place.to_world),
                   1.0 / gray.factor);
    changes = FindChanges(gray, *searched_, to_searched);
  } else {
    changes = FindChanges(gray, gray, {});
    std::fill(changes.tiles.begin(), changes.tiles.end(), uint8_t{1});
  }
  if (options_.region.area() > 0) changes.KeepOnly(RegionOf(options_));
  return changes;
}

bool LiveText::IsWorthSearch(const GrayFrame& gray,
                             const ChangeMap& changes) const {
  if (lines_.WantsSearch() || changes.Any()) return true;
  const auto sharpness_of = [&](const GrayFrame& frame) {
    return options_.region.area() > 0 ? SharpnessIn(frame, RegionOf(options_))
                                      : frame.sharpness;
  };
  return searched_ != nullptr &&
         sharpness_of(gray) > kSharperFrame * sharpness_of(*searched_);
}

bool LiveText::IsUsable(const GrayFrame& gray, const Camera::Pose& pose,
                        const ChangeMap& changes, double time) {
  if (pose.is_lost) sharpest_ = 0;
  sharpest_ =
      std::max(sharpest_ * kForget, static_cast<double>(gray.sharpness));
  const auto changed =
      std::count(changes.tiles.begin(), changes.tiles.end(), uint8_t{1});
  // A caption that leaves makes a frame less sharp, too, but changes little.
  const bool is_other =
      pose.moved || static_cast<size_t>(changed) * 4 > changes.tiles.size();
  const bool is_blurred =
      is_other && static_cast<double>(gray.sharpness) < kBlurred * sharpest_;
  const bool shows_nothing =
      gray.sharpness < kFlat && (gray.mean < kDark || gray.mean > kBright);
  const bool is_usable = !is_blurred && !shows_nothing;
  if (is_usable || time - usable_time_ > kPatience) {
    usable_time_ = time;
    return true;
  }
  return false;
}

Status LiveText::Feed(const image::PixelView& pixels, int quarter_turns,
                      double time) {
  MUNJA_RETURN_IF_ERROR(CheckCancelled());
  MUNJA_RETURN_IF_ERROR(image::Check(pixels));
  if (!std::isfinite(time))
    return InvalidArgument("the time of a frame must be a finite number");
  const double begin = Now();
  const bool is_turned = quarter_turns % 2 != 0;
  const int width = is_turned ? pixels.height : pixels.width;
  const int height = is_turned ? pixels.width : pixels.height;
  if (options_.region.area() > 0 &&
      (options_.region.right > width || options_.region.bottom > height))
    return InvalidArgument("the region reaches beyond a frame of ", width,
                           " x ", height, " pixels");
  const auto gray = std::make_shared<GrayFrame>();
  MUNJA_RETURN_IF_ERROR(MakeGrayFrame(pixels, quarter_turns, gray.get()));

  std::unique_lock lock(mutex_);
  CheckContinuity(width, height, time);
  const bool is_first = !newest_;
  lock.unlock();
  if (is_first) usable_time_ = time;
  const Camera::Pose pose = camera_.Follow(gray);
  const Place place = {time, pose.to_world, width, height};
  lock.lock();
  ++statistics_.frames;
  if (pose.is_lost) searched_ = nullptr;
  const ChangeMap changes = ChangesOf(*gray, place);
  const bool is_usable = IsUsable(*gray, pose, changes, time);
  newest_ = place;
  lines_.OnFrame(place, is_usable ? &changes : nullptr, &events_);
  const bool has_work =
      IsWorthSearch(*gray, changes) || !lines_.ToRead(place, *gray).empty();
  const double gated = Now();
  statistics_.gate_ms += (gated - begin) * 1e3;
  bool is_job = false;
  if (!has_work)
    ++statistics_.unchanged;
  else if (!is_usable)
    ++statistics_.unusable;
  else if (!budget_.MayBegin(gated))
    ++statistics_.over_budget;
  else
    is_job = true;
  Status status;
  if (is_job) {
    Job job;
    job.gray = gray;
    job.place = place;
    job.stream = stream_;
    lock.unlock();
    Result<image::Image> rgb = UprightRgb(pixels, quarter_turns);
    lock.lock();
    if (!rgb.ok()) {
      ++statistics_.failures;
      status = std::move(rgb).TakeStatus();
    } else {
      job.image = std::move(*rgb);
      if (options_.asynchronous) {
        if (slot_) ++statistics_.dropped;
        slot_ = std::move(job);
      } else {
        status = Run(job, lock);
      }
    }
  }
  if (options_.asynchronous) {
    const bool wakes = slot_ || !events_.empty();
    lock.unlock();
    if (wakes) wake_.notify_one();
  } else {
    Deliver(lock);
  }
  return status;
}

Status LiveText::SearchFrame(const Job& job,
                             std::unique_lock<std::mutex>& lock) {
  const geometry::Rect<int>& region = options_.region;
  image::ImageView view = job.image.view();
  if (region.area() > 0) {
    view.data = view.row(region.top) + 3 * static_cast<size_t>(region.left);
    view.width = region.width();
    view.height = region.height();
  }
  const int longer = std::max(view.width, view.height);
  const int side = budget_.SearchSide(longer);
  // Frames that come meanwhile are compared with this one.
  const auto before = std::exchange(searched_, job.gray);
  const Affine before_to_world =
      std::exchange(searched_to_world_, job.place.to_world);
  lock.unlock();
  const double begin = Now();
  Result<std::vector<FoundBox>> found =
      reader_->Search(view, side, before == nullptr);
  const double ms = (Now() - begin) * 1e3;
  lock.lock();
  if (!found.ok()) {
    if (searched_ == job.gray) {
      searched_ = before;
      searched_to_world_ = before_to_world;
    }
    return std::move(found).TakeStatus();
  }
  ++statistics_.searches;
  statistics_.search_ms += ms;
  statistics_.search_side = side > 0 ? side : longer;
  budget_.OnSearch(statistics_.search_side, ms);
  if (stream_ != job.stream) return Status();
  if (region.area() > 0)
    for (FoundBox& box : *found)
      for (geometry::Point& p : box.quad)
        p = p + geometry::Point{static_cast<float>(region.left),
                                static_cast<float>(region.top)};
  lines_.OnSearch(job.place, *found, &events_);
  return Status();
}

Status LiveText::ReadLines(const Job& job, double begin,
                           std::unique_lock<std::mutex>& lock) {
  std::vector<Lines::Wanted> wanted = lines_.ToRead(job.place, *job.gray);
  const double now = Now();
  const size_t most = budget_.LineCount((now - begin) * 1e3);
  if (wanted.size() > most) wanted.resize(most);
  if (wanted.empty()) return Status();
  std::vector<FoundBox> boxes;
  for (const Lines::Wanted& line : wanted) boxes.push_back(line.box);
  lock.unlock();
  Result<std::vector<LineReading>> readings =
      reader_->Read(job.image.view(), boxes);
  const double ms = (Now() - now) * 1e3;
  lock.lock();
  if (!readings.ok()) return std::move(readings).TakeStatus();
  statistics_.lines_read += wanted.size();
  statistics_.recognize_ms += ms;
  budget_.OnLines(wanted.size(), ms);
  if (stream_ != job.stream) return Status();
  for (size_t i = 0; i < wanted.size() && i < readings->size(); ++i)
    lines_.OnReading(job.place, wanted[i], (*readings)[i], &events_);
  return Status();
}

Status LiveText::Run(Job& job, std::unique_lock<std::mutex>& lock) {
  const ControlScope scope(&control_);
  const double begin = Now();
  ++statistics_.read;
  Status status;
  // The job may have waited for a search that saw the same.
  if (IsWorthSearch(*job.gray, ChangesOf(*job.gray, job.place)))
    status = SearchFrame(job, lock);
  if (status.ok() && stream_ == job.stream)
    status = ReadLines(job, begin, lock);
  budget_.OnFrame(begin, Now());
  if (!status.ok() && !is_cancelled_.load()) ++statistics_.failures;
  return status;
}

void LiveText::Deliver(std::unique_lock<std::mutex>& lock) {
  while (!events_.empty()) {
    const std::vector<Event> events = std::exchange(events_, {});
    lock.unlock();
    for (const Event& event : events) sink_(event);
    lock.lock();
  }
}

void LiveText::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return ends_ || slot_ || !events_.empty(); });
    if (ends_) return;
    is_busy_ = true;
    Deliver(lock);
    if (slot_ && !ends_) {
      Job job = std::move(*slot_);
      slot_.reset();
      Status status;
      if (options_.guard) {
        status = options_.guard([&] { return Run(job, lock); });
        if (!lock.owns_lock()) lock.lock();
      } else {
        status = Run(job, lock);
      }
      if (!status.ok() && !is_cancelled_.load() && !ends_ &&
          stream_ == job.stream) {
        Event event = StreamEvent(EventKind::kFailed, job.place.time,
                                  std::string(status.message()));
        event.code = status.code();
        events_.push_back(std::move(event));
      }
      if (!ends_) Deliver(lock);
    }
    is_busy_ = false;
    idle_.notify_all();
  }
}

Status LiveText::Finish() {
  std::unique_lock lock(mutex_);
  const auto is_done = [&] {
    return is_cancelled_.load() || (!is_busy_ && !slot_ && events_.empty());
  };
  if (options_.asynchronous) idle_.wait(lock, is_done);
  MUNJA_RETURN_IF_ERROR(CheckCancelled());
  if (newest_) lines_.Finish(*newest_, &events_);
  ForgetStream();
  if (!options_.asynchronous) {
    Deliver(lock);
    return Status();
  }
  wake_.notify_one();
  idle_.wait(lock, is_done);
  return CheckCancelled();
}

Status LiveText::Reset() {
  std::unique_lock lock(mutex_);
  if (slot_) ++statistics_.dropped;
  ForgetStream();
  events_.clear();
  // Work in progress ends soon, and its results are not used.
  control_.Cancel();
  idle_.wait(lock, [&] { return !is_busy_; });
  events_.clear();
  control_.Restart();
  is_cancelled_ = false;
  return Status();
}

void LiveText::Cancel() {
  is_cancelled_ = true;
  control_.Cancel();
  // Finish() looks at it under the lock before it waits.
  { const std::lock_guard lock(mutex_); }
  idle_.notify_all();
}

std::vector<TrackedBox> LiveText::Boxes() {
  const std::lock_guard lock(mutex_);
  return newest_ ? lines_.Boxes(*newest_) : std::vector<TrackedBox>();
}

LiveStatistics LiveText::Statistics() {
  const std::lock_guard lock(mutex_);
  LiveStatistics statistics = statistics_;
  statistics.lines = lines_.reported();
  return statistics;
}

}  // namespace munja::track
