#include "train/line_feeder.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace munja::train {
namespace {

constexpr size_t kLinesAtOnce = 8;  // A thread takes these under one lock.
constexpr size_t kBatchesAhead = 6;
constexpr size_t kChunksAhead = 2;  // The one in use among them.

struct Chunk {
  uint64_t number = 0;
  std::vector<ScaledLine> lines;
  size_t taken = 0, made = 0;  // Lines.
  bool is_planned = false;
  std::vector<std::vector<uint32_t>> plan;  // Lines of each batch.
  size_t batches_taken = 0;
  std::vector<std::optional<LineBatch>> batches;
};

// Every batch has its own stream of random numbers.
uint64_t StreamOf(uint64_t chunk, uint64_t batch) {
  return (chunk << 20) + batch;
}

}  // namespace

struct LineFeeder::State {
  Maker maker;
  const CharacterClasses* classes = nullptr;
  LineFeedSettings settings;
  uint64_t seed = 0;

  mutable std::mutex mutex;
  std::condition_variable work, ready;
  std::deque<std::shared_ptr<Chunk>> chunks;
  FeedPosition position;
  uint64_t next_chunk = 0;
  size_t outstanding = 0;  // Batches taken by a thread and not by Next() yet.
  uint64_t skipped = 0;
  Status status;
  bool stop = false;
  std::vector<std::thread> threads;

  void Run();
  bool RunOnce(std::unique_lock<std::mutex>& lock);
  bool MakeBatch(Chunk& chunk, std::unique_lock<std::mutex>& lock);
  bool MakeLines(Chunk& chunk, std::unique_lock<std::mutex>& lock);
  Status MakeLine(uint64_t index, ScaledLine* line, bool* usable) const;
  void Plan(Chunk& chunk) const;
};

Status LineFeeder::State::MakeLine(uint64_t index, ScaledLine* line,
                                   bool* usable) const {
  *usable = false;
  auto sample = maker(index);
  if (!sample.ok()) {
    return std::move(sample).TakeStatus().With("sample " +
                                               std::to_string(index));
  }
  const LabelFreedom freedom = {sample->any_case, sample->any_spaces};
  auto label = classes->Encode(sample->text, freedom);
  if (!label) return Status();
  auto picture =
      ScaleLine(sample->picture.view(), settings.height, settings.max_width);
  if (!picture.ok()) {
    Status failed = std::move(picture).TakeStatus();
    return failed.code() == Code::kUnsupported ? Status() : std::move(failed);
  }
  *usable = true;
  line->picture = std::move(picture).value();
  line->label = std::move(*label);
  line->freedom = freedom;
  line->text = std::move(sample->text);
  return Status();
}

void LineFeeder::State::Plan(Chunk& chunk) const {
  for (int pass = 0; pass < settings.reuse; ++pass) {
    const uint64_t stream = StreamOf(chunk.number, 0xFFFF0 + pass);
    auto groups = GroupByWidth(chunk.lines, settings.batch_columns,
                               settings.max_batch, Random(seed, stream));
    for (auto& group : groups) chunk.plan.push_back(std::move(group));
  }
  chunk.batches.resize(chunk.plan.size());
}

bool LineFeeder::State::MakeLines(Chunk& chunk,
                                  std::unique_lock<std::mutex>& lock) {
  if (chunk.taken >= chunk.lines.size()) return false;
  const size_t begin = chunk.taken;
  const size_t end = std::min(begin + kLinesAtOnce, chunk.lines.size());
  chunk.taken = end;
  lock.unlock();
  Status failed;
  uint64_t unusable = 0;
  for (size_t i = begin; i < end && failed.ok(); ++i) {
    bool usable = false;
    failed = MakeLine(chunk.number * chunk.lines.size() + i, &chunk.lines[i],
                      &usable);
    unusable += !usable;
  }
  lock.lock();
  skipped += unusable;
  chunk.made += end - begin;
  if (!failed.ok() && status.ok()) status = std::move(failed);
  if (chunk.made == chunk.lines.size()) {
    Plan(chunk);
    chunk.is_planned = true;
    // A resumed run starts in the middle of its first chunk.
    if (chunk.number == position.chunk) chunk.batches_taken = position.batch;
    if (chunk.plan.empty() && status.ok()) {
      status = Malformed("none of the samples from " +
                         std::to_string(chunk.number * chunk.lines.size()) +
                         " on is usable: too long, or not of the alphabet");
    }
    work.notify_all();
  }
  ready.notify_all();
  return true;
}

