#include "document/pdf/srgb_profile.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace munja::document::pdf {
namespace {

// Tags lie within the profile, at multiples of four bytes, one behind the other
// unless they are the same, and begin with the name of their type
// (ICC.1:2004-10, 7.3).
TEST(SrgbProfile, Tags_LieInTheProfile) {
  const std::string profile = SrgbProfile();
  const auto number = [&](size_t at) {
    uint32_t value = 0;
    for (size_t i = at; i < at + 4; ++i)
      value = value << 8 | static_cast<uint8_t>(profile.at(i));
    return size_t{value};
  };
  EXPECT_EQ(number(0), profile.size());
  EXPECT_EQ(profile.substr(36, 4), "acsp");
  const size_t count = number(128);
  ASSERT_GE(count, 9u);
  std::set<std::string> names;
  std::map<size_t, size_t> ends;  // By where tags begin.
  for (size_t i = 0; i < count; ++i) {
    const size_t at = 132 + 12 * i;
    const std::string name = profile.substr(at, 4);
    EXPECT_TRUE(names.insert(name).second) << name;
    const size_t begin = number(at + 4), size = number(at + 8);
    EXPECT_EQ(begin % 4, 0u) << name;
    EXPECT_GE(begin, 132 + 12 * count) << name;
    ASSERT_LE(begin + size, profile.size()) << name;
    ends[begin] = begin + size;
    const std::string type = profile.substr(begin, 4);
    EXPECT_TRUE(type == "XYZ " || type == "para" || type == "curv" ||
                type == "mluc" || type == "sf32" || type == "text")
        << name << ": " << type;
  }
  size_t last = 0;
  for (const auto& [begin, end] : ends) {
    EXPECT_GE(begin, last);
    last = end;
  }
  for (const char* name :
       {"rXYZ", "gXYZ", "bXYZ", "wtpt", "rTRC", "gTRC", "bTRC", "desc", "cprt"})
    EXPECT_TRUE(names.contains(name)) << name;
}

}  // namespace
}  // namespace munja::document::pdf
