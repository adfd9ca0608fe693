#include "bundle/catalog.h"

#include <gtest/gtest.h>

#include <string>

namespace munja::bundle {
namespace {

TEST(Catalog, Addresses_AreBelowTheMirror) {
  for (const CatalogModel& model : Catalog()) {
    for (const CatalogNetwork* network : {model.detector, model.recognizer}) {
      for (const CatalogFile& file : {network->network, network->settings}) {
        SCOPED_TRACE(std::string(network->repository) + " " + file.file);
        const std::string address = network->Address(file, "http://m/x");
        const std::string end = std::string(network->repository) + "/resolve/" +
                                network->revision + "/" + file.file;
        ASSERT_TRUE(address.ends_with("/" + end)) << address;
        EXPECT_TRUE(address.starts_with("http://m/x/")) << address;
        EXPECT_EQ(address.find("//", 7), std::string::npos) << address;
        // However many slashes end the mirror's own address.
        EXPECT_EQ(network->Address(file, "http://m/x/"), address);
        EXPECT_EQ(network->Address(file, "http://m/x//"), address);
        const std::string official = network->Address(file);
        EXPECT_TRUE(official.starts_with("https://")) << official;
        EXPECT_TRUE(official.ends_with("/" + end)) << official;
        EXPECT_EQ(network->Path(file),
                  std::string(network->repository) + "/" + file.file);
      }
    }
  }
}

TEST(Catalog, Models_AreFoundByTheirNames) {
  for (const CatalogModel& model : Catalog())
    EXPECT_EQ(FindInCatalog(model.name), &model);
  EXPECT_EQ(FindInCatalog(""), nullptr);
  EXPECT_EQ(FindInCatalog("no such model"), nullptr);
}

TEST(Catalog, Bytes_AreThoseOfTheFilesToDownload) {
  CatalogNetwork detector, recognizer;
  detector.network.bytes = 1;
  detector.settings.bytes = 20;  // Its settings are not needed.
  recognizer.network.bytes = 300;
  recognizer.settings.bytes = 4000;
  CatalogModel model{};
  model.detector = &detector;
  model.recognizer = &recognizer;
  EXPECT_EQ(model.bytes(), 4301u);
}

}  // namespace
}  // namespace munja::bundle
