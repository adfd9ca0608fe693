// munja nn-bench: models on drivers of accelerators, beside the processor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/option_table.h"
#include "cli/program.h"

namespace munja::cli_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

class NnBench : public testing::Test {
 protected:
  const std::string model_ = DefaultBundle() + "/detector.tflite";
  const Words words_ = {"nn-bench", model_, "--runs=2"};
  const Words shape_ = {"--shape=1x32x32x3"};
};

TEST_F(NnBench, EveryDevice_GivesWhatTheCpuGives) {
  const Outcome outcome = Munja({"nn-bench", model_, "--shape=1x32x32x3",
                                 "--samples=3", "--runs=5", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json report = Json::parse(outcome.out);
  EXPECT_EQ(report["schema_version"], 1);
  ASSERT_EQ(report["models"].size(), 1u);
  const Json& model = report["models"][0];
  EXPECT_EQ(model["model"], model_);
  EXPECT_EQ(model["inputs"][0]["shape"], "1x32x32x3");
  std::vector<std::string> names;
  for (const Json& result : model["results"]) {
    names.push_back(result["driver"]);
    EXPECT_EQ(result["runs_ms"].size(), 5u);
    const Json& latency = result["latency_ms"];
    EXPECT_GT(latency["min"], 0);
    EXPECT_LE(latency["min"], latency["median"]);
    EXPECT_LE(latency["median"], latency["p90"]);
    EXPECT_LE(latency["p90"], latency["max"]);
    if (names.back() == "CPU") continue;
    ASSERT_EQ(result["outputs"].size(), 1u);
    const Json& output = result["outputs"][0];
    EXPECT_GT(output["largest"], 0);
    // Sums in another order.
    EXPECT_LE(output["max_error"].get<double>(),
              1e-4 * output["largest"].get<double>());
    EXPECT_LE(
        output["mean_squared_error"].get<double>(),
        output["max_error"].get<double>() * output["max_error"].get<double>());
  }
  EXPECT_THAT(names, testing::ElementsAre("CPU", "cpu", "reference"));
}

TEST_F(NnBench, Page_NeedsNothingElse) {
  // Signs of HTML in a name are text.
  const std::string model = TestFolder() + "/a<b>&.tflite";
  std::filesystem::copy_file(model_, model);
  const std::string page = TestFolder() + "/page.html";
  const Outcome outcome =
      Munja({"nn-bench", model, "--shape=1x32x32x3", "--runs=2", "--samples=1",
             "--driver=cpu", "--driver=absent", "-o", page});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("there is no device 'absent'"));
  const std::string html = ReadAll(page);
  EXPECT_THAT(html,
              AllOf(HasSubstr("a&lt;b&gt;&amp;.tflite"), Not(HasSubstr("a<b>")),
                    HasSubstr("there is no device &#39;absent&#39;"),
                    HasSubstr("<svg"), HasSubstr("<circle")));
  for (const char* outside : {"src=", "href=", "url(", "@import", "<script"})
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  for (const char* tag : {"svg", "table", "tr", "td", "p", "text", "html"}) {
    const auto count = [&](const std::string& text) {
      size_t found = 0;
      for (size_t at = html.find(text); at != std::string::npos;
           at = html.find(text, at + 1))
        ++found;
      return found;
    };
    const std::string name = tag;
    EXPECT_EQ(count("<" + name + ">") + count("<" + name + " "),
              count("</" + name + ">"))
        << tag;
  }
}

TEST_F(NnBench, MissingModel_LeavesTheOthers) {
  const Outcome alone = Munja({"nn-bench", "absent.tflite"});
  EXPECT_EQ(alone.exit_code, 5);
  EXPECT_THAT(alone.err, HasSubstr("absent.tflite"));
  const Outcome both =
      Munja(words_ + shape_ + Words{"absent.tflite", "--driver=cpu", "--json"});
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_THAT(both.err, HasSubstr("absent.tflite"));
  EXPECT_EQ(Json::parse(both.out)["models"].size(), 1u);
  // A shape that the model refuses is the caller's.
  EXPECT_EQ(Munja({"nn-bench", model_, "--shape=1x32x32x5"}).exit_code, 2);
}

TEST_F(NnBench, Options_AreChecked) {
  const auto report = [&](const Words& more) {
    return Json::parse(Munja(Words{"nn-bench", model_, "--json"} + more).out);
  };
  CheckOptions(
      {"nn-bench"}, {.words = words_ + shape_},
      {{"--driver",
        [&] {
          EXPECT_EQ(report({"--driver=cpu", "--runs=2",
                            shape_[0]})["models"][0]["results"]
                        .size(),
                    2u);
        }},
       {"--driver-path",
        [&] {
          // A folder without drivers: the built-in ones are there.
          EXPECT_EQ(
              Munja(words_ + shape_ + Words{"--driver-path=" + TestFolder()})
                  .exit_code,
              0);
        }},
       {"--shape",
        [&] {
          const Json r =
              report({"--driver=cpu", "--runs=2", "--shape=1x64x32x3"});
          EXPECT_EQ(r["models"][0]["inputs"][0]["shape"], "1x64x32x3");
        }},
       {"--threads",
        [&] {
          EXPECT_EQ(report({"--threads=3", "--runs=2", shape_[0]})["threads"],
                    3);
        }},
       {"--runs",
        [&] {
          const Json r = report({"--driver=cpu", "--runs=7", shape_[0]});
          EXPECT_EQ(r["models"][0]["results"][1]["runs_ms"].size(), 7u);
        }},
       {"--samples",
        [&] {
          EXPECT_EQ(report({"--samples=2", "--runs=2", shape_[0]})["samples"],
                    2);
        }},
       {"--output",
        [&] {
          const std::string page = TestFolder() + "/o.html";
          EXPECT_EQ(Munja(words_ + shape_ + Words{"-o", page}).exit_code, 0);
          EXPECT_THAT(ReadAll(page), HasSubstr("</html>"));
          EXPECT_EQ(
              Munja(words_ + shape_ + Words{"-o", TestFolder() + "/no/o.html"})
                  .exit_code,
              7);
        }},
       {"--json", [&] {
          EXPECT_TRUE(report({"--runs=2", shape_[0]}).is_object());
        }}});
}

}  // namespace
}  // namespace munja::cli_test
