// Each field of the options of engines changes something that a caller sees.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "capi/tools/reading_testing.h"
#include "kernels/gemm/half_gemm.h"
#include "munja/delegates.h"
#include "munja/log.h"

namespace munja::capi {
namespace {

namespace fs = std::filesystem;

ptrdiff_t Threads() {
  return std::distance(fs::directory_iterator("/proc/self/task"), {});
}

TEST(EngineOptions, EachField_ChangesSomething) {
  munja_engine_options plain = Empty<munja_engine_options>();
  plain.model = kDefaultBundle;
  plain.threads = 1;
  plain.precision = MUNJA_PRECISION_FLOAT32;
  const EngineHandle usual = CreateEngine(plain);
  const auto read = Empty<munja_read_options>();
  const std::vector<float> sure =
      ConfidencesOf(ReadPage(usual.get(), read).get());
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
         EXPECT_STREQ(munja_engine_name(CreateEngine(o).get()), "mine");
         o.model = "/absent";
         EXPECT_EQ(CreateEngine(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_NOT_FOUND);
       }},
      {"threads",
       [&] {
         const EngineHandle one = CreateEngine(o);
         const ptrdiff_t before = Threads();
         o.threads = 3;
         const EngineHandle three = CreateEngine(o);
         EXPECT_EQ(ConfidencesOf(ReadPage(three.get(), read).get()), sure);
         EXPECT_EQ(Threads(), before + 2);
         for (const int32_t wrong : {-1, 1025}) {
           o.threads = wrong;
           EXPECT_EQ(CreateEngine(o, &status), nullptr);
           EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
         }
       }},
      {"overrides",
       [&] {
         o.overrides = R"({"min_confidence": 1})";
         const EngineHandle engine = CreateEngine(o);
         EXPECT_EQ(
             munja_document_line_count(ReadPage(engine.get(), read).get()), 0);
         char* json = nullptr;
         ASSERT_EQ(munja_engine_settings(engine.get(), &json), MUNJA_OK);
         const auto settings = nlohmann::json::parse(TakeText(json));
         EXPECT_EQ(settings["min_confidence"], 1.0);
         o.overrides = R"({"detector": {"limit_sid": 1}})";
         EXPECT_EQ(CreateEngine(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
       }},
      {"precision",
       [&] {
         o.precision = MUNJA_PRECISION_FLOAT16;
         const bool has_halves =
             kernels::HalfTypeInUse() != ElementType::kFloat32;
         const EngineHandle engine = CreateEngine(o);
         EXPECT_EQ(ConfidencesOf(ReadPage(engine.get(), read).get()) != sure,
                   has_halves);
         o.precision = static_cast<munja_precision>(7);
         EXPECT_EQ(CreateEngine(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
         o.precision = MUNJA_PRECISION_MIXED;
         const auto fast =
             ConfidencesOf(ReadPage(CreateEngine(o).get(), read).get());
         EXPECT_NE(fast, sure);
         o.precision = MUNJA_PRECISION_DEFAULT;
         EXPECT_EQ(ConfidencesOf(ReadPage(CreateEngine(o).get(), read).get()),
                   fast);
         // A bundle of one precision.
         const std::string single = folder + "_single";
         fs::copy(kDefaultBundle, single);
         std::ifstream file(single + "/bundle.json");
         auto manifest = nlohmann::json::parse(file);
         ASSERT_EQ(manifest.erase("integer"), 1u);
         ASSERT_TRUE(WriteFile(single + "/bundle.json", manifest.dump()).ok());
         o.model = single.c_str();
         EXPECT_EQ(ConfidencesOf(ReadPage(CreateEngine(o).get(), read).get()),
                   sure);
         o.precision = MUNJA_PRECISION_MIXED;
         EXPECT_EQ(CreateEngine(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_NOT_FOUND);
       }},
      {"no_winograd",
       [&] {
         o.no_winograd = 1;
         const auto direct =
             ConfidencesOf(ReadPage(CreateEngine(o).get(), read).get());
         EXPECT_NE(direct, sure);
         ASSERT_EQ(direct.size(), sure.size());
         // Winograd's sums differ by some millionths of the largest.
         for (size_t i = 0; i < sure.size(); ++i)
           EXPECT_NEAR(direct[i], sure[i], 1e-3);
         o.precision = MUNJA_PRECISION_FLOAT16;
         EXPECT_EQ(CreateEngine(o, &status), nullptr);
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
         EXPECT_EQ(ConfidencesOf(ReadPage(CreateEngine(o).get(), read).get()),
                   sure);
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
         EXPECT_EQ(ConfidencesOf(ReadPage(CreateEngine(o).get(), read).get()),
                   sure);
         close(fd);
         EXPECT_EQ(CreateEngine(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_IO);
         o.model = kDefaultBundle;
         EXPECT_EQ(CreateEngine(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
       }},
      {"file_count",
       [&] {
         o.model = nullptr;
         o.file_count = 1;  // Without files.
         EXPECT_EQ(CreateEngine(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
       }},
      {"pool",
       [&] {
         munja_thread_pool* pool = nullptr;
         ASSERT_EQ(munja_thread_pool_create(3, &pool), MUNJA_OK);
         const ptrdiff_t before = Threads();
         o.pool = pool;
         o.threads = 5;
         const EngineHandle first = CreateEngine(o), second = CreateEngine(o);
         EXPECT_EQ(Threads(), before);
         munja_thread_pool_free(pool);
         EXPECT_EQ(ConfidencesOf(ReadPage(first.get(), read).get()), sure);
         EXPECT_EQ(ConfidencesOf(ReadPage(second.get(), read).get()), sure);
         EXPECT_EQ(munja_thread_pool_create(-1, &pool), MUNJA_INVALID_ARGUMENT);
       }},
      {"allowed_characters",
       [&] {
         o.allowed_characters = "0123456789.";
         const EngineHandle digits = CreateEngine(o);
         munja_read_options line = read;
         line.task = MUNJA_TASK_LINE;
         const DocumentHandle document = ReadPage(digits.get(), line);
         for (const munja_line& l : LinesOf(document.get()))
           EXPECT_EQ(std::string(l.text).find_first_not_of("0123456789."),
                     std::string::npos)
               << l.text;
         o.allowed_characters = "\xF0\x9F\x98\x80";  // An emoji.
         EXPECT_EQ(CreateEngine(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
       }},
      {"denied_characters",
       [&] {
         o.denied_characters = "0123456789";
         const DocumentHandle document = ReadPage(CreateEngine(o).get(), read);
         EXPECT_FALSE(LinesOf(document.get()).empty());
         for (const munja_line& l : LinesOf(document.get()))
           EXPECT_EQ(std::string(l.text).find_first_of("0123456789"),
                     std::string::npos);
         o.denied_characters = "\xFF";
         EXPECT_EQ(CreateEngine(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
       }},
      {"control",
       [&] {
         const ControlHandle control = CancelledControl();
         o.control = control.get();
         EXPECT_EQ(CreateEngine(o, &status), nullptr);
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
           const EngineHandle engine = CreateEngine(o);
           const auto got = ConfidencesOf(ReadPage(engine.get(), read).get());
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
         EXPECT_EQ(CreateEngine(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
         munja_delegate_free(mine);
         o.delegates = nullptr;
         EXPECT_EQ(CreateEngine(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
       }},
      {"delegate_count", [] {}},  // With the delegates.
      {"words",
       [&] {
         const std::string file = testing::TempDir() + "/words.txt";
         o.words = file.c_str();
         EXPECT_EQ(CreateEngine(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_NOT_FOUND);
         EXPECT_THAT(std::string(munja_last_error()),
                     testing::StartsWith(file));
         ASSERT_TRUE(WriteFile(file, "one\ntw\xFFo\n").ok());
         EXPECT_EQ(CreateEngine(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_MALFORMED);
         EXPECT_THAT(std::string(munja_last_error()),
                     testing::StartsWith(file + ": line 2"));
         ASSERT_TRUE(WriteFile(file, "words of my own").ok());
         EXPECT_EQ(
             ConfidencesOf(ReadPage(CreateEngine(o).get(), read).get()).size(),
             sure.size());
         o.words = "";
         EXPECT_NE(CreateEngine(o), nullptr);
       }},
      {"languages",
       [&] {
         const auto with = [&](const char* languages) {
           o.languages = languages;
           return ConfidencesOf(ReadPage(CreateEngine(o).get(), read).get());
         };
         // Which of them are used: bundle_test.cc, tests/cli/read_test.cc.
         EXPECT_EQ(with("ko,en").size(), sure.size());
         o.languages = "en,xx";
         EXPECT_EQ(CreateEngine(o, &status), nullptr);
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
         EXPECT_THAT(std::string(munja_last_error()),
                     testing::AllOf(testing::HasSubstr("'xx'"),
                                    testing::HasSubstr("en, "),
                                    testing::HasSubstr(", ko")));
       }},
  };
  CheckAll("ocr.h", "munja_engine_options", rows, [&] { o = plain; });
  fs::remove_all(folder);
}

}  // namespace
}  // namespace munja::capi
