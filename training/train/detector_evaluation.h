// How much of the text a detector in training finds.
#ifndef MUNJA_TRAIN_DETECTOR_EVALUATION_H_
#define MUNJA_TRAIN_DETECTOR_EVALUATION_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "document/labels.h"
#include "document/score.h"
#include "image/image.h"
#include "train/nets/detector_net.h"
#include "train/page_feeder.h"

namespace munja::train {

struct LabeledPage {
  image::Image picture;  // At most kEvaluationSide pixels on its longer side.
  document::LabeledImage label;  // In the pixels of `picture`.
};

struct PageSet {
  std::string name;
  std::vector<LabeledPage> pages;
};

inline constexpr int kEvaluationSide = 960;

// The first `count` samples.
Result<PageSet> HeldOutPages(const PageFeeder::Maker& maker, int count);

// The pages of a label file whose lines have outlines; pictures are beside the
// folder of the labels. The set is called as the file, without ".jsonl".
// kMalformed when there is none.
Result<PageSet> LabeledPages(const std::string& labels_path);

// Boxes as the pipeline finds them; the network must be in eval mode.
Result<document::Figures> EvaluatePages(DetectorNet& net, torch::Device device,
                                        const PageSet& set);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_DETECTOR_EVALUATION_H_
