// Devices that are wrong or fail, and what the delegate remembers of a device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "delegates/opencl/testing.h"

namespace munja::delegates::opencl {
namespace {

using graph::ValueId;
using runtime::DelegateOption;
using runtime::SessionOptions;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(OpenCl, WrongKernel_IsFoundNamedAndRemembered) {
  const std::string folder = ::testing::TempDir() + "/wrong";
  std::filesystem::remove_all(folder);
  const Net net = Convolutions();
  const auto want = OnCpu(net);
  const std::vector<DelegateOption> given = {{"fail_in", "TRANSPOSE_CONV"},
                                             {"cache", folder}};
  auto session = MakeSession(net, given);
  ExpectNear(Outputs(*session), want, 1e-5f);
  EXPECT_THAT(log_, AllOf(HasSubstr("self-check"), HasSubstr("TRANSPOSE_CONV"),
                          HasSubstr("runs on the CPU")));
  // The next session leaves the operator to the CPU and takes the others.
  log_.clear();
  session = MakeSession(net, given);
  ExpectNear(Outputs(*session), want, 1e-5f);
  EXPECT_EQ(log_, "");
  int taken = 0;
  for (const runtime::NodeOwner& owner : session->Owners()) {
    taken += owner.owner == "opencl";
    if (owner.op == "TRANSPOSE_CONV") {
      EXPECT_EQ(owner.owner, "cpu");
      EXPECT_THAT(owner.reason, HasSubstr("found wrong on this device"));
    }
  }
  EXPECT_EQ(taken, 9);
}

// In the session that finds them, each of several in the midst of others; a
// profile says what ran where.
TEST_F(OpenCl, WrongKernels_LeaveTheOthersOnTheDevice) {
  const Net net = Convolutions();
  const auto want = OnCpu(net);
  const std::map<std::string, int> nodes = {{"TRANSPOSE_CONV", 1},
                                            {"DEPTHWISE_CONV_2D", 2},
                                            {"CONV_2D", 4},
                                            {"MAX_POOL_2D", 1}};
  for (const auto& [wrong, wrong_nodes] : nodes) {
    for (const bool profile : {false, true}) {
      log_.clear();
      auto delegate = Make(std::vector<DelegateOption>{
          {"islands", "1"}, {"cache", "off"}, {"fail_in", wrong}});
      ASSERT_TRUE(delegate.ok());
      SessionOptions options;
      options.delegates = {*delegate};
      options.profile = profile;
      auto session = runtime::CreateSession(net.graph(), options);
      ASSERT_TRUE(session.ok());
      for (int i = 0; i < 2; ++i) ExpectNear(Outputs(**session), want, 1e-5f);
      auto fork = (*session)->Fork(nullptr);
      ASSERT_TRUE(fork.ok());
      ExpectNear(Outputs(**fork), want, 1e-5f);
      EXPECT_EQ(std::ranges::count(log_, '\n'), wrong_nodes) << log_;
      EXPECT_THAT(log_, Not(HasSubstr("partition"))) << log_;
      if (!profile) continue;
      std::map<std::string, int> rows;
      for (const runtime::NodeProfile& row : (*session)->Profile())
        ++rows[row.op];
      for (const auto& [op, count] : nodes) {
        EXPECT_EQ(rows["opencl:" + op], op == wrong ? 0 : count) << wrong;
        EXPECT_EQ(rows[op], op == wrong ? count : 0) << wrong;
      }
    }
  }
}

TEST_F(OpenCl, AnyFailure_GivesTheResultOfTheCpu) {
  Net net({1, 4, 4, 4});
  net.Output(net.Add("TANH", {net.x()}));
  const auto want = OnCpu(net);
  const std::pair<const char*, const char*> phases[] = {
      {"build", "does not compile a kernel"},
      {"allocate", "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
      {"run", "CL_OUT_OF_RESOURCES"},
      {"hang", "did not come back within 5000 ms"}};
  for (const auto& [phase, message] : phases) {
    log_.clear();
    auto session =
        MakeSession(net, {{"fail_in", phase}, {"compile_timeout_ms", "5000"}});
    ExpectNear(Outputs(*session), want, 1e-5f);
    ExpectNear(Outputs(*session), want, 1e-5f);
    EXPECT_THAT(log_, AllOf(HasSubstr("runs on the CPU"), HasSubstr(message)))
        << phase;
  }
}

TEST_F(OpenCl, FailureDuringARun_DisablesTheDevice) {
  Net net({1, 4, 4, 4});
  net.Output(net.Add("TANH", {net.x()}));
  const auto want = OnCpu(net);
  auto delegate =
      Make(std::vector<DelegateOption>{{"fail_in", "run"}, {"cache", "off"}});
  ASSERT_TRUE(delegate.ok());
  SessionOptions options;
  options.delegates = {*delegate};
  for (int i = 0; i < 2; ++i) {
    auto session = runtime::CreateSession(net.graph(), options);
    ASSERT_TRUE(session.ok());
    ExpectNear(Outputs(**session), want, 1e-5f);
  }
  EXPECT_THAT(log_, HasSubstr("takes nothing: the device failed before"));
}

// The cache has one number more for each partition that was compared, by its
// constants, sizes and precision; what is there is not compared again.
TEST_F(OpenCl, RightPlan_IsRemembered) {
  const std::string folder = ::testing::TempDir() + "/right";
  std::filesystem::remove_all(folder);
  const auto bytes_after = [&](int height, float number, const char* check) {
    Net net({1, height, 4, 4});
    const ValueId added = net.Floats({1});
    net.sub().values[added].constant =
        runtime::testing::BytesOf<float>({number});
    net.Output(net.Add("ADD", {net.x(), added}));
    auto session = MakeSession(net, {{"cache", folder}, {"check", check}});
    ExpectNear(Outputs(*session), OnCpu(net), 1e-2f);
    EXPECT_EQ(log_, "");
    size_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      bytes += std::filesystem::file_size(entry.path());
    return bytes;
  };
  const size_t first = bytes_after(4, 1, "always");
  EXPECT_EQ(bytes_after(4, 1, "always"), first);
  EXPECT_EQ(bytes_after(5, 1, "never"), first);
  EXPECT_EQ(bytes_after(5, 1, "always"), first + 8);
  EXPECT_EQ(bytes_after(5, 2, "always"), first + 16);
  EXPECT_EQ(bytes_after(5, 2, "first"), first + 16);
  // Several that have one cache.
  const auto device = GetDevice("");
  ASSERT_TRUE(device.ok());
  CheckedDevice one(*device, folder), other(*device, folder);
  EXPECT_FALSE(one.WasRight(7));
  one.RememberRight(7);
  other.RememberRight(8);
  const CheckedDevice next(*device, folder);
  EXPECT_TRUE(one.WasRight(7) && next.WasRight(7) && next.WasRight(8));
  EXPECT_FALSE(next.WasRight(9));
}

// The first session measures, later ones take what it found; whatever that is,
// the numbers are the same.
TEST_F(OpenCl, GroupSizes_AreTunedOnceAndChangeNoResult) {
  const std::string folder = ::testing::TempDir() + "/groups";
  const std::string file = ::testing::TempDir() + "/opencl_tuning.json";
  std::filesystem::remove_all(folder);
  const auto device = GetDevice("");
  ASSERT_TRUE(device.ok());
  const Net net = Convolutions();
  const auto want = OnCpu(net);
  const auto run = [&](const char* tune_ms) {
    {
      auto session = MakeSession(net, {{"cache", folder},
                                       {"tune_ms", tune_ms},
                                       {"trace", file},
                                       {"timeout_ms", "600000"}});
      ExpectNear(Outputs(*session), want, 1e-5f);
    }
    EXPECT_EQ(log_, "");
    std::ifstream in(file);
    const auto all = nlohmann::json::parse(in);
    return std::ranges::count_if(all["traceEvents"], [](const auto& event) {
      return event["ph"] == "X" && event["cat"] == "tuning";
    });
  };
  EXPECT_EQ(run("0"), 0);
  EXPECT_TRUE(CheckedDevice(*device, folder).group_sizes().empty());
  std::filesystem::remove_all(folder);
  EXPECT_GT(run("600000"), 0);
  const GroupSizes found = CheckedDevice(*device, folder).group_sizes();
  // Six layers' kinds at least, and pools.
  EXPECT_GE(found.size(), 8u);
  EXPECT_EQ(run("600000"), 0);
  EXPECT_EQ(CheckedDevice(*device, folder).group_sizes(), found);
  // Where there is no time each kind stays as it is, and is not asked again.
  std::filesystem::remove_all(folder);
  EXPECT_GT(run("1"), 0);
  EXPECT_EQ(CheckedDevice(*device, folder).group_sizes().size(), found.size());
  EXPECT_EQ(run("600000"), 0);
  // Whatever was found.
  for (const int size : {16, 256}) {
    std::filesystem::remove_all(folder);
    GroupSizes all;
    for (const auto& [kind, best] : found) all[kind] = size;
    CheckedDevice(*device, folder).RememberGroups(all);
    EXPECT_EQ(run("600000"), 0);
    EXPECT_EQ(CheckedDevice(*device, folder).group_sizes(), all);
  }
}

TEST_F(OpenCl, BrokenCacheFiles_AreReplaced) {
  const std::string folder = ::testing::TempDir() + "/kernels";
  std::filesystem::remove_all(folder);
  Net net({1, 4, 4, 4});
  net.Output(net.Add("TANH", {net.x()}));
  const KernelCache cache(folder);
  const std::vector<uint8_t> bytes = {1, 2, 3, 4};
  cache.Save("key", bytes);
  const auto loaded = cache.Load("key");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(*loaded, bytes);
  EXPECT_FALSE(cache.Load("another").ok());
  std::string file;
  {
    std::ifstream in(cache.PathOf("key"), std::ios::binary);
    file.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (size_t at = 0; at <= file.size(); ++at) {
    std::string broken = file;
    if (at == file.size()) {
      broken.pop_back();
    } else {
      broken[at] = static_cast<char>(broken[at] ^ 1);
    }
    std::ofstream(cache.PathOf("key"), std::ios::binary) << broken;
    EXPECT_FALSE(cache.Load("key").ok()) << at;
  }
  // Kernels too: a device of its own compiles, keeps, and reads what it kept.
  for (int i = 0; i < 3; ++i) {
    if (i == 2)
      for (const auto& entry : std::filesystem::directory_iterator(folder))
        std::ofstream(entry.path()) << "no kernels";
    auto session =
        MakeSession(net, {{"cache", folder}, {"fail_in", "CONV_2D"}});
    ExpectNear(Outputs(*session), OnCpu(net), 1e-5f);
    EXPECT_EQ(log_, "");
    EXPECT_FALSE(std::filesystem::is_empty(folder));
  }
}

TEST(OpenClOptions, UnknownOption_IsNamed) {
  for (const DelegateOption& option :
       std::vector<DelegateOption>{{"precision", "int8"},
                                   {"weights", "int4"},
                                   {"arithmetic", "fp16"},
                                   {"arithmetic", "int8"},
                                   {"check", "maybe"},
                                   {"timeout_ms", "-1"},
                                   {"islands", "2"},
                                   {"memory", "none"},
                                   {"fail_in", "NOTHING"},
                                   {"colour", "red"}}) {
    const auto made = Make(std::vector<DelegateOption>{option});
    ASSERT_FALSE(made.ok()) << option.key;
    EXPECT_EQ(made.status().code(), Code::kInvalidArgument);
    EXPECT_THAT(std::string(made.status().message()), HasSubstr(option.key));
  }
}

}  // namespace
}  // namespace munja::delegates::opencl
