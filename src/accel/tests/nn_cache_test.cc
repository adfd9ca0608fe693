// Compiled models of devices, cached in files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "hal/manager/cache.h"
#include "tests/test_networks.h"

namespace munja::delegates::nn {
namespace {

using ::testing::HasSubstr;

// ---- What was compiled is kept ----

class Cache : public Devices {
 protected:
  Cache() : folder_(::testing::TempDir() + "/nn-cache") {
    std::filesystem::remove_all(folder_);
    device_->has_cache = true;
  }
  ~Cache() override { std::filesystem::remove_all(folder_); }

  // Whether it came out of the cache. The numbers are right in any case.
  bool ComesFromCache(const graph::Graph& graph, bool is_ours = true) {
    Options options;
    options.service = service_;
    options.service.cache =
        std::make_shared<const munja::hal::CompilationCache>(folder_, limit_);
    const int before = device_->from_cache;
    const auto session = SessionOn(graph, {device_}, std::move(options));
    const auto got = Outputs(*session, kShape, image_);
    if (is_ours) ExpectNear(got, wanted_);
    EXPECT_EQ(OwnersOf(*session).count("cpu"), 0u);
    return device_->from_cache > before;
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    if (std::filesystem::exists(folder_))
      for (const auto& entry : std::filesystem::directory_iterator(folder_))
        files.push_back(entry.path());
    return files;
  }
  static std::string Read(const std::string& path) {
    const auto bytes = ReadFile(path);
    return bytes.ok() ? std::string(bytes->begin(), bytes->end()) : "";
  }

  const std::string folder_;
  uint64_t limit_ = 1 << 20;
  munja::hal::QualityOfService service_;
  const std::shared_ptr<Behavior> device_ = Named("test-cache");
};

TEST_F(Cache, SecondSession_UsesTheCompiledModel) {
  EXPECT_FALSE(ComesFromCache(graph_));
  ASSERT_EQ(Files().size(), 1u);
  EXPECT_TRUE(ComesFromCache(graph_));
  EXPECT_EQ(device_->prepared, 1);
  // Another preference is another entry.
  service_.preference = MUNJA_NN_PREFER_LOW_POWER;
  EXPECT_FALSE(ComesFromCache(graph_));
  EXPECT_TRUE(ComesFromCache(graph_));
  device_->version = "2";
  EXPECT_FALSE(ComesFromCache(graph_));
  EXPECT_TRUE(ComesFromCache(graph_));
  EXPECT_EQ(Files().size(), 3u);
  // One bit of one weight.
  graph::Graph other = graph_;
  for (graph::Value& value : other.subgraphs[0].values)
    if (value.constant && value.constant->bytes.size() > 200) {
      std::vector<uint8_t> bytes(value.constant->bytes.begin(),
                                 value.constant->bytes.end());
      bytes[bytes.size() / 2 / 4 * 4] ^= 1;
      value.constant = graph::MakeConstant(std::move(bytes));
      break;
    }
  EXPECT_FALSE(ComesFromCache(other, false));
  EXPECT_TRUE(ComesFromCache(other, false));
}

// Every byte, every length: never what is in the file, and anew after it.
TEST_F(Cache, DamagedFile_IsDetected) {
  EXPECT_FALSE(ComesFromCache(graph_));
  ASSERT_EQ(Files().size(), 1u);
  const std::string path = Files()[0], whole = Read(path);
  ASSERT_GT(whole.size(), 100u);
  const auto check = [&](const std::string& bytes, const std::string& what) {
    ASSERT_TRUE(WriteFile(path, bytes).ok());
    EXPECT_FALSE(ComesFromCache(graph_)) << what;
    EXPECT_TRUE(ComesFromCache(graph_)) << what;
  };
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ (1 << (i % 8)));
    check(bytes, "byte " + std::to_string(i));
  }
  for (size_t i = 0; i < whole.size(); i += 7)
    check(whole.substr(0, i), "length " + std::to_string(i));
  check(whole + "x", "longer");
}

// A whole file under a name that is not its own.
TEST_F(Cache, OtherModelOrDevice_IsDetected) {
  EXPECT_FALSE(ComesFromCache(graph_));
  ASSERT_EQ(Files().size(), 1u);
  const std::string first = Files()[0];
  service_.priority = MUNJA_NN_PRIORITY_HIGH;
  EXPECT_FALSE(ComesFromCache(graph_));
  ASSERT_EQ(Files().size(), 2u);
  for (const std::string& path : Files())
    if (path != first) {
      ASSERT_TRUE(WriteFile(path, Read(first)).ok());
    }
  EXPECT_FALSE(ComesFromCache(graph_));
  EXPECT_TRUE(ComesFromCache(graph_));
}

TEST_F(Cache, RefusedEntry_IsCompiledAgain) {
  EXPECT_FALSE(ComesFromCache(graph_));
  device_->refuses_cache = true;
  EXPECT_FALSE(ComesFromCache(graph_));
  device_->refuses_cache = false;
  EXPECT_TRUE(ComesFromCache(graph_));
}

// The least recently used entry goes first.
TEST_F(Cache, Limit_EvictsTheLeastRecentlyUsed) {
  EXPECT_FALSE(ComesFromCache(graph_));
  ASSERT_EQ(Files().size(), 1u);
  limit_ = 2 * Read(Files()[0]).size() + 10;
  const auto wait = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  const auto with = [&](int32_t preference) {
    service_.preference = preference;
    wait();
    return ComesFromCache(graph_);
  };
  EXPECT_FALSE(with(MUNJA_NN_PREFER_LOW_POWER));
  EXPECT_TRUE(with(MUNJA_NN_PREFER_FAST_SINGLE_ANSWER));
  EXPECT_FALSE(with(MUNJA_NN_PREFER_SUSTAINED_SPEED));
  EXPECT_EQ(Files().size(), 2u);
  EXPECT_TRUE(with(MUNJA_NN_PREFER_FAST_SINGLE_ANSWER));
  EXPECT_FALSE(with(MUNJA_NN_PREFER_LOW_POWER));
  limit_ = 10;  // Nothing fits.
  service_.priority = MUNJA_NN_PRIORITY_LOW;
  EXPECT_FALSE(ComesFromCache(graph_));
  EXPECT_FALSE(ComesFromCache(graph_));
}

TEST_F(Cache, ConcurrentSessions_AreServed) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        Options options;
        options.service.cache =
            std::make_shared<const munja::hal::CompilationCache>(folder_,
                                                                 limit_);
        const auto session = SessionOn(graph_, {device_}, std::move(options));
        ExpectNear(Outputs(*session, kShape, image_), wanted_);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Files().size(), 1u);
  EXPECT_TRUE(ComesFromCache(graph_));
}

}  // namespace
}  // namespace munja::delegates::nn
