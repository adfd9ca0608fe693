// Each field of the options of decoding and of writers changes something that a
// caller sees; and no struct of options is without such a table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <regex>
#include <string>

#include "base/file.h"
#include "capi/tools/reading_testing.h"
#include "munja/writer.h"

namespace munja::capi {
namespace {

namespace fs = std::filesystem;

TEST(WriterOptions, EachField_ChangesSomething) {
  munja_document document{document::Document()};
  munja_page page = Empty<munja_page>();
  page.document = &document;
  std::string first, second;
  const munja_sink append = [](void* user, const void* bytes,
                               size_t size) -> int32_t {
    static_cast<std::string*>(user)->append(static_cast<const char*>(bytes),
                                            size);
    return 0;
  };
  const std::string path = ::testing::TempDir() + "munja_writer_option.hocr";
  const auto plain = Empty<munja_writer_options>();
  munja_writer_options o = plain;
  const auto write = [&] {
    munja_writer* made = nullptr;
    ASSERT_EQ(munja_writer_create("hocr", &o, &made), MUNJA_OK);
    const Handle<munja_writer, munja_writer_free> writer(made);
    EXPECT_EQ(munja_writer_add(made, &page), MUNJA_OK);
    EXPECT_EQ(munja_writer_finish(made), MUNJA_OK);
    char* bytes = nullptr;
    size_t size = 0;
    const munja_status taken = munja_writer_take(made, &bytes, &size);
    EXPECT_EQ(taken, o.sink != nullptr || o.path != nullptr
                         ? MUNJA_INVALID_ARGUMENT
                         : MUNJA_OK);
    munja_free(bytes);
  };
  const Rows rows = {{"sink",
                      [&] {
                        write();
                        EXPECT_EQ(first, "");
                        o.sink = append;
                        o.user = &first;
                        write();
                        EXPECT_NE(first.find("</html>"), first.npos);
                      }},
                     {"user",
                      [&] {
                        o.sink = append;
                        o.user = &second;
                        write();
                        EXPECT_EQ(second, first);
                      }},
                     {"path", [&] {
                        o.path = path.c_str();
                        write();
                        const auto bytes = ReadFile(path);
                        ASSERT_TRUE(bytes.ok());
                        const std::string text(bytes->begin(), bytes->end());
                        EXPECT_NE(text.find("</html>"), text.npos);
                        std::remove(path.c_str());
                      }}};
  CheckAll("writer.h", "munja_writer_options", rows, [&] { o = plain; });
}

TEST(DecodeOptions, EachField_ChangesSomething) {
  const std::string ppm = "P6 10 10 255\n" + std::string(300, 'x');
  const std::string path = testing::TempDir() + "/decode_options.ppm";
  ASSERT_TRUE(WriteFile(path, ppm).ok());
  const auto plain = Empty<munja_decode_options>();
  munja_decode_options o = plain;
  // From memory and from a file.
  const auto decode = [&](bool from_file) {
    munja_image* image = nullptr;
    const munja_status status =
        from_file ? munja_image_load(path.c_str(), &o, &image)
                  : munja_image_decode(ppm.data(), ppm.size(), &o, &image);
    EXPECT_EQ(image != nullptr, status == MUNJA_OK);
    if (image != nullptr) {
      const uint8_t* const pixels = munja_image_pixels(image, nullptr);
      EXPECT_EQ(std::count(pixels, pixels + 300, 'x'), 300);
    }
    munja_image_free(image);
    return status;
  };
  for (const bool from_file : {false, true}) {
    SCOPED_TRACE(from_file);
    const Rows rows = {
        {"max_pixels",
         [&] {
           o.max_pixels = 99;
           EXPECT_EQ(decode(from_file), MUNJA_OUT_OF_MEMORY);
           o.max_pixels = 100;
           EXPECT_EQ(decode(from_file), MUNJA_OK);
           o.max_pixels = -1;
           EXPECT_EQ(decode(from_file), MUNJA_INVALID_ARGUMENT);
         }},
        {"threads",
         [&] {
           o.threads = 2;
           EXPECT_EQ(decode(from_file), MUNJA_OK);
           o.threads = -1;
           EXPECT_EQ(decode(from_file), MUNJA_INVALID_ARGUMENT);
         }},
        {"picture",
         [&] {
           o.picture = 1;  // There is one only.
           EXPECT_EQ(decode(from_file), MUNJA_INVALID_ARGUMENT);
           o.picture = -1;
           EXPECT_EQ(decode(from_file), MUNJA_INVALID_ARGUMENT);
         }},
        // Its effect on pages: image/PdfDecode, if poppler is installed.
        {"dpi",
         [&] {
           o.dpi = 150;
           EXPECT_EQ(decode(from_file), MUNJA_OK);
           for (const double wrong : {-1.0, 2e6, std::nan("")}) {
             o.dpi = wrong;
             EXPECT_EQ(decode(from_file), MUNJA_INVALID_ARGUMENT) << wrong;
           }
         }},
        {"control",
         [&] {
           munja_control_options limits = Empty<munja_control_options>();
           limits.max_memory = 299;
           munja_control* control = nullptr;
           ASSERT_EQ(munja_control_create(&limits, &control), MUNJA_OK);
           o.control = control;
           EXPECT_EQ(decode(from_file), MUNJA_OUT_OF_MEMORY);
           munja_control_free(control);
         }},
    };
    CheckAll("image.h", "munja_decode_options", rows, [&] { o = plain; });
  }
}

// A new struct of options needs a table here.
TEST(Options, EveryStruct_HasItsTable) {
  const auto text_of = [](const fs::path& path) {
    const auto bytes = ReadFile(path.string(), 1 << 20);
    EXPECT_TRUE(bytes.ok()) << path;
    return bytes.ok() ? std::string(bytes->begin(), bytes->end()) : "";
  };
  std::string tests;
  for (const auto& entry :
       fs::directory_iterator(MUNJA_SOURCE_DIR "/src/api/capi/tools"))
    if (entry.path().string().ends_with("options_test.cc"))
      tests += text_of(entry.path());
  static const std::regex kStruct(R"(typedef struct (munja_\w+_options) \{)");
  int found = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(MUNJA_SOURCE_DIR "/include/munja")) {
    // The structs of driver.h are passed to drivers, which see each field.
    if (!entry.is_regular_file() || entry.path().filename() == "driver.h")
      continue;
    const std::string text = text_of(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), kStruct), end;
         it != end; ++it, ++found) {
      const std::string call =
          "CheckAll(\"" +
          fs::relative(entry.path(), MUNJA_SOURCE_DIR "/include/munja")
              .string() +
          "\", \"" + (*it)[1].str() + "\"";
      EXPECT_NE(tests.find(call), tests.npos) << call;
    }
  }
  EXPECT_GE(found, 9);
}

}  // namespace
}  // namespace munja::capi
