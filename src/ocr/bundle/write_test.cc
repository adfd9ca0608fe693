#include "bundle/write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "bundle/bundle.h"
#include "bundle/files.h"
#include "bundle/testing.h"

namespace munja::bundle {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::vector<uint8_t> Bytes(const std::string& text) {
  return std::vector<uint8_t>(text.begin(), text.end());
}

BundleParts Parts() {
  TinyBundle tiny;
  BundleParts parts;
  // The contract of the tiny bundle.
  parts.config = LoadBundle(tiny.InMemory())->manifest.config;
  parts.description = "made by a test";
  parts.detector = Bytes(tiny.files["det.tflite"]);
  parts.recognizer = Bytes(tiny.files["rec.tflite"]);
  parts.dictionary = Bytes(tiny.files["keys.txt"]);
  return parts;
}

TEST(WriteBundle, WrittenBundle_Loads) {
  const std::string folder = TestFolder() + "/deeper/name-1";
  const Status status = WriteBundle(folder, Parts());
  ASSERT_TRUE(status.ok()) << status.message();
  const Result<Bundle> bundle = LoadBundle(FolderFiles(folder));
  ASSERT_TRUE(bundle.ok()) << bundle.status().message();
  EXPECT_EQ(bundle->manifest.name, "name-1");
  EXPECT_EQ(bundle->manifest.description, "made by a test");
  EXPECT_EQ(bundle->manifest.config.recognizer.height,
            Parts().config.recognizer.height);
  EXPECT_EQ(bundle->dictionary, "x\n");
}

TEST(WriteBundle, MismatchedParts_LeaveNoBundle) {
  BundleParts parts = Parts();
  parts.dictionary = Bytes("x\ny\n");
  const std::string folder = TestFolder();
  const Status status = WriteBundle(folder, parts);
  EXPECT_EQ(status.code(), Code::kMalformed) << status.message();
  EXPECT_FALSE(fs::exists(folder));
  // Existing files stay.
  ASSERT_TRUE(WriteBundle(folder, Parts()).ok());
  EXPECT_EQ(WriteBundle(folder, parts).code(), Code::kMalformed);
  EXPECT_TRUE(LoadBundle(FolderFiles(folder)).ok());
}

TEST(WriteBundle, NameWithAPath_IsRefused) {
  BundleParts parts = Parts();
  parts.name = "../up";
  const std::string folder = TestFolder();
  const Status status = WriteBundle(folder, parts);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("../up"));
  EXPECT_FALSE(fs::exists(folder));
}

}  // namespace
}  // namespace munja::bundle
