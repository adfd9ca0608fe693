#include "base/str_cat.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/status.h"

namespace munja {

namespace str_cat_testing {

struct Described {
  int number = 0;
};
std::string Describe(const Described& d) {
  return "node " + std::to_string(d.number);
}
struct Printed {
  std::string ToString() const { return "[1, 2]"; }
};

}  // namespace str_cat_testing

namespace {

using str_cat_testing::Described;
using str_cat_testing::Printed;

TEST(StrCat, PartsOfEveryKind_AreJoined) {
  const std::string text = "text";
  const char* const literal = "literal";
  EXPECT_EQ(StrCat(text, ' ', literal, std::string_view(" view "), 'c'),
            "text literal view c");
  EXPECT_EQ(StrCat(Described{7}, ": ", Printed()), "node 7: [1, 2]");
}

TEST(StrCat, Numbers_AreWrittenAsToStringDoes) {
  EXPECT_EQ(StrCat(std::numeric_limits<int64_t>::min(), " ",
                   std::numeric_limits<uint64_t>::max()),
            "-9223372036854775808 18446744073709551615");
  EXPECT_EQ(StrCat(int8_t{-3}, " ", uint8_t{200}, " ", size_t{0}), "-3 200 0");
  EXPECT_EQ(StrCat(1.5f, " ", -0.25), "1.500000 -0.250000");
}

TEST(Status, MessageOfParts_IsTheirConcatenation) {
  const Status status = Malformed(Described{3}, ": weights have shape ",
                                  Printed(), ", want ", 4, " dimensions");
  EXPECT_EQ(status.code(), Code::kMalformed);
  EXPECT_EQ(status.message(),
            "node 3: weights have shape [1, 2], want 4 dimensions");
}

TEST(Status, ContextOfParts_ComesFirst) {
  EXPECT_TRUE(Status().With("node ", 17).ok());
  EXPECT_EQ(Malformed("too large").With("node ", 17).message(),
            "node 17: too large");
  EXPECT_EQ(
      Result<int>(NotFound("no file")).With(Described{2}).status().message(),
      "node 2: no file");
}

}  // namespace
}  // namespace munja
