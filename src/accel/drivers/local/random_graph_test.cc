// Random models on a driver against the reference, by the tolerances of
// docs/explanation/testing.md. What fails lies in the folder of the test as a
// file for munja nn-test.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/sanitizers.h"
#include "drivers/local/local_driver.h"
#include "hal/case_report.h"
#include "hal/case_runner.h"
#include "hal/case_writer.h"
#include "hal/device.h"
#include "hal/eval/testing.h"
#include "munja/driver.hpp"

namespace munja::drivers::local {
namespace {

constexpr uint32_t kSeeds = FewerIfSanitized(300);

std::shared_ptr<hal::Device> Open(munja_nn_device* opened) {
  auto device = hal::Device::Open(opened, nullptr);
  EXPECT_TRUE(device.ok()) << device.status().message();
  return device.ok() ? *device : nullptr;
}

// Files of the models that the driver gets wrong.
std::vector<std::string> Failures(const hal::Device& device,
                                  hal::Numbers numbers) {
  const auto reference = Open(OpenDevice("reference"));
  std::vector<std::string> files;
  for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
    hal::Case example =
        hal::RandomCase(numbers, seed, 2 + static_cast<int>(seed % 7));
    const Status expected = hal::SetExpected(*reference, &example);
    EXPECT_TRUE(expected.ok()) << seed << ": " << expected.message();
    const hal::Outcome outcome = hal::RunCase(device, example);
    if (outcome.status != hal::CaseStatus::kFailed) continue;
    files.push_back(testing::TempDir() + "/" + example.name + ".json");
    std::ofstream(files.back()) << hal::WriteCase(example);
    std::printf("%s: %s\n", files.back().c_str(), outcome.reason.c_str());
  }
  return files;
}

class RandomGraph : public testing::TestWithParam<hal::Numbers> {};

TEST_P(RandomGraph, Cpu_IsWithinTheTolerancesOfTheReference) {
  EXPECT_EQ(Failures(*Open(OpenDevice("cpu")), GetParam()),
            std::vector<std::string>());
}

// Answers as the reference does, except for one bit.
class WrongModel : public driver::PreparedModel {
 public:
  explicit WrongModel(munja_nn_prepared_model* inner) : inner_(inner) {}
  ~WrongModel() override { inner_->release(inner_->self); }
  driver::Answer Execute(const munja_nn_request& request,
                         const munja_nn_execution_options& options) override {
    driver::Answer answer;
    answer.status = inner_->execute(
        inner_->self, &request, &options, [](void*, const munja_nn_result*) {},
        nullptr);
    std::vector<driver::Argument> outputs;
    if (answer.status == MUNJA_NN_NONE &&
        driver::ReadArguments(request, true, request.output_count, &outputs))
      // The sign, or what is as large.
      static_cast<uint8_t*>(outputs[0].data)[outputs[0].bytes - 1] ^= 0x80;
    return answer;
  }

 private:
  munja_nn_prepared_model* const inner_;
};

class WrongDevice : public driver::Device {
 public:
  WrongDevice() : inner_(OpenDevice("reference")) {}
  ~WrongDevice() override { inner_->release(inner_->self); }
  driver::Description Describe() override {
    driver::Description description;
    description.name = "munja-wrong";
    description.version_string = "1";
    return description;
  }
  int32_t SupportedOperations(const munja_nn_model& model,
                              uint8_t* supported) override {
    return inner_->supported_operations(inner_->self, &model, supported);
  }
  int32_t Prepare(const munja_nn_model& model,
                  const munja_nn_compilation_options& options,
                  std::unique_ptr<driver::PreparedModel>* prepared) override {
    munja_nn_prepared_model* made = nullptr;
    const int32_t status = inner_->prepare(
        inner_->self, &model, &options,
        [](void* user, int32_t, munja_nn_prepared_model* given) {
          *static_cast<munja_nn_prepared_model**>(user) = given;
        },
        &made);
    if (made != nullptr) *prepared = std::make_unique<WrongModel>(made);
    return status;
  }

 private:
  munja_nn_device* const inner_;
};

TEST_P(RandomGraph, FailingCase_RunsAgainFromItsFile) {
  const auto wrong = Open(driver::Export(std::make_unique<WrongDevice>()));
  const std::vector<std::string> files = Failures(*wrong, GetParam());
  ASSERT_GT(files.size(), kSeeds / 2);
  const auto again = hal::RunCaseFiles(*wrong, files, hal::kAllModes);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->all.failed, static_cast<int64_t>(files.size()));
  const auto right =
      hal::RunCaseFiles(*Open(OpenDevice("reference")), files, hal::kAllModes);
  ASSERT_TRUE(right.ok()) << right.status().message();
  EXPECT_EQ(right->all.passed, static_cast<int64_t>(files.size()));
}

std::string NameOf(const testing::TestParamInfo<hal::Numbers>& test) {
  constexpr const char* kNames[] = {"Float32", "Float16", "Unsigned8",
                                    "Signed8", "Int32AndBool"};
  return kNames[static_cast<int>(test.param)];
}

INSTANTIATE_TEST_SUITE_P(Types, RandomGraph,
                         testing::Values(hal::Numbers::kFloat32,
                                         hal::Numbers::kFloat16,
                                         hal::Numbers::kUnsigned8,
                                         hal::Numbers::kSigned8,
                                         hal::Numbers::kInt32AndBool),
                         NameOf);

}  // namespace
}  // namespace munja::drivers::local
