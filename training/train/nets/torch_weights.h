// Weights between libtorch and graphs.
#ifndef MUNJA_TRAIN_NETS_TORCH_WEIGHTS_H_
#define MUNJA_TRAIN_NETS_TORCH_WEIGHTS_H_

#include <torch/torch.h>

#include <vector>

#include "train/nets/conv_block.h"
#include "train/nets/graph_writer.h"

namespace munja::train {

std::vector<float> Values(const torch::Tensor& tensor);

// out x in x kh x kw -> out x kh x kw x in, or of a depthwise one channels x 1
// x kh x kw -> 1 x kh x kw x channels.
ConvWeights Arranged(const FoldedConv& conv, bool depthwise);

// For index_select().
torch::Tensor IndexOf(const std::vector<int>& positions);

}  // namespace munja::train

#endif  // MUNJA_TRAIN_NETS_TORCH_WEIGHTS_H_
