// Each field of the options of engines, of reading, of decoding and of controls
// changes something that a caller sees; and no struct of options is without
// such a table.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "capi/reading/handles.h"
#include "capi/tools/testing.h"
#include "kernels/gemm/half_gemm.h"
#include "munja/delegates.h"
#include "munja/document.h"
#include "munja/log.h"
#include "munja/ocr.h"
#include "samples/text_picture.h"

namespace munja::capi {
namespace {

namespace fs = std::filesystem;
using Rows = std::map<std::string, std::function<void()>>;

using EngineHandle = Handle<munja_engine, munja_engine_free>;
using ImageHandle = Handle<munja_image, munja_image_free>;
using DocumentHandle = Handle<munja_document, munja_document_free>;

template <class Options>
Options Empty() {
  Options options = {};
  options.struct_size = sizeof options;
  return options;
}

ptrdiff_t Threads() {
  return std::distance(fs::directory_iterator("/proc/self/task"), {});
}

ImageHandle Page() {
  auto page = tools::TextPicture(320, 160);
  EXPECT_TRUE(page.ok());
  return ImageHandle(new munja_image{std::move(*page)});
}

// Null where it fails; *status says why.
EngineHandle Create(const munja_engine_options& options,
                    munja_status* status = nullptr) {
  munja_engine* engine = nullptr;
  const munja_status done = munja_engine_create(&options, &engine);
  if (status != nullptr) *status = done;
  EXPECT_TRUE(status != nullptr || done == MUNJA_OK) << munja_last_error();
  return EngineHandle(engine);
}

DocumentHandle Read(munja_engine* engine, const munja_read_options& options,
                    munja_status* status = nullptr) {
  const ImageHandle page = Page();
  munja_document* document = nullptr;
  const munja_status done =
      munja_engine_read(engine, page.get(), &options, &document);
  if (status != nullptr) *status = done;
  EXPECT_TRUE(status != nullptr || done == MUNJA_OK) << munja_last_error();
  return DocumentHandle(document);
}

std::vector<munja_line> LinesOf(const munja_document* document) {
  std::vector<munja_line> lines(
      static_cast<size_t>(munja_document_line_count(document)));
  for (size_t i = 0; i < lines.size(); ++i) {
    lines[i].struct_size = sizeof(munja_line);
    EXPECT_EQ(munja_document_line(document, static_cast<int32_t>(i), &lines[i]),
              MUNJA_OK);
  }
  return lines;
}

std::vector<float> ConfidencesOf(const munja_document* document) {
  std::vector<float> all;
  for (const munja_line& line : LinesOf(document))
    all.push_back(line.confidence);
  return all;
}

TEST(EngineOptions, EachField_ChangesSomething) {
  munja_engine_options plain = Empty<munja_engine_options>();
  plain.model = kDefaultBundle;
  plain.threads = 1;
  plain.precision = MUNJA_PRECISION_FLOAT32;
  const EngineHandle usual = Create(plain);
  const auto read = Empty<munja_read_options>();
  const std::vector<float> sure = ConfidencesOf(Read(usual.get(), read).get());
  ASSERT_GT(sure.size(), 1u);
  munja_engine_options o = plain;
  munja_status status = MUNJA_OK;
  const std::string folder = testing::TempDir() + "/engine_options";
  const Rows rows = {
      {"model",
       [&] {
         EXPECT_STREQ(munja_engine_name(usual.get()), "default");
         fs::copy(kDefaultBundle, folder);
         const auto bytes = ReadFile(folder + "/bundle.json", 1 << 20);
         ASSERT_TRUE(bytes.ok());
         std::string text(bytes->begin(), bytes->end());
         const std::string name = "\"name\": \"default\"";
         ASSERT_NE(text.find(name), text.npos);
         text.replace(text.find(name), name.size(), "\"name\": \"mine\"");
         ASSERT_TRUE(WriteFile(folder + "/bundle.json", text).ok());
         o.model = folder.c_str();
         EXPECT_STREQ(munja_engine_name(Create(o).get()), "mine");
         o.model = "/absent";
         EXPECT_EQ(Create(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_NOT_FOUND);
       }},
      {"threads",
       [&] {
         const EngineHandle one = Create(o);
         const ptrdiff_t before = Threads();
         o.threads = 3;
         const EngineHandle three = Create(o);
         EXPECT_EQ(ConfidencesOf(Read(three.get(), read).get()), sure);
         EXPECT_EQ(Threads(), before + 2);
         for (const int32_t wrong : {-1, 1025}) {
           o.threads = wrong;
           EXPECT_EQ(Create(o, &status), nullptr);
           EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
         }
       }},
      {"overrides",
       [&] {
         o.overrides = R"({"min_confidence": 1})";
         const EngineHandle engine = Create(o);
         EXPECT_EQ(munja_document_line_count(Read(engine.get(), read).get()),
                   0);
         char* json = nullptr;
         ASSERT_EQ(munja_engine_settings(engine.get(), &json), MUNJA_OK);
         const auto settings = nlohmann::json::parse(TakeText(json));
         EXPECT_EQ(settings["min_confidence"], 1.0);
         o.overrides = R"({"detector": {"limit_sid": 1}})";
         EXPECT_EQ(Create(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
       }},
      {"precision",
       [&] {
         o.precision = MUNJA_PRECISION_FLOAT16;
         const bool has_halves =
             kernels::HalfFormatInUse() != kernels::HalfFormat::kNone;
         const EngineHandle engine = Create(o);
         EXPECT_EQ(ConfidencesOf(Read(engine.get(), read).get()) != sure,
                   has_halves);
         o.precision = static_cast<munja_precision>(7);
         EXPECT_EQ(Create(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
         o.precision = MUNJA_PRECISION_MIXED;
         const auto fast = ConfidencesOf(Read(Create(o).get(), read).get());
         EXPECT_NE(fast, sure);
         o.precision = MUNJA_PRECISION_DEFAULT;
         EXPECT_EQ(ConfidencesOf(Read(Create(o).get(), read).get()), fast);
         // A bundle of one precision.
         const std::string single = folder + "_single";
         fs::copy(kDefaultBundle, single);
         std::ifstream file(single + "/bundle.json");
         auto manifest = nlohmann::json::parse(file);
         ASSERT_EQ(manifest.erase("integer"), 1u);
         ASSERT_TRUE(WriteFile(single + "/bundle.json", manifest.dump()).ok());
         o.model = single.c_str();
         EXPECT_EQ(ConfidencesOf(Read(Create(o).get(), read).get()), sure);
         o.precision = MUNJA_PRECISION_MIXED;
         EXPECT_EQ(Create(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_NOT_FOUND);
       }},
      {"no_winograd",
       [&] {
         o.no_winograd = 1;
         const auto direct = ConfidencesOf(Read(Create(o).get(), read).get());
         EXPECT_NE(direct, sure);
         ASSERT_EQ(direct.size(), sure.size());
         // Winograd's sums differ by some millionths of the largest.
         for (size_t i = 0; i < sure.size(); ++i)
           EXPECT_NEAR(direct[i], sure[i], 1e-3);
         o.precision = MUNJA_PRECISION_FLOAT16;
         EXPECT_EQ(Create(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
       }},
      {"files",
       [&] {
         // From memory and from descriptors, with other bytes before.
         std::vector<std::string> names;
         std::vector<std::vector<uint8_t>> contents;
         for (const auto& entry : fs::directory_iterator(kDefaultBundle)) {
           names.push_back(entry.path().filename().string());
           contents.push_back(ReadFile(entry.path().string()).value());
         }
         std::vector<munja_file> files;
         for (size_t i = 0; i < names.size(); ++i)
           files.push_back({names[i].c_str(), contents[i].data(),
                            contents[i].size(), -1, 0});
         o.model = nullptr;
         o.files = files.data();
         o.file_count = static_cast<int32_t>(files.size());
         EXPECT_EQ(ConfidencesOf(Read(Create(o).get(), read).get()), sure);
         const std::string packed = folder + "_packed";
         std::string all(100, 'x');
         for (size_t i = 0; i < files.size(); ++i) {
           files[i].offset = static_cast<int64_t>(all.size());
           files[i].data = nullptr;
           all.append(contents[i].begin(), contents[i].end());
         }
         ASSERT_TRUE(WriteFile(packed, all).ok());
         const int fd = open(packed.c_str(), O_RDONLY);
         for (munja_file& file : files) file.fd = fd;
         EXPECT_EQ(ConfidencesOf(Read(Create(o).get(), read).get()), sure);
         close(fd);
         EXPECT_EQ(Create(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_IO);
         o.model = kDefaultBundle;
         EXPECT_EQ(Create(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
       }},
      {"file_count",
       [&] {
         o.model = nullptr;
         o.file_count = 1;  // Without files.
         EXPECT_EQ(Create(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
       }},
      {"pool",
       [&] {
         munja_thread_pool* pool = nullptr;
         ASSERT_EQ(munja_thread_pool_create(3, &pool), MUNJA_OK);
         const ptrdiff_t before = Threads();
         o.pool = pool;
         o.threads = 5;
         const EngineHandle first = Create(o), second = Create(o);
         EXPECT_EQ(Threads(), before);
         munja_thread_pool_free(pool);
         EXPECT_EQ(ConfidencesOf(Read(first.get(), read).get()), sure);
         EXPECT_EQ(ConfidencesOf(Read(second.get(), read).get()), sure);
         EXPECT_EQ(munja_thread_pool_create(-1, &pool), MUNJA_INVALID_ARGUMENT);
       }},
      {"allowed_characters",
       [&] {
         o.allowed_characters = "0123456789.";
         const EngineHandle digits = Create(o);
         munja_read_options line = read;
         line.task = MUNJA_TASK_LINE;
         const DocumentHandle document = Read(digits.get(), line);
         for (const munja_line& l : LinesOf(document.get()))
           EXPECT_EQ(std::string(l.text).find_first_not_of("0123456789."),
                     std::string::npos)
               << l.text;
         o.allowed_characters = "\xF0\x9F\x98\x80";  // An emoji.
         EXPECT_EQ(Create(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
       }},
      {"control",
       [&] {
         const ControlHandle control = CancelledControl();
         o.control = control.get();
         EXPECT_EQ(Create(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_CANCELLED);
       }},
      {"delegates",
       [&] {
         // A driver that runs nodes and one that fails to prepare what it
         // claims to support: the same text.
         munja_delegate *device = nullptr, *failing = nullptr;
         ASSERT_EQ(
             munja_delegate_create("nn:cpu", nullptr, nullptr, 0, &device),
             MUNJA_OK);
         ASSERT_EQ(munja_delegate_create("nn:" MUNJA_FAULT_DRIVER "#2", nullptr,
                                         nullptr, 0, &failing),
                   MUNJA_OK);
         o.precision = MUNJA_PRECISION_DEFAULT;  // They are given floats.
         for (munja_delegate* delegate : {device, failing}) {
           std::vector<std::string> warnings;
           munja_set_log(
               [](void* user, munja_log_severity, const char* line) {
                 static_cast<std::vector<std::string>*>(user)->push_back(line);
               },
               &warnings);
           o.delegates = &delegate;
           o.delegate_count = 1;
           const EngineHandle engine = Create(o);
           const auto got = ConfidencesOf(Read(engine.get(), read).get());
           ASSERT_EQ(got.size(), sure.size());
           for (size_t i = 0; i < sure.size(); ++i)
             EXPECT_NEAR(got[i], sure[i], 1e-3);
           munja_set_log(nullptr, nullptr);
           EXPECT_EQ(warnings.empty(), delegate == device);
         }
         munja_delegate_free(failing);
         munja_delegate_free(device);
         munja_delegate_callbacks callbacks = {};
         callbacks.struct_size = sizeof callbacks;
         callbacks.name = "mine";
         callbacks.check_support = [](void*, munja_op_context*) {
           return MUNJA_UNSUPPORTED;
         };
         callbacks.compile = [](void*, munja_partition*, munja_operator*) {
           return MUNJA_UNSUPPORTED;
         };
         munja_delegate* mine = nullptr;
         ASSERT_EQ(munja_delegate_define(&callbacks, &mine), MUNJA_OK);
         o.delegates = &mine;
         EXPECT_EQ(Create(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
         munja_delegate_free(mine);
         o.delegates = nullptr;
         EXPECT_EQ(Create(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
       }},
      {"delegate_count", [] {}},  // With the delegates.
      {"words",
       [&] {
         const std::string file = testing::TempDir() + "/words.txt";
         o.words = file.c_str();
         EXPECT_EQ(Create(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_NOT_FOUND);
         EXPECT_THAT(std::string(munja_last_error()),
                     testing::StartsWith(file));
         ASSERT_TRUE(WriteFile(file, "one\ntw\xFFo\n").ok());
         EXPECT_EQ(Create(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_MALFORMED);
         EXPECT_THAT(std::string(munja_last_error()),
                     testing::StartsWith(file + ": line 2"));
         ASSERT_TRUE(WriteFile(file, "words of my own").ok());
         EXPECT_EQ(ConfidencesOf(Read(Create(o).get(), read).get()).size(),
                   sure.size());
         o.words = "";
         EXPECT_NE(Create(o), nullptr);
       }},
  };
  CheckAll("ocr.h", "munja_engine_options", rows, [&] { o = plain; });
  fs::remove_all(folder);
}

TEST(ReadOptions, EachField_ChangesSomething) {
  munja_engine_options engine_options = Empty<munja_engine_options>();
  engine_options.model = kDefaultBundle;
  engine_options.threads = 1;
  const EngineHandle engine = Create(engine_options);
  const auto plain = Empty<munja_read_options>();
  munja_read_options o = plain;
  munja_status status = MUNJA_OK;
  const DocumentHandle page = Read(engine.get(), plain);
  ASSERT_GT(munja_document_line_count(page.get()), 1);
  const std::string folder = testing::TempDir() + "/read_options";
  const Rows rows = {
      {"task",
       [&] {
         o.task = MUNJA_TASK_DETECT;
         const DocumentHandle boxes = Read(engine.get(), o);
         EXPECT_GE(munja_document_line_count(boxes.get()),
                   munja_document_line_count(page.get()));
         for (const munja_line& line : LinesOf(boxes.get()))
           EXPECT_STREQ(line.text, "");
         o.task = MUNJA_TASK_LINE;
         const DocumentHandle line = Read(engine.get(), o);
         EXPECT_EQ(munja_document_line_count(line.get()), 1);
         for (const int wrong : {-1, 4}) {
           std::memcpy(&o.task, &wrong, sizeof o.task);
           Read(engine.get(), o, &status);
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
           std::vector<float> all = ConfidencesOf(Read(engine.get(), o).get());
           ASSERT_FALSE(all.empty());
           const float most = *std::max_element(all.begin(), all.end());
           const float least = *std::min_element(all.begin(), all.end());
           ASSERT_LT(least, 1);
           o.has_min_confidence = 1;
           o.min_confidence = std::max(most, 0.01f);
           std::vector<float> wanted;
           for (const float c : all)
             if (c >= o.min_confidence) wanted.push_back(c);
           EXPECT_EQ(ConfidencesOf(Read(engine.get(), o).get()), wanted);
           o.min_confidence = 1;
           std::erase_if(all, [](float c) { return c < 1; });
           EXPECT_EQ(ConfidencesOf(Read(engine.get(), o).get()), all);
         }
         for (const float wrong : {-0.1f, 1.1f}) {
           o.has_min_confidence = 1;
           o.min_confidence = wrong;
           Read(engine.get(), o, &status);
           EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
         }
       }},
      {"dump_directory",
       [&] {
         o.dump_directory = folder.c_str();
         Read(engine.get(), o);
         const auto lines = munja_document_line_count(page.get());
         for (const std::string& name :
              {std::string("1-input.png"), std::string("2-text-map.png"),
               std::string("3-boxes.png"),
               "4-line-00" + std::to_string(lines) + ".png"})
           EXPECT_TRUE(fs::exists(folder + "/" + name)) << name;
         o.dump_directory = "/dev/null/folder";
         Read(engine.get(), o, &status);
         EXPECT_EQ(status, MUNJA_IO);
       }},
      {"has_min_confidence",
       [&] {
         // 0 is a threshold, too: everything is kept.
         o.has_min_confidence = 1;
         EXPECT_GE(munja_document_line_count(Read(engine.get(), o).get()),
                   munja_document_line_count(page.get()));
         o.has_min_confidence = 0;
         o.min_confidence = 1;  // Does not count.
         EXPECT_EQ(munja_document_line_count(Read(engine.get(), o).get()),
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
         const DocumentHandle read = Read(engine.get(), o);
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
         Read(engine.get(), o, &status);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
         o.box_count = 0;
         EXPECT_EQ(munja_document_line_count(Read(engine.get(), o).get()), 0);
       }},
      {"region",
       [&] {
         const int32_t width = munja_document_width(page.get()),
                       height = munja_document_height(page.get());
         const int32_t part[] = {0, 0, width, height / 2};
         std::copy(part, part + 4, o.region);
         const DocumentHandle upper = Read(engine.get(), o);
         EXPECT_EQ(munja_document_height(upper.get()), height);
         const auto count = munja_document_line_count(upper.get());
         EXPECT_GT(count, 0);
         EXPECT_LT(count, munja_document_line_count(page.get()));
         o.region[3] = height + 1;
         Read(engine.get(), o, &status);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
       }},
      {"control",
       [&] {
         const ControlHandle control = CancelledControl();
         o.control = control.get();
         EXPECT_EQ(Read(engine.get(), o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_CANCELLED);
       }},
  };
  CheckAll("ocr.h", "munja_read_options", rows, [&] { o = plain; });
  fs::remove_all(folder);
}

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
  const EngineHandle engine = Create(engine_options);
  const auto read = [&] {
    const ControlHandle control = create();
    auto options = Empty<munja_read_options>();
    options.control = control.get();
    munja_status status = MUNJA_OK;
    Read(engine.get(), options, &status);
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