bool LineFeeder::State::MakeBatch(Chunk& chunk,
                                  std::unique_lock<std::mutex>& lock) {
  if (!chunk.is_planned || chunk.batches_taken >= chunk.plan.size())
    return false;
  const size_t number = chunk.batches_taken++;
  ++outstanding;
  lock.unlock();
  std::vector<const ScaledLine*> lines;
  for (uint32_t i : chunk.plan[number]) lines.push_back(&chunk.lines[i]);
  LineBatch batch = MakeLineBatch(lines, settings.height, settings.changes,
                                  Random(seed, StreamOf(chunk.number, number)));
  lock.lock();
  chunk.batches[number] = std::move(batch);
  ready.notify_all();
  return true;
}

// One piece of work; false when there is none.
bool LineFeeder::State::RunOnce(std::unique_lock<std::mutex>& lock) {
  // Held, because Next() may drop the chunk meanwhile.
  const std::deque<std::shared_ptr<Chunk>> held = chunks;
  if (outstanding < kBatchesAhead) {
    for (const auto& chunk : held) {
      if (MakeBatch(*chunk, lock)) return true;
      if (!chunk->is_planned) break;
    }
  }
  for (const auto& chunk : held) {
    if (MakeLines(*chunk, lock)) return true;
  }
  if (chunks.size() >= kChunksAhead) return false;
  auto chunk = std::make_shared<Chunk>();
  chunk->number = next_chunk++;
  chunk->lines.resize(static_cast<size_t>(settings.chunk_lines));
  chunks.push_back(std::move(chunk));
  return true;
}

void LineFeeder::State::Run() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!stop && status.ok()) {
    if (!RunOnce(lock)) work.wait(lock);
  }
}

LineFeeder::LineFeeder(Maker maker, const CharacterClasses* classes,
                       const LineFeedSettings& settings, uint64_t seed,
                       int threads, FeedPosition start)
    : state_(std::make_unique<State>()) {
  state_->maker = std::move(maker);
  state_->classes = classes;
  state_->settings = settings;
  state_->seed = seed;
  state_->position = start;
  state_->next_chunk = start.chunk;
  for (int i = 0; i < std::max(1, threads); ++i)
    state_->threads.emplace_back([state = state_.get()] { state->Run(); });
}

LineFeeder::~LineFeeder() {
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stop = true;
  }
  state_->work.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

Result<LineBatch> LineFeeder::Next() {
  State& s = *state_;
  std::unique_lock<std::mutex> lock(s.mutex);
  for (;;) {
    if (!s.status.ok()) return s.status.Clone();
    if (s.chunks.empty() || !s.chunks.front()->is_planned) {
      s.ready.wait(lock);
      continue;
    }
    Chunk& chunk = *s.chunks.front();
    if (s.position.batch >= chunk.plan.size()) {
      s.chunks.pop_front();
      s.position = {s.position.chunk + 1, 0};
      s.work.notify_all();
      continue;
    }
    std::optional<LineBatch>& slot = chunk.batches[s.position.batch];
    if (!slot) {
      s.ready.wait(lock);
      continue;
    }
    LineBatch batch = std::move(*slot);
    slot.reset();
    ++s.position.batch;
    --s.outstanding;
    s.work.notify_all();
    return batch;
  }
}

FeedPosition LineFeeder::position() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->position;
}

uint64_t LineFeeder::skipped() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->skipped;
}

}  // namespace munja::train
