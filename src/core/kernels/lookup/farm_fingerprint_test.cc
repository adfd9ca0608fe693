#include "kernels/lookup/farm_fingerprint.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace munja::kernels {
namespace {

// Fingerprints of the characters 33 + (7 * i) % 90, computed by another
// implementation.
TEST(FarmFingerprint, EveryKindOfLength_MatchesKnownFingerprints) {
  const std::pair<size_t, uint64_t> cases[] = {
      {0, 11160318154034397263u},  {1, 16987436993048695986u},
      {3, 1502982227347875767u},   {4, 11021924961690682712u},
      {7, 17208155771686137090u},  {8, 13828476624979410221u},
      {12, 17992971295615183265u}, {16, 9265934164062552586u},
      {17, 7191860352405642139u},  {24, 11548767596902158829u},
      {32, 4804526956740888522u},  {33, 5848330678568374769u},
      {50, 12622089766946868036u}, {64, 16761682396498933202u},
      {65, 11254439236561020538u}, {100, 4717993629400912386u},
      {129, 1138458046925123604u}, {200, 10889871528942081555u},
  };
  for (const auto& [count, want] : cases) {
    std::string text;
    for (size_t i = 0; i < count; ++i)
      text += static_cast<char>(33 + i * 7 % 90);
    EXPECT_EQ(FarmFingerprint64(reinterpret_cast<const uint8_t*>(text.data()),
                                text.size()),
              want)
        << count;
  }
}

}  // namespace
}  // namespace munja::kernels
