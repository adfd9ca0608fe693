#include "bundle/search.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "bundle/manifest.h"
#include "bundle/testing.h"

namespace munja::bundle {
namespace {

namespace fs = std::filesystem;

class Search : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "/munja_search_" +
            testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(root_);
    ::setenv("XDG_DATA_HOME", (root_ + "/data").c_str(), 1);
    ::setenv("MUNJA_MODELS", (root_ + "/a:" + root_ + "/b").c_str(), 1);
  }
  void TearDown() override { fs::remove_all(root_); }
  void MakeBundle(const std::string& path) {
    fs::create_directories(root_ + "/" + path);
    ASSERT_TRUE(WriteFile(root_ + "/" + path + "/bundle.json", "{}").ok());
  }
  // The place of what is found for `name` in a build without a default model.
  std::string Found(const std::string& name,
                    std::shared_ptr<const Files> embedded = nullptr) {
    const auto files = FindBundle(name, std::move(embedded));
    return files.ok() ? (*files)->place()
                      : std::string(files.status().message());
  }
  static std::string Names(std::shared_ptr<const Files> embedded) {
    std::string names;
    for (const FoundBundle& bundle : ListBundles(std::move(embedded)))
      names += bundle.name + " ";
    return names;
  }
  std::string root_;
};

TEST_F(Search, EarlierFolders_HideLaterOnes) {
  MakeBundle("b/two");
  MakeBundle("a/one");
  MakeBundle("a/two");
  MakeBundle("data/munja/models/three");
  MakeBundle("data/munja/models/four.part");  // An unfinished download.
  EXPECT_EQ(Names(nullptr), "one two three ");
  EXPECT_EQ(Found("two"), root_ + "/a/two");
  EXPECT_EQ(Found("three"), root_ + "/data/munja/models/three");
  EXPECT_EQ(Found(""), root_ + "/a/one");
}

TEST_F(Search, Folder_IsTakenAsItIs) {
  MakeBundle("elsewhere/mine");
  EXPECT_EQ(Found(root_ + "/elsewhere/mine"), root_ + "/elsewhere/mine");
  ::setenv("MUNJA_MODELS", (root_ + "/elsewhere/mine").c_str(), 1);
  EXPECT_EQ(Found("mine"), root_ + "/elsewhere/mine");
}

TEST_F(Search, EmptyName_PrefersTheDefaultToInstalledBundles) {
  const auto embedded = MemoryFiles(kEmbeddedPlace, {});
  // Nothing but the embedded one.
  EXPECT_EQ(Found("", embedded), kEmbeddedPlace);
  EXPECT_EQ(Found("default", embedded), kEmbeddedPlace);
  EXPECT_EQ(Names(embedded), "default ");
  // An installed one does not take its place ...
  MakeBundle("data/munja/models/another");
  EXPECT_EQ(Found("", embedded), kEmbeddedPlace);
  EXPECT_EQ(Found(""), root_ + "/data/munja/models/another");
  EXPECT_EQ(Names(embedded), "another default ");
  // ... unless it has its name ...
  MakeBundle("data/munja/models/default");
  EXPECT_EQ(Found("", embedded), root_ + "/data/munja/models/default");
  EXPECT_EQ(Found("default", embedded), root_ + "/data/munja/models/default");
  EXPECT_EQ(Found(kEmbeddedPlace, embedded), kEmbeddedPlace);
  EXPECT_EQ(Names(embedded), "another default ");
  // ... or $MUNJA_MODELS says so.
  MakeBundle("b/chosen");
  EXPECT_EQ(Found("", embedded), root_ + "/b/chosen");
  EXPECT_EQ(Found("default", embedded), root_ + "/data/munja/models/default");
}

TEST_F(Search, Languages_ChooseTheFirstModelThatHasThem) {
  const auto make = [&](const std::string& name,
                        std::vector<std::string> codes) {
    TinyBundle tiny;
    Result<Manifest> manifest = ParseManifest(tiny.files["bundle.json"]);
    ASSERT_TRUE(manifest.ok());
    manifest->languages = {{{"x.lm", 1, std::string(64, '0')}, codes}};
    tiny.files["bundle.json"] = ToJson(*manifest);
    tiny.WriteTo(root_ + "/data/munja/models/" + name);
  };
  ::setenv("MUNJA_MODELS", "", 1);
  make("default", {"en", "de"});
  make("a", {"el"});
  make("b", {"en", "ru", "el"});
  const auto found = [](std::string_view languages) {
    return fs::path((*FindBundleFor(languages, nullptr))->place()).filename();
  };
  EXPECT_EQ(found("de"), "default");
  EXPECT_EQ(found("DE,en-GB"), "default");
  EXPECT_EQ(found("el"), "a");
  EXPECT_EQ(found("ru"), "b");
  EXPECT_EQ(found("en,ru"), "b");
  EXPECT_EQ(found("de,ru"), "default");  // No model has both.
  EXPECT_EQ(found("xx"), "default");
}

TEST_F(Search, OtherNames_NeverMeanTheEmbeddedBundle) {
  const auto embedded = MemoryFiles(kEmbeddedPlace, {});
  EXPECT_FALSE(FindBundle("absent", embedded).ok());
  EXPECT_FALSE(FindBundle("default", nullptr).ok());
  const auto none = FindBundle(kEmbeddedPlace, nullptr);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), Code::kNotFound);
  EXPECT_NE(none.status().message().find("without a default model"),
            std::string::npos);
}

TEST_F(Search, MissingBundle_ListsSearchedPlaces) {
  const auto none = FindBundle("absent");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), Code::kNotFound);
  EXPECT_NE(none.status().message().find(root_ + "/a"), std::string::npos);
  EXPECT_NE(none.status().message().find("absent"), std::string::npos);
  fs::create_directories(root_ + "/plain");
  const auto empty = FindBundle("", nullptr);
  ASSERT_FALSE(empty.ok());
  EXPECT_NE(empty.status().message().find("no model is installed"),
            std::string::npos);
  const auto folder = FindBundle(root_ + "/plain");
  ASSERT_FALSE(folder.ok());
  EXPECT_NE(folder.status().message().find("bundle.json"), std::string::npos);
}

}  // namespace
}  // namespace munja::bundle
