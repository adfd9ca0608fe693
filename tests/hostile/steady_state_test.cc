// Reading the same page repeatedly needs no further working memory: it only
// allocates the document and small lists of boxes, in proportion to its lines.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "failing_allocator.h"
#include "munja/document.h"
#include "munja/image.h"
#include "munja/ocr.h"

namespace munja::hostile {
namespace {

struct Case {
  const char* name;
  const char* overrides;
  int looks;  // Passes of the detector: two on a skewed page.
};

std::string Name(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

class SteadyStateTest : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Pages, SteadyStateTest,
                         testing::Values(Case{"AsItLies",
                                              R"({"turn_pages": false})", 1},
                                         Case{"Straightened", "{}", 2}),
                         Name);

// On one thread: several share the lines of a page differently each time, and
// each has memory and plans for those that it had before.
TEST_P(SteadyStateTest, PageThatWasReadBefore_NeedsNoNewMemory) {
  const std::string source = MUNJA_SOURCE_DIR;
  const std::string model = source + "/models/default";
  if (!std::filesystem::exists(model))
    GTEST_SKIP() << "no model in this repository";
  munja_engine_options options = {};
  options.struct_size = sizeof options;
  options.model = model.c_str();
  options.overrides = GetParam().overrides;
  options.threads = 1;
  munja_engine* engine = nullptr;
  ASSERT_EQ(munja_engine_create(&options, &engine), MUNJA_OK)
      << munja_last_error();
  munja_image* image = nullptr;
  const std::string picture = source + "/testdata/pictures/receipt.jpg";
  ASSERT_EQ(munja_image_load(picture.c_str(), nullptr, &image), MUNJA_OK);

  AllocationCount before, after;
  munja_document* document = nullptr;
  for (int i = 0; i < 3; ++i) {
    munja_document_free(document);
    document = nullptr;
    before = AllocationsSoFar();
    ASSERT_EQ(munja_engine_read(engine, image, nullptr, &document), MUNJA_OK);
    after = AllocationsSoFar();
  }
  const int64_t lines = munja_document_line_count(document);
  EXPECT_GT(lines, 5);
  EXPECT_EQ(after.mappings, before.mappings);
  const int64_t lists = GetParam().looks * (lines + 5);
  EXPECT_LT(after.blocks - before.blocks, 200 * lists);
  EXPECT_LT(after.bytes - before.bytes, 32 * 1024 * lists);
  RecordProperty("blocks", static_cast<int>(after.blocks - before.blocks));
  RecordProperty("bytes", static_cast<int>(after.bytes - before.bytes));
  munja_document_free(document);
  munja_image_free(image);
  munja_engine_free(engine);
}

}  // namespace
}  // namespace munja::hostile
