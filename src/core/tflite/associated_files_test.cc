#include "tflite/associated_files.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tflite/read.h"
#include "tflite/testing.h"
#include "tflite/write.h"
#include "tflite/zip_directory.h"

namespace munja::tflite {
namespace {

using ::testing::HasSubstr;

const AssociatedFiles kFiles = {{"keys.txt", {'a', '\n', 'b', '\n'}},
                                {"labels/en.txt", {}},
                                {"무나.bin", std::vector<uint8_t>(5000, 7)}};

graph::Graph Identity() {
  graph::Graph graph;
  graph::Subgraph& main = graph.subgraphs.emplace_back();
  graph::Value value;
  value.name = "x";
  value.shape = Shape{1};
  main.inputs = main.outputs = {main.AddValue(value)};
  return graph;
}

TEST(AssociatedFilesTest, Files_TravelWithTheModel) {
  if (!CanPack()) GTEST_SKIP() << "built without libzip";
  graph::Graph graph = Identity();
  graph.associated_files = kFiles;
  auto bytes = Write(graph);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  auto back = Read(*bytes, nullptr);
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ((*back)->associated_files, kFiles);
  // Offsets count from the start of the file.
  const auto directory = FindZipDirectory(*bytes);
  ASSERT_TRUE(directory.has_value());
  EXPECT_EQ(directory->base, 0u);
  EXPECT_EQ(directory->entries, kFiles.size());
  auto again = Write(**back);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, *bytes);
}

TEST(AssociatedFilesTest, Folders_AreNoFiles) {
  if (!CanPack()) GTEST_SKIP() << "built without libzip";
  AssociatedFiles files = kFiles;
  files["folder-"] = {};
  std::vector<uint8_t> archive;
  ASSERT_TRUE(AppendAssociatedFiles(files, archive).ok());
  // No file has such a name, so that it is written afterwards.
  const std::string_view name = "folder-";
  for (auto at = archive.begin();;) {
    at = std::search(at, archive.end(), name.begin(), name.end());
    if (at == archive.end()) break;
    at += 6;
    *at = '/';
  }
  const auto read = ReadAssociatedFiles(archive);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(*read, kFiles);
}

TEST(AssociatedFilesTest, Offsets_MayCountFromTheArchive) {
  if (!CanPack()) GTEST_SKIP() << "built without libzip";
  std::vector<uint8_t> archive;
  ASSERT_TRUE(AppendAssociatedFiles(kFiles, archive).ok());
  std::vector<uint8_t> bytes(1001 + archive.size(), 0xab);
  std::copy(archive.begin(), archive.end(), bytes.begin() + 1001);
  auto files = ReadAssociatedFiles(bytes);
  ASSERT_TRUE(files.ok()) << files.status().message();
  EXPECT_EQ(*files, kFiles);
}

TEST(AssociatedFilesTest, Unzip_ReadsTheWrittenArchive) {
  if (!CanPack()) GTEST_SKIP() << "built without libzip";
  if (std::system("python3 -c 'import zipfile' 2>/dev/null") != 0)
    GTEST_SKIP() << "no Python to unpack with";
  graph::Graph graph = Identity();
  graph.associated_files = {{"keys.txt", {'a', 'b', 'c'}}};
  auto bytes = Write(graph);
  ASSERT_TRUE(bytes.ok());
  const std::string path = ::testing::TempDir() + "/packed.tflite";
  ASSERT_TRUE(WriteFile(path, *bytes).ok());
  const std::string command =
      "python3 -c \"import zipfile; z = zipfile.ZipFile('" + path +
      "'); i = z.infolist()[0]; assert z.testzip() is None and "
      "i.filename == 'keys.txt' and i.compress_type == 0 and "
      "z.read('keys.txt') == b'abc'\"";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(AssociatedFilesTest, DamagedArchives_AreRefused) {
  if (!CanPack()) GTEST_SKIP() << "built without libzip";
  std::vector<uint8_t> bytes(64, 0);
  ASSERT_TRUE(
      AppendAssociatedFiles({{"keys.txt", {'a', 'b', 'c'}}}, bytes).ok());
  // The content follows the local header and the name; the sum no longer fits.
  bytes[64 + 30 + 8] ^= 1;
  auto files = ReadAssociatedFiles(bytes);
  ASSERT_FALSE(files.ok());
  EXPECT_EQ(files.status().code(), Code::kMalformed);
  EXPECT_THAT(std::string(files.status().message()), HasSubstr("keys.txt"));
}

TEST(AssociatedFilesTest, BytesWithoutAnArchive_HaveNoFiles) {
  auto files = ReadAssociatedFiles(std::vector<uint8_t>(100, 0));
  ASSERT_TRUE(files.ok());
  EXPECT_TRUE(files->empty());
}

TEST(AssociatedFilesTest, NamesThatLeadElsewhere_AreRefused) {
  for (const char* name : {"", "/etc/passwd", "../x", "a/../../x", "a//b", ".",
                           "a/", "C:x", "a\\b", "a\nb"}) {
    EXPECT_FALSE(CheckEntryName(name).ok()) << name;
    std::vector<uint8_t> model;
    EXPECT_FALSE(AppendAssociatedFiles({{name, {1}}}, model).ok()) << name;
  }
  for (const char* name : {"keys.txt", "a/b.c", "..x", "무나"})
    EXPECT_TRUE(CheckEntryName(name).ok()) << name;
}

TEST(AssociatedFilesTest, TooManyOrTooLongFiles_AreRefused) {
  if (!CanPack()) GTEST_SKIP() << "built without libzip";
  AssociatedFiles many;
  for (int i = 0; i < 100; ++i) many["file" + std::to_string(i)] = {1};
  std::vector<uint8_t> model;
  EXPECT_EQ(AppendAssociatedFiles(many, model).code(), Code::kOutOfMemory);
}

}  // namespace
}  // namespace munja::tflite
