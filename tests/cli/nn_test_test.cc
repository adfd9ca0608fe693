// munja nn-test: cases of operations through drivers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/option_table.h"
#include "cli/program.h"

namespace munja::cli_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Json = nlohmann::json;

// a + b of FLOAT32; sum, a: the numbers of the buffers with what is expected
// and with a.
std::string AddCase(const std::string& name, const std::string& sum,
                    const std::string& a = "0") {
  return R"({"test": ")" + name + R"(", "min_version": "V1_0",
     "relaxed": false, "expect_failure": false, "multinomial_tolerance": 0,
     "main": {"name": "main", "operands": [
       {"name": "a", "type": "TENSOR_FLOAT32", "dims": [2],
        "lifetime": "SUBGRAPH_INPUT", "consumers": 1, "buffer": )" +
         a + R"(},
       {"name": "b", "type": "TENSOR_FLOAT32", "dims": [2],
        "lifetime": "SUBGRAPH_INPUT", "consumers": 1, "buffer": 1},
       {"name": "activation", "type": "INT32", "dims": [],
        "lifetime": "CONSTANT_COPY", "consumers": 1, "buffer": 2},
       {"name": "sum", "type": "TENSOR_FLOAT32", "dims": [2],
        "lifetime": "SUBGRAPH_OUTPUT", "consumers": 0, "buffer": )" +
         sum + R"(}],
       "operations": [{"type": "ADD", "inputs": [0, 1, 2], "outputs": [3]}],
       "inputs": [0, 1], "outputs": [3]},
     "referenced": []})";
}

std::string CaseFile(const std::string& examples) {
  return R"({"format": "nnspec-json-1", "suite": "own", "spec": "add",
    "source": "here",
    "buffers": [[1.5, -4], [2, 0.25], [0], [3.5, -3.75], [3.5, -3.5]],
    "examples": [)" +
         examples + "]}";
}

class NnTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ + "/deep/er");
    WriteAll(folder_ + "/deep/er/add.json", CaseFile(AddCase("right", "3")));
    // Other files may lie beside cases in a folder.
    WriteAll(folder_ + "/index.json", R"({"files": 1})");
    WriteAll(folder_ + "/notes.txt", "no cases");
    WriteAll(wrong_,
             CaseFile(AddCase("right", "3") + "," + AddCase("wrong", "4")));
  }
  const std::string folder_ = TestFolder() + "/cases";
  const std::string wrong_ = TestFolder() + "/wrong.json";
};

TEST_F(NnTest, Directories_AreSearchedDeepAndCasesCounted) {
  for (const char* driver : {"reference", "cpu"}) {
    const Outcome outcome =
        Munja({"nn-test", folder_, "--json", "--driver", driver});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const Json report = Json::parse(outcome.out);
    EXPECT_EQ(report["passed"], 1);
    EXPECT_EQ(report["failed"], 0);
    EXPECT_EQ(report["unsupported"], 0);
    EXPECT_EQ(report["operations"]["ADD"],
              (Json{{"passed", 1}, {"failed", 0}, {"unsupported", 0}}));
    EXPECT_EQ(report["driver"], std::string("munja-") + driver);
  }
}

