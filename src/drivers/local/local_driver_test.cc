#include "drivers/local/local_driver.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "nn/case_runner.h"
#include "nn/cases.h"
#include "nn/device.h"

namespace munja::drivers::local {
namespace {

namespace fs = std::filesystem;

class LocalDriver : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto device = nn::Device::Open(OpenDeviceFor(&host_, GetParam()), nullptr);
    ASSERT_TRUE(device.ok()) << device.status().message();
    device_ = *device;
  }
  // Why, for people who look for what is wrong.
  std::string said_;
  const munja_nn_host host_ = {sizeof host_, &said_,
                               [](void* said, int32_t, const char* line) {
                                 *static_cast<std::string*>(said) = line;
                               }};
  std::shared_ptr<nn::Device> device_;
};

TEST_P(LocalDriver, PassesTheCasesOfOthers) {
  const fs::path folder =
      fs::path(MUNJA_SOURCE_DIR) / "../shared/conformance/nn";
  if (!fs::exists(folder)) GTEST_SKIP() << "no cases here";
  std::map<std::string, int> failures;
  int passed = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".gz") continue;
    const auto cases = nn::ReadCases(entry.path());
    ASSERT_TRUE(cases.ok()) << cases.status().message();
    for (const nn::Case& example : *cases) {
      nn::Outcome outcome = nn::RunCase(*device_, example);
      if (outcome.verdict == nn::Verdict::kPassed && nn::CanBeSigned(example))
        outcome = nn::RunCase(*device_, nn::Signed(example));
      if (outcome.verdict == nn::Verdict::kPassed)
        ++passed;
      else
        ADD_FAILURE() << nn::OperationOf(example) << " " << example.name << ": "
                      << outcome.reason << " (" << said_ << ")";
    }
  }
  EXPECT_GT(passed, 5000);
}

INSTANTIATE_TEST_SUITE_P(Drivers, LocalDriver,
                         ::testing::Values("reference", "cpu"),
                         [](const auto& test) {
                           return std::string(test.param);
                         });

}  // namespace
}  // namespace munja::drivers::local
