#include <gtest/gtest.h>

#include <string_view>

#include "ops/expect.h"

namespace munja::ops {
namespace {

TestNode MakeNode(std::string_view text, int size, int skip, bool all) {
  TestNode node;
  node.op = "SKIP_GRAM";
  node.attributes = Options({{"ngram_size", int64_t{size}},
                             {"max_skip_size", int64_t{skip}},
                             {"include_all_ngrams", all}});
  node.inputs = {Strings({text})};
  node.outputs = {{ElementType::kString}};
  return node;
}

void ExpectGrams(const TestNode& node,
                 const std::vector<std::string_view>& want) {
  const auto result = RunNode(node);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ((*result)[0].shape, (Shape{static_cast<int32_t>(want.size())}));
  EXPECT_EQ((*result)[0].bytes, Strings(want).bytes);
}

TEST(SkipGram, Words_ArePairedWithNeighbors) {
  ExpectGrams(MakeNode("the  quick\tbrown fox ", 1, 0, false),
              {"the", "quick", "brown", "fox"});
  ExpectGrams(MakeNode("the quick brown fox", 2, 0, false),
              {"the quick", "quick brown", "brown fox"});
  ExpectGrams(MakeNode("", 1, 0, false), {});
  ExpectGrams(MakeNode("a b", 3, 0, false), {});
}

TEST(SkipGram, SkippedWords_AreOmitted) {
  ExpectGrams(
      MakeNode("the quick brown fox", 2, 1, false),
      {"the quick", "the brown", "quick brown", "quick fox", "brown fox"});
}

TEST(SkipGram, LongerPhrases_PrecedeTheirPrefixes) {
  ExpectGrams(MakeNode("a b c", 2, 0, true), {"a b", "a", "b c", "b", "c"});
}

TEST(SkipGram, InvalidNodes_AreRefused) {
  ExpectRefused(MakeNode("a", 0, 0, false), Code::kMalformed, "ngram_size");
  ExpectRefused(MakeNode("a", 1, -1, false), Code::kMalformed, "max_skip_size");
  std::string text;
  for (int i = 0; i < 200; ++i) text += "w ";
  ExpectRefused(MakeNode(text, 3, 200, false), Code::kOutOfMemory,
                "too many n-grams");
  TestNode bad = MakeNode("a", 1, 0, false);
  bad.inputs = {Strings({"a", "b"})};
  ExpectRefused(bad, Code::kMalformed, "want one string");
}

}  // namespace
}  // namespace munja::ops