// Every third of the conformance cases: those of floats whose sizes are known.
TEST_F(NnTest, OpenCl_IsRightOnAllThatItSupports) {
  const std::string cases = Shared("conformance/nn");
  Outcome outcome = Munja({"nn-test", folder_, "--driver", "opencl"});
  if (outcome.exit_code == 8) GTEST_SKIP() << outcome.err;
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  if (cases.empty()) GTEST_SKIP() << "no ../shared/conformance/nn";
  outcome = Munja({"nn-test", cases, "--driver", "opencl", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json report = Json::parse(outcome.out);
  EXPECT_EQ(report["driver"], "munja-opencl");
  EXPECT_EQ(report["failed"], 0) << report["failures"].dump();
  EXPECT_GE(report["passed"], 1500);
}

TEST_F(NnTest, CaseThatFails_IsNamedWithItsReason) {
  const Outcome outcome = Munja({"nn-test", wrong_, folder_});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr(wrong_ + ": wrong (ADD): output 0: "));
  EXPECT_THAT(outcome.out,
              testing::ContainsRegex("\nADD +2 +1 +0\nall +2 +1 +0\n"));
}

// A driver that is made with the helper class only has no bursts of its own in
// this process; isolated, the transport has them for all.
TEST_F(NnTest, WaysThatADriverLacks_AreNotPassed) {
  const auto report = [&](const Words& words) {
    const Outcome outcome = Munja(
        Words{"nn-test", folder_, "--json", "--driver", MUNJA_FAULT_DRIVER} +
        words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out);
  };
  const Json had = {{"run", 1}, {"lacking", 0}};
  const Json lacks = {{"run", 0}, {"lacking", 1}};
  const Json both = report({"--modes=sync,burst"});
  EXPECT_EQ(both["passed"], 1);
  EXPECT_EQ(both["ways"], (Json{{"sync", had}, {"burst", lacks}}));
  const Json none = report({"--modes=burst"});
  EXPECT_EQ(none["passed"], 0);
  EXPECT_EQ(none["unsupported"], 1);
  const Json isolated = report({"--modes=burst", "--isolated"});
  EXPECT_EQ(isolated["passed"], 1);
  EXPECT_EQ(isolated["ways"], (Json{{"burst", had}}));
  EXPECT_THAT(
      Munja({"nn-test", folder_, "--modes=sync,burst", "--driver",
             MUNJA_FAULT_DRIVER})
          .out,
      HasSubstr(
          "\nburst: run so 0, not run so 1: the driver does not have it"));
}

TEST_F(NnTest, CasesThatCannotBeRunOrRead_AreNamed) {
  const auto ends = [](const Words& words, int code, const std::string& says) {
    const Outcome outcome = Munja(Words{"nn-test"} + words);
    EXPECT_EQ(outcome.exit_code, code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(says));
    EXPECT_THAT(outcome.err, testing::StartsWith("munja: "));
  };
  ends({folder_ + "/absent"}, 3, folder_ + "/absent");
  ends({folder_ + "/index.json"}, 4, "nnspec-json-1");
  ends({folder_ + "/notes.txt"}, 3, "not JSON");
  ends({folder_, "--driver=absent"}, 8, "'reference', 'cpu'");
  ends({folder_, "--driver=absent.so"}, 8, "./absent.so");
  ends({folder_, "--driver=" + folder_ + "/notes.txt"}, 8, "notes.txt");
  fs::create_directories(folder_ + "/empty");
  ends({folder_ + "/empty"}, 3, "no cases");
  ends({}, 2, "PATH");
}

TEST_F(NnTest, DamagedFile_DoesNotHideTheOthers) {
  WriteAll(folder_ + "/broken.json", R"({"format": "nnspec-json-1")");
  const Outcome outcome = Munja({"nn-test", folder_, "--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("broken.json"));
  EXPECT_EQ(Json::parse(outcome.out)["passed"], 1);
}

// A driver of tests that does all that none should, as the first number says:
// each in a process of its own fails one case, and none of the others.
TEST_F(NnTest, DriverThatDiesOrLies_FailsNoOtherCase) {
  const std::string file = TestFolder() + "/faults.json";
  std::string cases =
      CaseFile(AddCase("right", "3") + "," + AddCase("crash", "3", "5") + "," +
               AddCase("lie", "3", "6") + "," + AddCase("right_again", "3"));
  // It crashes at -1001, and answers with a status that there is not at -1005.
  const size_t end = cases.find("[3.5, -3.5]]") + 11;
  cases.insert(end, ", [-1001, 0], [-1005, 0]");
  WriteAll(file, cases);
  const Outcome outcome = Munja({"nn-test", file, "--isolated", "--json",
                                 "--driver", MUNJA_FAULT_DRIVER});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  const Json report = Json::parse(outcome.out);
  EXPECT_EQ(report["passed"], 2) << outcome.out;
  ASSERT_EQ(report["failures"].size(), 2u) << outcome.out;
  EXPECT_EQ(report["failures"][0]["case"], "crash");
  EXPECT_EQ(report["failures"][1]["case"], "lie");
}

TEST_F(NnTest, Options_AreChecked) {
  const Words words = {"nn-test", folder_};
  CheckOptions(
      {"nn-test"}, {.words = words, .no_memory = 0, .shows_progress = true},
      {{"--driver",
        [&] {
          EXPECT_EQ(Munja(words + Words{"--driver=absent"}).exit_code, 8);
        }},
       {"--modes",
        [&] {
          const Json all =
              Json::parse(Munja(words + Words{"--modes=all", "--json"}).out);
          EXPECT_GT(all["passed"], 0);
          EXPECT_EQ(all["failed"], 0);
          const Outcome wrong = Munja(words + Words{"--modes=sideways"});
          EXPECT_EQ(wrong.exit_code, 2);
          EXPECT_THAT(wrong.err, testing::HasSubstr("sideways"));
        }},
       {"--isolated",
        [&] {
          // Beside the command that is run lies the program that it needs.
          const Json report =
              Json::parse(Munja(words + Words{"--isolated", "--json"}).out);
          EXPECT_EQ(report["passed"], 1);
          const Outcome alone = Munja(
              words + Words{"--isolated", "--driver=unix:" + folder_ + "/no"});
          EXPECT_EQ(alone.exit_code, 8) << alone.err;
        }},
       {"--json", [&] {
          const Outcome outcome = Munja(words + Words{"--json"});
          EXPECT_EQ(Json::parse(outcome.out)["passed"], 1);
        }}});
}

}  // namespace
}  // namespace munja::cli_test
