#include "train/page_feeder.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace munja::train {
namespace {

// Batches made before they are asked for: one a thread and a few more.
constexpr uint64_t kAhead = 3;

}  // namespace

struct PageFeeder::State {
  Maker maker;
  PageFeedSettings settings;
  uint64_t seed = 0;

  mutable std::mutex mutex;
  std::condition_variable work, ready;
  uint64_t position = 0, taken = 0;
  std::map<uint64_t, PageBatch> batches;
  Status status;        // Error of batch `failed`, the first that failed;
  uint64_t failed = 0;  // those before it may still be in the making.
  bool stop = false;
  std::vector<std::thread> threads;

  Result<PageBatch> Make(uint64_t number) const {
    std::vector<PageSample> pages;
    for (int i = 0; i < settings.pages; ++i) {
      const uint64_t index = number * static_cast<uint64_t>(settings.pages) +
                             static_cast<uint64_t>(i);
      auto page = maker(index);
      if (!page.ok()) {
        return std::move(page).TakeStatus().With("page " +
                                                 std::to_string(index));
      }
      pages.push_back(std::move(page).value());
    }
    return MakePageBatch(pages, settings.crops_per_page, settings.crop,
                         Random(seed, number));
  }

  void Run() {
    std::unique_lock<std::mutex> lock(mutex);
    while (!stop && status.ok()) {
      if (taken >= position + kAhead + threads.size()) {
        work.wait(lock);
        continue;
      }
      const uint64_t number = taken++;
      lock.unlock();
      auto batch = Make(number);
      lock.lock();
      if (batch.ok()) {
        batches.emplace(number, std::move(batch).value());
      } else if (status.ok() || number < failed) {
        status = std::move(batch).TakeStatus();
        failed = number;
      }
      ready.notify_all();
    }
  }
};

PageFeeder::PageFeeder(Maker maker, const PageFeedSettings& settings,
                       uint64_t seed, int threads, uint64_t start)
    : state_(std::make_unique<State>()) {
  state_->maker = std::move(maker);
  state_->settings = settings;
  state_->seed = seed;
  state_->position = state_->taken = start;
  const std::lock_guard<std::mutex> lock(state_->mutex);
  for (int i = 0; i < std::max(1, threads); ++i)
    state_->threads.emplace_back([state = state_.get()] { state->Run(); });
}

PageFeeder::~PageFeeder() {
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stop = true;
  }
  state_->work.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

Result<PageBatch> PageFeeder::Next() {
  State& s = *state_;
  std::unique_lock<std::mutex> lock(s.mutex);
  for (;;) {
    const auto found = s.batches.find(s.position);
    if (found != s.batches.end()) {
      PageBatch batch = std::move(found->second);
      s.batches.erase(found);
      ++s.position;
      s.work.notify_all();
      return batch;
    }
    if (!s.status.ok() && s.position >= s.failed) return s.status.Clone();
    s.ready.wait(lock);
  }
}

uint64_t PageFeeder::position() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->position;
}

}  // namespace munja::train
