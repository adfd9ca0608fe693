#include "reading/shared_pipeline.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "reading/network/testing.h"
#include "text/testing.h"

namespace munja::ocr {
namespace {

constexpr int kLetterClasses = 4;  // Blank, "a", "b", space.

Shape FindNothing(const TensorView& input, std::vector<float>& output) {
  const auto height = input.shape[1], width = input.shape[2];
  output.assign(static_cast<size_t>(height * width), 0.0f);
  return Shape{1, height, width, 1};
}

// Reads "a" in every image; `on_run` is told.
std::unique_ptr<Pipeline> MakeLetterPipeline(std::function<void()> on_run = [] {
}) {
  const auto recognize = [on_run](const TensorView& input,
                                  std::vector<float>& output) {
    const auto steps = input.shape[2] / 8;
    output.assign(static_cast<size_t>(steps) * kLetterClasses, 0.0f);
    output[1] = 0.9f;
    on_run();
    return Shape{1, steps, kLetterClasses};
  };
  auto dictionary = text::Dictionary::Parse("a\nb\n", true);
  EXPECT_TRUE(dictionary.ok());
  Networks networks;
  networks.name = "fake";
  networks.detector = std::make_unique<FakeSession>(FindNothing);
  networks.recognizer = std::make_unique<FakeSession>(recognize);
  networks.dictionary =
      std::make_shared<const text::Dictionary>(std::move(dictionary).value());
  networks.language.models = {text::ModelOf(U"ab", {U"a", U"ab"})};
  auto pipeline = Pipeline::Create(std::move(networks), Config(), nullptr);
  EXPECT_TRUE(pipeline.ok());
  return std::move(pipeline).value();
}

std::string ReadLetter(Pipeline& pipeline) {
  auto picture = image::Image::Create(64, 48);
  if (!picture.ok()) return "no picture";
  auto line = pipeline.RecognizeLine(picture->view());
  return line.ok() ? line->lines[0].text : std::string(line.status().message());
}

TEST(SharedPipeline, OneCaller_HasTheFirstOneOnly) {
  auto first = MakeLetterPipeline();
  const Pipeline* const address = first.get();
  SharedPipeline shared(std::move(first));
  EXPECT_EQ(shared.name(), "fake");
  for (int i = 0; i < 200; ++i) {
    auto lease = shared.Take();
    ASSERT_TRUE(lease.ok());
    EXPECT_EQ(&**lease, address);
  }
  EXPECT_EQ(shared.kept(), 1u);
}

TEST(SharedPipeline, CallersAtOnce_HaveOneEachAndKeepIt) {
  SharedPipeline shared(MakeLetterPipeline());
  std::set<Pipeline*> seen;
  for (int round = 0; round < 5; ++round) {
    std::vector<SharedPipeline::Lease> leases;
    std::set<Pipeline*> now;
    for (int i = 0; i < 3; ++i) {
      auto lease = shared.Take();
      ASSERT_TRUE(lease.ok());
      EXPECT_EQ(ReadLetter(**lease), "a");
      now.insert(&**lease);
      leases.push_back(std::move(*lease));
    }
    EXPECT_EQ(now.size(), 3u);
    seen.insert(now.begin(), now.end());
  }
  // None was made twice.
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_EQ(shared.kept(), 3u);
}

TEST(SharedPipeline, WhatManyReadsDidNotNeed_IsFreed) {
  SharedPipeline shared(MakeLetterPipeline());
  {
    std::vector<SharedPipeline::Lease> leases;
    // More than are kept.
    for (int i = 0; i < 300; ++i) {
      auto lease = shared.Take();
      ASSERT_TRUE(lease.ok());
      leases.push_back(std::move(*lease));
    }
    EXPECT_EQ(ReadLetter(*leases.back()), "a");
    EXPECT_LT(shared.kept(), 300u);
  }
  EXPECT_GT(shared.kept(), 100u);
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(shared.Take().ok());
  EXPECT_EQ(shared.kept(), 1u);
}

// Each waits in the middle of its read until all are there.
TEST(SharedPipeline, Callers_RunAtTheSameTime) {
  constexpr int kCallers = 4;
  std::atomic<int> inside{0};
  std::atomic<bool> is_late{false}, may_wait{false};
  SharedPipeline shared(MakeLetterPipeline([&] {
    if (!may_wait) return;
    ++inside;
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (inside < kCallers && !is_late) {
      if (std::chrono::steady_clock::now() > end) is_late = true;
      std::this_thread::yield();
    }
  }));
  may_wait = true;
  std::vector<std::thread> threads;
  for (int i = 0; i < kCallers; ++i) {
    threads.emplace_back([&] {
      auto lease = shared.Take();
      ASSERT_TRUE(lease.ok());
      EXPECT_EQ(ReadLetter(**lease), "a");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(is_late);
}

TEST(SharedPipeline, ManyThreads_ComeAndGo) {
  SharedPipeline shared(MakeLetterPipeline());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 300; ++n) {
        auto lease = shared.Take();
        ASSERT_TRUE(lease.ok());
        EXPECT_EQ(ReadLetter(**lease), "a");
        // Some go early, so that what they used is freed.
        if (i > 1 && n == 50) break;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(shared.kept(), 4u);
}

}  // namespace
}  // namespace munja::ocr
