// Samples of any model from files.
#include "samples/sample_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "tensor/npy.h"

namespace munja::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A model that is only asked for its inputs.
graph::Graph ModelWith(const std::vector<std::pair<std::string, Shape>>& of) {
  graph::Graph model;
  graph::Subgraph& main = model.subgraphs.emplace_back();
  for (const auto& [name, shape] : of) {
    graph::Value value;
    value.name = name;
    value.shape = shape;
    value.has_shape = true;
    main.inputs.push_back(main.AddValue(std::move(value)));
  }
  return model;
}

std::string Place(const std::string& name) {
  return testing::TempDir() + "/samples_" + std::to_string(getpid()) + "_" +
         name;
}

std::string Write(const std::string& name, const std::string& text) {
  const std::string path = Place(name);
  EXPECT_TRUE(WriteFile(path, text).ok());
  return path;
}

template <class T>
std::string WriteArray(const std::string& name, ElementType type, Shape shape,
                       std::vector<T> values) {
  TensorView view;
  view.type = type;
  view.shape = shape;
  view.data = values.data();
  view.bytes = values.size() * sizeof(T);
  auto bytes = WriteNpy(view);
  EXPECT_TRUE(bytes.ok());
  return Write(name, std::string(bytes->begin(), bytes->end()));
}

Result<std::vector<compress::Sample>> Read(const graph::Graph& model,
                                           std::vector<std::string> files) {
  return ReadSamples(model, files);
}

TEST(SampleFilesTest, AnArray_IsOneSampleOrSeveral) {
  const graph::Graph model = ModelWith({{"x", Shape{1, 2}}});
  const auto one =
      WriteArray<float>("one.npy", ElementType::kFloat32, Shape{1, 2}, {1, 2});
  const auto rows = WriteArray<int32_t>("rows.npy", ElementType::kInt32,
                                        Shape{2, 2}, {3, 4, 5, 6});
  const auto stacked = WriteArray<float>("stacked.npy", ElementType::kFloat32,
                                         Shape{1, 1, 2}, {7, 8});
  const auto samples = Read(model, {one, rows, stacked});
  ASSERT_TRUE(samples.ok()) << samples.status().message();
  ASSERT_EQ(samples->size(), 4u);
  EXPECT_THAT((*samples)[0][0].values, ElementsAre(1, 2));
  EXPECT_THAT((*samples)[2][0].values, ElementsAre(5, 6));
  EXPECT_THAT((*samples)[3][0].values, ElementsAre(7, 8));
  for (const compress::Sample& sample : *samples)
    EXPECT_EQ(sample[0].shape, (Shape{1, 2}));
}

TEST(SampleFilesTest, Inputs_AreFoundByTheirNames) {
  const graph::Graph model =
      ModelWith({{"ids", Shape{1, 2}}, {"mask", Shape{1}}});
  const auto ids = WriteArray<float>("ids.npy", ElementType::kFloat32,
                                     Shape{2, 2}, {1, 2, 3, 4});
  const std::string mask = Write("mask.txt", "1\n0\n");
  const auto samples = Read(model, {"mask=" + mask, "ids=" + ids});
  ASSERT_TRUE(samples.ok()) << samples.status().message();
  ASSERT_EQ(samples->size(), 2u);
  EXPECT_THAT((*samples)[1][0].values, ElementsAre(3, 4));
  EXPECT_THAT((*samples)[1][1].values, ElementsAre(0));
}

TEST(SampleFilesTest, Values_FillTheDynamicDimension) {
  const graph::Graph model = ModelWith({{"x", Shape{kDynamic, 2}}});
  const auto samples =
      Read(model, {Write("numbers.csv", "1, 2,3,4\n\n-5e-1\t6\n")});
  ASSERT_TRUE(samples.ok()) << samples.status().message();
  ASSERT_EQ(samples->size(), 2u);
  EXPECT_EQ((*samples)[0][0].shape, (Shape{2, 2}));
  EXPECT_EQ((*samples)[1][0].shape, (Shape{1, 2}));
  EXPECT_THAT((*samples)[1][0].values, ElementsAre(-0.5f, 6));
}

TEST(SampleFilesTest, ArrayThatDoesNotFit_IsRefusedWithItsFile) {
  const graph::Graph one = ModelWith({{"x", Shape{1, 2}}});
  const graph::Graph two = ModelWith({{"a", Shape{1}}, {"b", Shape{1}}});
  const std::string wide = WriteArray<float>("wide.npy", ElementType::kFloat32,
                                             Shape{1, 3}, {1, 2, 3});
  const std::string word = Write("word.txt", "1 two\n");
  const std::string few = Write("few.txt", "1\n");
  const std::string picture = Write("picture.png", "no picture");
  const struct {
    const graph::Graph& model;
    std::vector<std::string> files;
    std::string message;
  } cases[] = {
      {one, {wide}, "is none of"},
      {one, {word}, "line 1 holds a value that is not a number"},
      {one, {few}, "line 1 has 1 numbers"},
      {one, {picture}, "give it .npy arrays"},
      {one, {Place("missing.npy")}, "missing.npy"},
      {one, {"y=" + few}, "no input 'y'"},
      {two, {few}, "has 2 inputs: say NAME="},
      {two, {"a=" + few}, "input 'b' has 0 samples"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.message);
    const auto samples = Read(c.model, c.files);
    ASSERT_FALSE(samples.ok());
    EXPECT_THAT(std::string(samples.status().message()), HasSubstr(c.message));
  }
}

}  // namespace
}  // namespace munja::tools
