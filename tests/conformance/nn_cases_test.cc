// The operator examples of the Neural Networks HAL, for operations that can be
// lowered to the .tflite schema.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "conformance/nn_run.h"
#include "delegates/nn/nn_delegate.h"
#include "drivers/built_in/built_in_drivers.h"
#include "kernels/cpu/simd.h"
#include "tflite_api/delegate_adapter.h"

extern "C" TfLiteDelegate* tflite_plugin_create_delegate(const char* const*,
                                                         const char* const*,
                                                         size_t,
                                                         void (*)(const char*));
extern "C" void tflite_plugin_destroy_delegate(TfLiteDelegate*);

namespace munja::conformance {
namespace {

namespace fs = std::filesystem;

struct Count {
  int passed = 0, failed = 0, unsupported = 0;
};

// Where the HAL and the schema mean different things.
struct Difference {
  const char* test;  // How the names of the examples begin.
  const char* reason;
};
constexpr Difference kDifferences[] = {
    {"cast_int32_to_quant8_overflow",
     "the HAL saturates integers, the schema's CAST wraps"},
    {"strided_slice_invalid",
     "the schema takes the first of an axis that is shrunk, whatever its end"},
    {"concat_invalid_rank", "the HAL's tensors have at most four dimensions"},
};

bool IsDifferent(const hal::Case& example) {
  return std::any_of(std::begin(kDifferences), std::end(kDifferences),
                     [&](const Difference& difference) {
                       return example.name.starts_with(difference.test);
                     });
}

// One mode of running the examples. Vector instructions are those of the
// process: each test of a mode selects its own.
struct Mode {
  std::string name;
  std::string simd;  // "": the best.
  RunOptions options;
};
void PrintTo(const Mode& mode, std::ostream* os) { *os << mode.name; }

// The delegate of examples/delegate, which fails in this phase; "": nowhere.
std::shared_ptr<runtime::Delegate> MakeTfLiteDelegate(const char* fail_in) {
  const char* const key = "fail_in";
  auto wrapped =
      compat::WrapDelegate(std::shared_ptr<TfLiteDelegate>(
                               tflite_plugin_create_delegate(
                                   &key, &fail_in, *fail_in ? 1 : 0, nullptr),
                               tflite_plugin_destroy_delegate),
                           "example");
  if (wrapped.ok()) return *wrapped;
  ADD_FAILURE() << wrapped.status().message();
  return nullptr;
}

std::vector<Mode> AllModes() {
  std::vector<Mode> modes;
  for (const std::string& simd : kernels::SimdNames())
    modes.push_back({simd, simd, {}});
  for (const char* phase : {"", "delegate", "prepare", "eval"}) {
    // One that fails leaves its nodes to the CPU: the same numbers.
    Mode mode{
        std::string("tflite_delegate") + (*phase ? "_fails_in_" : "") + phase,
        "",
        {}};
    mode.options.delegate = [phase] { return MakeTfLiteDelegate(phase); };
    modes.push_back(std::move(mode));
  }
  for (const char* device : {"cpu", "reference"}) {
    // Lifted back to the HAL, and through a driver.
    Mode mode{std::string("nn_") + device, "", {}};
    mode.options.delegate = [device]() -> std::shared_ptr<runtime::Delegate> {
      const runtime::DelegateOption option{"device", device};
      auto made = delegates::nn::Make({&option, 1}, drivers::Devices());
      if (made.ok()) return *made;
      ADD_FAILURE() << made.status().message();
      return nullptr;
    };
    modes.push_back(std::move(mode));
  }
  modes.push_back({"no_passes", "", {.run_passes = false}});
  modes.push_back({"reference", "", {.reference_kernels = true}});
  modes.push_back({"reference_no_passes",
                   "",
                   {.reference_kernels = true, .run_passes = false}});
  return modes;
}

class NnCases : public ::testing::TestWithParam<std::tuple<const char*, Mode>> {
 protected:
  void RunSuite(const fs::path& folder, const RunOptions& options);
  void Run(const hal::Case& example, const RunOptions& options);
  void Print() const;

  std::map<std::string, Count> counts_;
  std::vector<std::string> failures_;
  std::map<std::string, int> reasons_;
};

void NnCases::Run(const hal::Case& example, const RunOptions& options) {
  using hal::CaseStatus;
  if (IsDifferent(example)) return;
  hal::Outcome outcome = RunExample(example, options);
  // Signed values are what the schema's quantized operators are made for;
  // per-channel weights go with them only.
  if (hal::CanBeSigned(example) && !example.expects_failure) {
    const hal::Outcome other = RunExample(hal::Signed(example), options);
    if (outcome.status != CaseStatus::kFailed) {
      const bool is_worse = other.status == CaseStatus::kFailed ||
                            outcome.status == CaseStatus::kUnsupported;
      if (is_worse) outcome = other;
    }
  }
  const std::string operation = hal::OperationOf(example);
  Count& count = counts_[operation];
  switch (outcome.status) {
    case CaseStatus::kPassed:
      ++count.passed;
      break;
    case CaseStatus::kUnsupported:
      ++count.unsupported;
      ++reasons_[operation + ": " + outcome.reason];
      break;
    case CaseStatus::kFailed:
      ++count.failed;
      failures_.push_back(example.name + " (" + operation +
                          "): " + outcome.reason);
  }
}

void NnCases::RunSuite(const fs::path& folder, const RunOptions& options) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const auto cases = hal::ReadCases(file);
    ASSERT_TRUE(cases.ok()) << cases.status().message();
    for (const hal::Case& example : *cases) Run(example, options);
  }
}

void NnCases::Print() const {
  Count all;
  std::printf("%-32s %7s %7s %12s\n", "operation", "passed", "failed",
              "unsupported");
  for (const auto& [name, count] : counts_) {
    std::printf("%-32s %7d %7d %12d\n", name.c_str(), count.passed,
                count.failed, count.unsupported);
    all.passed += count.passed;
    all.failed += count.failed;
    all.unsupported += count.unsupported;
  }
  std::printf("%-32s %7d %7d %12d\n", "all", all.passed, all.failed,
              all.unsupported);
  // Why, for people who look for what is missing.
  if (std::getenv("MUNJA_CONFORMANCE_REASONS") != nullptr) {
    for (const auto& [reason, count] : reasons_)
      std::printf("%5d %s\n", count, reason.c_str());
  }
}

TEST_P(NnCases, LoweredOperations_GiveTheExpectedNumbers) {
  const auto& [suite, mode] = GetParam();
  const fs::path folder =
      fs::path(MUNJA_SOURCE_DIR) / "../shared/conformance/nn" / suite;
  if (!fs::exists(folder)) GTEST_SKIP() << "no " << folder.filename();
  ASSERT_TRUE(kernels::SelectSimd(mode.simd).ok());
  RunSuite(folder, mode.options);
  ASSERT_TRUE(kernels::SelectSimd("").ok());
  Print();
  for (const std::string& failure : failures_) ADD_FAILURE() << failure;
  EXPECT_GT(counts_.size(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Suites, NnCases,
                         ::testing::Combine(::testing::Values("V1_0", "V1_1",
                                                              "V1_2", "V1_3",
                                                              "V1_3_cts_only"),
                                            ::testing::ValuesIn(AllModes())),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" +
                                  std::get<1>(test.param).name;
                         });

}  // namespace
}  // namespace munja::conformance
