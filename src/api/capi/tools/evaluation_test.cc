// Scoring through the C interface.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "capi/tools/testing.h"
#include "munja/document.h"
#include "munja/tools/evaluate.h"

namespace munja::capi {
namespace {

using EvaluationHandle = Handle<munja_evaluation, munja_evaluation_free>;

// Two images of a single line, as two results say they were read: the first
// one in two parts, the second one not at all.
TEST(Evaluation, SplitLine_IsJoinedAndMissingResultsAreCounted) {
  const std::string folder = testing::TempDir() + "/evaluation/labels";
  std::filesystem::create_directories(folder);
  const std::string labels = folder + "/set.jsonl";
  const std::string results = folder + "/results.jsonl";
  ASSERT_TRUE(
      WriteFile(labels,
                std::string("{\"image\": \"a.png\", \"text\": \"two words\"}\n"
                            "{\"image\": \"b.png\", \"text\": \"none\"}\n"))
          .ok());
  ASSERT_TRUE(
      WriteFile(results,
                std::string("{\"source\": \"a.png\", \"lines\": ["
                            "{\"text\": \"two\", \"polygon\": "
                            "[[0, 0], [9, 0], [9, 5], [0, 5]]}, "
                            "{\"text\": \"words\", \"polygon\": "
                            "[[10, 0], [19, 0], [19, 5], [10, 5]]}]}\n"))
          .ok());
  munja_evaluation* raw = nullptr;
  ASSERT_EQ(munja_evaluation_create(labels.c_str(), &raw), MUNJA_OK);
  const EvaluationHandle evaluation(raw);
  ASSERT_EQ(munja_evaluation_count(raw), 2);
  ASSERT_EQ(munja_evaluation_load_results(raw, results.c_str()), MUNJA_OK)
      << munja_last_error();
  for (const int32_t i : {0, 1}) {
    munja_document* document = nullptr;
    ASSERT_EQ(munja_evaluation_result(raw, i, &document), MUNJA_OK);
    EXPECT_EQ(document != nullptr, i == 0);
    EXPECT_EQ(munja_evaluation_add(raw, i, document), MUNJA_OK);
    char* compared = nullptr;
    ASSERT_EQ(munja_evaluation_compare(raw, i, document, &compared), MUNJA_OK);
    const auto lines = nlohmann::json::parse(TakeText(compared));
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0]["right"], i == 0);
    EXPECT_EQ(lines[0]["read"], i == 0 ? "two words" : "");
    munja_document_free(document);
  }
  char* text = nullptr;
  ASSERT_EQ(munja_evaluation_figures(raw, &text), MUNJA_OK);
  const auto figures = nlohmann::json::parse(TakeText(text));
  EXPECT_EQ(figures["images"], 2);
  EXPECT_EQ(figures["missing_results"], 1);
  EXPECT_EQ(figures["accuracy"], 0.5);
  // Four of thirteen characters were not read.
  EXPECT_NEAR(figures["cer"].get<double>(), 4 / 13.0, 1e-12);
  EXPECT_EQ(munja_evaluation_add(raw, 2, nullptr), MUNJA_INVALID_ARGUMENT);
  EXPECT_EQ(munja_evaluation_compare(raw, 2, nullptr, &text),
            MUNJA_INVALID_ARGUMENT);
  EXPECT_EQ(munja_evaluation_ignore_text(raw, "none"), MUNJA_INVALID_ARGUMENT)
      << "figures that count it are there";
}

TEST(Evaluation, IgnoredText_RemovesItsEntries) {
  const std::string labels = testing::TempDir() + "/set.jsonl";
  ASSERT_TRUE(
      WriteFile(labels,
                std::string("{\"image\": \"a.png\", \"text\": \"###\"}\n"
                            "{\"image\": \"b.png\", \"lines\": ["
                            "{\"text\": \"###\"}, {\"text\": \"word\"}]}\n"))
          .ok());
  munja_evaluation* raw = nullptr;
  ASSERT_EQ(munja_evaluation_create(labels.c_str(), &raw), MUNJA_OK);
  const EvaluationHandle evaluation(raw);
  ASSERT_EQ(munja_evaluation_count(raw), 2);
  ASSERT_EQ(munja_evaluation_ignore_text(raw, "###"), MUNJA_OK);
  ASSERT_EQ(munja_evaluation_count(raw), 1);
  EXPECT_TRUE(std::string(munja_evaluation_image(raw, 0)).ends_with("b.png"));
  EXPECT_EQ(munja_evaluation_is_crop(raw, 0), 0);
  EXPECT_EQ(munja_evaluation_image(raw, 1), nullptr);
  char* compared = nullptr;
  ASSERT_EQ(munja_evaluation_compare(raw, 0, nullptr, &compared), MUNJA_OK);
  const auto lines = nlohmann::json::parse(TakeText(compared));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["label"], "word");
  EXPECT_EQ(munja_evaluation_ignore_text(raw, nullptr), MUNJA_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace munja::capi
