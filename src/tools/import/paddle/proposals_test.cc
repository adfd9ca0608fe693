// The operators between the stages of two-stage detectors, compared with plain
// loops in another language that follow the operators' definitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "import/paddle/run_both.h"

namespace munja::importer::paddle {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;
using Numbers = std::vector<float>;

// Two anchors on a map of 1 x 2 of an image of 20 x 24; x is the map of scores,
// channels last as the converted model wants it.
Numbers Proposals(const char* what, std::vector<Attr> attributes) {
  ProgramFile file({1, 2, 1, 2});
  Numbers moves;
  for (int i = 0; i < 16; ++i)
    moves.push_back(static_cast<float>(i * 7 % 11 - 5) / 10);
  file.Parameter("moves", {1, 8, 1, 2}, moves);
  file.Parameter("size", {1, 2}, {20, 24});
  file.Parameter("anchors", {1, 2, 2, 4},
                 {0, 0, 9, 9, 4, 0, 19, 7, 8, 2, 15, 15, 10, 0, 29, 19});
  file.Parameter("spread", {1, 2, 2, 4},
                 {0.5f, 0.5f, 1, 1, 0.5f, 0.5f, 1, 1,  //
                  0.5f, 0.5f, 1, 1, 0.5f, 0.5f, 1, 1});
  file.Op("generate_proposals_v2",
          {{"Scores", "x"},
           {"BboxDeltas", "moves"},
           {"ImShape", "size"},
           {"Anchors", "anchors"},
           {"Variances", "spread"}},
          {{"RpnRois", "boxes"}, {"RpnRoiProbs", "sure"}, {"RpnRoisNum", "n"}},
          std::move(attributes));
  return Both(file, what, {1, 1, 2, 2}, {0.9f, 0.8f, 0.2f, 0.7f},
              std::string(what) == "n");
}

TEST(PaddleProposals, GenerateProposals_KeepsTheBest) {
  const std::vector<Attr> some = {
      IntAttr("pre_nms_topN", 3), IntAttr("post_nms_topN", 2),
      FloatAttr("nms_thresh", 0.9f), BoolAttr("pixel_offset", false)};
  EXPECT_THAT(Proposals("sure", {}), ElementsAre(0.9f, 0.8f, 0.7f, 0.2f));
  EXPECT_THAT(Proposals("n", {}), ElementsAre(4));
  EXPECT_THAT(
      Proposals("boxes", {}),
      Pointwise(FloatNear(1e-4f), {0.f, 0.f, 7.02585f, 10.4591f, 0.f, 0.f,
                                   17.5712f, 9.19488f, 14.8127f, 0.f, 23.f,
                                   15.0517f, 9.83673f, 5.5f, 14.7633f, 18.5f}));
  EXPECT_THAT(Proposals("boxes", some),
              Pointwise(FloatNear(1e-4f), {0.f, 0.f, 7.22327f, 10.3132f, 0.f,
                                           0.f, 17.6605f, 8.92052f}));
  const Attr most = FloatAttr("nms_thresh", 0.9f);
  EXPECT_THAT(Proposals("sure", {most, FloatAttr("min_size", 10)}),
              ElementsAre(0.8f));
  // None: one of no size.
  EXPECT_THAT(Proposals("boxes", {most, FloatAttr("min_size", 100)}),
              ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(Proposals("sure", {most, FloatAttr("min_size", 100)}),
              ElementsAre(0));
  EXPECT_THAT(Proposals("n", {most, FloatAttr("min_size", 100)}),
              ElementsAre(1));
}

// Regions of sides 10, 5, 40, 20 and 1, of which 10 is level 3.
TEST(PaddleProposals, DistributeProposals_BySize) {
  const auto of = [](const char* what) {
    ProgramFile file({5, 4});
    file.Op("distribute_fpn_proposals", {{"FpnRois", "x"}},
            {{"MultiFpnRois", "small"},
             {"MultiFpnRois", "middle"},
             {"MultiFpnRois", "large"},
             {"MultiLevelRoIsNum", "n_small"},
             {"MultiLevelRoIsNum", "n_middle"},
             {"MultiLevelRoIsNum", "n_large"},
             {"RestoreIndex", "places"}},
            {IntAttr("min_level", 2), IntAttr("max_level", 4),
             IntAttr("refer_level", 3), IntAttr("refer_scale", 10)});
    const bool is_integer = *what == 'n' || *what == 'p';
    return Both(file, what, {5, 4}, {0,  0,  9, 9, 1,  1,  5, 5, 0, 0,
                                     39, 39, 2, 2, 21, 21, 7, 7, 7, 7},
                is_integer);
  };
  EXPECT_THAT(of("small"), ElementsAre(1, 1, 5, 5, 7, 7, 7, 7));
  EXPECT_THAT(of("middle"), ElementsAre(0, 0, 9, 9));
  EXPECT_THAT(of("large"), ElementsAre(0, 0, 39, 39, 2, 2, 21, 21));
  EXPECT_THAT(of("n_small"), ElementsAre(2));
  EXPECT_THAT(of("n_large"), ElementsAre(2));
  EXPECT_THAT(of("places"), ElementsAre(2, 0, 3, 4, 1));
}

TEST(PaddleProposals, CollectProposals_KeepsTheBest) {
  const auto of = [](const char* what, int most) {
    ProgramFile file({2, 4});
    file.Parameter("sure", {2, 1}, {0.3f, 0.6f});
    file.Parameter("others", {1, 4}, {9, 8, 7, 6});
    file.Parameter("other", {1, 1}, {0.5f});
    file.Op("collect_fpn_proposals",
            {{"MultiLevelRois", "x"},
             {"MultiLevelRois", "others"},
             {"MultiLevelScores", "sure"},
             {"MultiLevelScores", "other"}},
            {{"FpnRois", "best"}, {"RoisNum", "n"}},
            {IntAttr("post_nms_topN", most)});
    return Both(file, what, {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}, *what == 'n');
  };
  EXPECT_THAT(of("best", 2), ElementsAre(5, 6, 7, 8, 9, 8, 7, 6));
  EXPECT_THAT(of("best", 9), ElementsAre(5, 6, 7, 8, 9, 8, 7, 6, 1, 2, 3, 4));
  EXPECT_THAT(of("n", 9), ElementsAre(3));
}

}  // namespace
}  // namespace munja::importer::paddle
