// Each field of the options of reading and of controls changes something that a
// caller sees.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "capi/tools/reading_testing.h"
#include "munja/image.h"

namespace munja::capi {
namespace {

namespace fs = std::filesystem;

TEST(ReadOptions, EachField_ChangesSomething) {
  munja_engine_options engine_options = Empty<munja_engine_options>();
  engine_options.model = kDefaultBundle;
  engine_options.threads = 1;
  const EngineHandle engine = CreateEngine(engine_options);
  const auto plain = Empty<munja_read_options>();
  munja_read_options o = plain;
  munja_status status = MUNJA_OK;
  const DocumentHandle page = ReadPage(engine.get(), plain);
  ASSERT_GT(munja_document_line_count(page.get()), 1);
  const std::string folder = testing::TempDir() + "/read_options";
  const Rows rows = {
      {"task",
       [&] {
         o.task = MUNJA_TASK_DETECT;
         const DocumentHandle boxes = ReadPage(engine.get(), o);
         EXPECT_GE(munja_document_line_count(boxes.get()),
                   munja_document_line_count(page.get()));
         for (const munja_line& line : LinesOf(boxes.get()))
           EXPECT_STREQ(line.text, "");
         o.task = MUNJA_TASK_LINE;
         const DocumentHandle line = ReadPage(engine.get(), o);
         EXPECT_EQ(munja_document_line_count(line.get()), 1);
         for (const int wrong : {-1, 4}) {
           std::memcpy(&o.task, &wrong, sizeof o.task);
           ReadPage(engine.get(), o, &status);
           EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
         }
       }},
      // Applies to lines, boxes and images of a single line.
      {"min_confidence",
       [&] {
         for (const munja_task task :
              {MUNJA_TASK_PAGE, MUNJA_TASK_DETECT, MUNJA_TASK_LINE}) {
           SCOPED_TRACE(task);
           o = plain;
           o.task = task;
           std::vector<float> all =
               ConfidencesOf(ReadPage(engine.get(), o).get());
           ASSERT_FALSE(all.empty());
           const float most = *std::max_element(all.begin(), all.end());
           const float least = *std::min_element(all.begin(), all.end());
           ASSERT_LT(least, 1);
           o.has_min_confidence = 1;
           o.min_confidence = std::max(most, 0.01f);
           std::vector<float> wanted;
           for (const float c : all)
             if (c >= o.min_confidence) wanted.push_back(c);
           EXPECT_EQ(ConfidencesOf(ReadPage(engine.get(), o).get()), wanted);
           o.min_confidence = 1;
           std::erase_if(all, [](float c) { return c < 1; });
           EXPECT_EQ(ConfidencesOf(ReadPage(engine.get(), o).get()), all);
         }
         for (const float wrong : {-0.1f, 1.1f}) {
           o.has_min_confidence = 1;
           o.min_confidence = wrong;
           ReadPage(engine.get(), o, &status);
           EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
         }
       }},
      {"dump_directory",
       [&] {
         o.dump_directory = folder.c_str();
         ReadPage(engine.get(), o);
         const auto lines = munja_document_line_count(page.get());
         for (const std::string& name :
              {std::string("1-input.png"), std::string("2-text-map.png"),
               std::string("3-boxes.png"),
               "4-line-00" + std::to_string(lines) + ".png"})
           EXPECT_TRUE(fs::exists(folder + "/" + name)) << name;
         o.dump_directory = "/dev/null/folder";
         ReadPage(engine.get(), o, &status);
         EXPECT_EQ(status, MUNJA_IO);
       }},
      {"has_min_confidence",
       [&] {
         // 0 is a threshold, too: everything is kept.
         o.has_min_confidence = 1;
         EXPECT_GE(munja_document_line_count(ReadPage(engine.get(), o).get()),
                   munja_document_line_count(page.get()));
         o.has_min_confidence = 0;
         o.min_confidence = 1;  // Does not count.
         EXPECT_EQ(munja_document_line_count(ReadPage(engine.get(), o).get()),
                   munja_document_line_count(page.get()));
       }},
      {"boxes",
       [&] {
         std::vector<float> boxes;
         const auto lines = LinesOf(page.get());
         for (size_t i = lines.size(); i-- > 0;)  // In another order.
           boxes.insert(boxes.end(), lines[i].polygon, lines[i].polygon + 8);
         o.task = MUNJA_TASK_BOXES;
         o.boxes = boxes.data();
         o.box_count = static_cast<int32_t>(lines.size());
         const DocumentHandle read = ReadPage(engine.get(), o);
         const auto again = LinesOf(read.get());
         ASSERT_EQ(again.size(), lines.size());
         for (size_t i = 0; i < lines.size(); ++i)
           // A polygon fits the ink and cuts the line a little tighter.
           EXPECT_EQ(std::string(again[lines.size() - 1 - i].text).substr(0, 4),
                     std::string(lines[i].text).substr(0, 4));
       }},
      {"box_count",
       [&] {
         o.task = MUNJA_TASK_BOXES;
         o.box_count = 1;  // Without boxes.
         ReadPage(engine.get(), o, &status);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
         o.box_count = 0;
         EXPECT_EQ(munja_document_line_count(ReadPage(engine.get(), o).get()),
                   0);
       }},
      {"region",
       [&] {
         const int32_t width = munja_document_width(page.get()),
                       height = munja_document_height(page.get());
         const int32_t part[] = {0, 0, width, height / 2};
         std::copy(part, part + 4, o.region);
         const DocumentHandle upper = ReadPage(engine.get(), o);
         EXPECT_EQ(munja_document_height(upper.get()), height);
         const auto count = munja_document_line_count(upper.get());
         EXPECT_GT(count, 0);
         EXPECT_LT(count, munja_document_line_count(page.get()));
         o.region[3] = height + 1;
         ReadPage(engine.get(), o, &status);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
       }},
      {"control",
       [&] {
         const ControlHandle control = CancelledControl();
         o.control = control.get();
         EXPECT_EQ(ReadPage(engine.get(), o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_CANCELLED);
       }},
  };
  CheckAll("ocr.h", "munja_read_options", rows, [&] { o = plain; });
  fs::remove_all(folder);
}

TEST(ControlOptions, EachField_ChangesSomething) {
  const auto plain = Empty<munja_control_options>();
  munja_control_options o = plain;
  const auto create = [&] {
    munja_control* control = nullptr;
    EXPECT_EQ(munja_control_create(&o, &control), MUNJA_OK);
    return ControlHandle(control);
  };
  munja_engine_options engine_options = Empty<munja_engine_options>();
  engine_options.model = kDefaultBundle;
  engine_options.threads = 1;
  const EngineHandle engine = CreateEngine(engine_options);
  const auto read = [&] {
    const ControlHandle control = create();
    auto options = Empty<munja_read_options>();
    options.control = control.get();
    munja_status status = MUNJA_OK;
    ReadPage(engine.get(), options, &status);
    return status;
  };
  int calls = 0;
  const Rows rows = {
      {"max_memory",
       [&] {
         auto use = Empty<munja_control_use>();
         o.max_memory = 12345;
         const ControlHandle control = create();
         ASSERT_EQ(munja_control_memory(control.get(), &use), MUNJA_OK);
         EXPECT_EQ(use.max_memory, 12345u);
         // An image of 60,000 bytes.
         const std::string ppm = "P5 100 200 255\n" + std::string(20000, 'x');
         munja_control* const before = munja_control_bind(control.get());
         munja_image* image = nullptr;
         EXPECT_EQ(munja_image_decode(ppm.data(), ppm.size(), nullptr, &image),
                   MUNJA_OUT_OF_MEMORY);
         munja_control_bind(before);
         o.max_memory = -1;
         const ControlHandle endless = create();
         ASSERT_EQ(munja_control_memory(endless.get(), &use), MUNJA_OK);
         EXPECT_EQ(use.max_memory, SIZE_MAX);
       }},
      {"seconds",
       [&] {
         o.seconds = 1e-9;
         EXPECT_EQ(read(), MUNJA_TIMED_OUT);
         o.seconds = -1;
         EXPECT_EQ(read(), MUNJA_OK);
       }},
      {"progress",
       [&] {
         o.progress = [](void*, const char*, uint64_t, uint64_t) { return 1; };
         EXPECT_EQ(read(), MUNJA_CANCELLED);
       }},
      {"context",
       [&] {
         o.progress = [](void* context, const char*, uint64_t, uint64_t) {
           ++*static_cast<int*>(context);
           return 0;
         };
         o.context = &calls;
         EXPECT_EQ(read(), MUNJA_OK);
         EXPECT_GT(calls, 1);
       }},
      {"max_pixels",
       [&] {
         const std::string ppm = "P6 10 10 255\n" + std::string(300, 'x');
         for (const int64_t most : {99, 100}) {
           o.max_pixels = most;
           const ControlHandle control = create();
           auto options = Empty<munja_decode_options>();
           options.control = control.get();
           munja_image* image = nullptr;
           EXPECT_EQ(
               munja_image_decode(ppm.data(), ppm.size(), &options, &image),
               most < 100 ? MUNJA_OUT_OF_MEMORY : MUNJA_OK);
           munja_image_free(image);
         }
       }},
  };
  EXPECT_EQ(read(), MUNJA_OK);
  CheckAll("control.h", "munja_control_options", rows, [&] { o = plain; });
}

}  // namespace
}  // namespace munja::capi
