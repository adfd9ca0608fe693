#include "tensor/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace munja {
namespace {

std::vector<uint8_t> File(const std::string& header, const std::string& data,
                          char major = 1) {
  std::string text = "\x93NUMPY";
  text += major;
  text += '\0';
  text += static_cast<char>(header.size() & 0xff);
  text += static_cast<char>(header.size() >> 8);
  if (major > 1) text += std::string(2, '\0');
  text += header + data;
  return {text.begin(), text.end()};
}

// Bytes as NumPy 1.24 wrote them for np.array([[1,2,3]], np.int16).
TEST(Npy, NumPyFiles_AreRead) {
  std::string header =
      "{'descr': '<i2', 'fortran_order': False, 'shape': (1, 3), }";
  header.resize(117, ' ');
  header += '\n';
  const std::string data("\x01\x00\x02\x00\xff\xff", 6);
  for (char major : {1, 2, 3}) {
    Result<NpyArray> array = ReadNpy(File(header, data, major));
    ASSERT_TRUE(array.ok()) << array.status().message();
    EXPECT_EQ(array->type, ElementType::kInt16);
    EXPECT_EQ(array->shape, (Shape{1, 3}));
    EXPECT_EQ(array->view().as<int16_t>()[2], -1);
  }
}

// Every byte of a length counts: none of them may be passed over.
TEST(Npy, HeaderLongerThanTheFile_IsRefused) {
  std::string header =
      "{'descr': '<i2', 'fortran_order': False, 'shape': (1, 3), }";
  header.resize(117, ' ');
  header += '\n';
  for (const size_t byte : {8, 9, 10, 11}) {
    std::vector<uint8_t> file = File(header, std::string(6, 'x'), 2);
    ASSERT_TRUE(ReadNpy(file).ok());
    file[byte] = static_cast<uint8_t>(file[byte] | 0x81);
    EXPECT_FALSE(ReadNpy(file).ok()) << byte;
  }
}

TEST(Npy, Header_FollowsTheFormat) {
  float values[2] = {1.5f, -2.0f};
  const TensorView view{ElementType::kFloat32, Shape{2}, values, 8, nullptr};
  const Result<std::vector<uint8_t>> bytes = WriteNpy(view);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ((bytes->size() - 8) % 64, 0u);
  const std::string text(bytes->begin(), bytes->end());
  EXPECT_NE(
      text.find("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"),
      std::string::npos);
  EXPECT_EQ(text[text.size() - 9], '\n');
}

TEST(Npy, WrittenTensor_IsReadBack) {
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{5}, Shape{2, 0, 3},
                             Shape{2, 3, 4}, Shape{1, 1, 1, 1, 1, 1, 1, 2}}) {
    std::vector<uint8_t> data(static_cast<size_t>(shape.elements()) * 8);
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(i);
    const TensorView view{ElementType::kInt64, shape, data.data(), data.size(),
                          nullptr};
    const Result<std::vector<uint8_t>> bytes = WriteNpy(view);
    ASSERT_TRUE(bytes.ok());
    Result<NpyArray> array = ReadNpy(*bytes);
    ASSERT_TRUE(array.ok()) << array.status().message();
    EXPECT_EQ(array->shape, shape);
    ASSERT_EQ(array->bytes, data.size());
    if (!data.empty()) {
      EXPECT_EQ(std::memcmp(array->data.data(), data.data(), data.size()), 0);
    }
  }
}

TEST(Npy, OtherFiles_AreRefused) {
  const std::string good =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  const std::string data(8, '\0');
  ASSERT_TRUE(ReadNpy(File(good, data)).ok());
  const struct {
    std::string header, data;
    Code code;
  } cases[] = {
      {good, data + "x", Code::kMalformed},
      {good, "", Code::kMalformed},
      {"", data, Code::kMalformed},
      {"{'descr': '<f4', 'fortran_order': False}", data, Code::kMalformed},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", data,
       Code::kMalformed},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999,)}",
       data, Code::kMalformed},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': "
       "(2000000000, 2000000000, 2000000000)}",
       data, Code::kMalformed},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': "
       "(1, 1, 1, 1, 1, 1, 1, 1, 2)}",
       data, Code::kMalformed},
      {"{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}", data,
       Code::kUnsupported},
      {"{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2)}", data,
       Code::kUnsupported},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (2,)}", data,
       Code::kUnsupported},
  };
  for (const auto& c : cases) {
    const Result<NpyArray> array = ReadNpy(File(c.header, c.data));
    ASSERT_FALSE(array.ok()) << c.header;
    EXPECT_EQ(array.status().code(), c.code) << c.header;
    EXPECT_FALSE(array.status().message().empty());
  }
  EXPECT_FALSE(ReadNpy({}).ok());
  const std::vector<uint8_t> whole = File(good, data);
  for (size_t n = 0; n < whole.size(); ++n)
    EXPECT_FALSE(ReadNpy(std::span(whole).first(n)).ok()) << n;
}

TEST(Npy, TypesWithoutANumPyName_AreRefused) {
  const TensorView view{ElementType::kInt4, Shape{2}, nullptr, 0, nullptr};
  const Result<std::vector<uint8_t>> bytes = WriteNpy(view);
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.status().code(), Code::kUnsupported);
}

}  // namespace
}  // namespace munja
