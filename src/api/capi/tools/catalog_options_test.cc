// Each field of the options of munja_model_get() changes something that a
// caller sees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "capi/tools/testing.h"
#include "munja/tools/convert.h"

namespace munja::capi {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(CatalogOptions, EachField_ChangesSomething) {
  const std::string there = testing::TempDir() + "/catalog_there",
                    empty = testing::TempDir() + "/catalog_empty";
  fs::remove_all(there);
  fs::copy(kDefaultBundle, there);
  fs::create_directories(empty);
  munja_model_get_options plain = {};
  plain.struct_size = sizeof plain;
  plain.directory = there.c_str();
  plain.from = empty.c_str();
  munja_model_get_options o = plain;
  munja_status status = MUNJA_OK;
  std::string report;
  const auto get = [&](const char* name = "ppocrv6-tiny") {
    char *path = nullptr, *text = nullptr;
    status = munja_model_get(name, &o, &path, &text);
    report = status == MUNJA_OK ? TakeText(text) : "";
    return status == MUNJA_OK ? TakeText(path) : std::string();
  };
  const auto error = [] { return std::string(munja_last_error()); };
  // A model that is there needs no files.
  EXPECT_EQ(get(), there);
  EXPECT_EQ(report, "{}");
  EXPECT_EQ(get("absent"), "");
  EXPECT_EQ(status, MUNJA_NOT_FOUND);
  const std::string elsewhere = testing::TempDir() + "/catalog_elsewhere";
  const std::map<std::string, std::function<void()>> rows = {
      {"from",
       [&] {
         o.directory = elsewhere.c_str();
         get();
         EXPECT_EQ(status, MUNJA_NOT_FOUND);
         EXPECT_THAT(error(), HasSubstr(empty));
         o.from = "ftp://example.com";
         get();
         EXPECT_NE(status, MUNJA_OK);
       }},
      {"directory",
       [&] {
         o.directory = elsewhere.c_str();
         get();
         EXPECT_EQ(status, MUNJA_NOT_FOUND);
         EXPECT_FALSE(fs::exists(elsewhere));
       }},
      // Their effect on networks: src/tools/get/get_model_test.cc.
      {"fp16", [] {}},
      {"skip_comparison", [] {}},
      {"classifier",
       [&] {
         o.classifier = 1;
         get();
         EXPECT_EQ(status, MUNJA_NOT_FOUND);
       }},
      {"quantize",
       [&] {
         o.directory = elsewhere.c_str();
         munja_quantize_options quantize = {};
         quantize.struct_size = sizeof quantize;
         o.quantize = &quantize;
         get();
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
         EXPECT_THAT(error(), HasSubstr("calibration"));
         quantize.mode = MUNJA_QUANTIZE_DYNAMIC;
         get();
         EXPECT_EQ(status, MUNJA_NOT_FOUND);
         quantize.integer_io = 1;
         get();
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
       }},
      {"calibration",
       [&] {
         o.directory = elsewhere.c_str();
         munja_calibration calibration = {};
         calibration.struct_size = sizeof calibration;
         o.calibration = &calibration;
         get();
         EXPECT_EQ(status, MUNJA_INVALID_ARGUMENT);
         munja_quantize_options quantize = {};
         quantize.struct_size = sizeof quantize;
         o.quantize = &quantize;
         get();
         EXPECT_EQ(status, MUNJA_NOT_FOUND);
       }},
      {"control",
       [&] {
         const ControlHandle cancelled = CancelledControl();
         o.control = cancelled.get();
         o.directory = elsewhere.c_str();
         get();
         EXPECT_EQ(status, MUNJA_CANCELLED);
       }},
  };
  CheckAll("tools/convert.h", "munja_model_get_options", rows,
           [&] { o = plain; });
}

}  // namespace
}  // namespace munja::capi
