// Networks and pictures for the tests of this folder.
#ifndef MUNJA_TRAIN_NETS_TESTING_H_
#define MUNJA_TRAIN_NETS_TESTING_H_

#include <torch/torch.h>

#include <memory>

#include "base/status.h"
#include "graph/graph.h"
#include "runtime/session.h"
#include "train/nets/network_config.h"

namespace munja::train::testing {

// Gives every normalization statistics, scale and shift of its own.
void RandomizeNormalization(torch::nn::Module& net);

// N x C x H x W in [-1, 1], uneven enough that no layer sees a constant.
torch::Tensor RandomPictures(int count, int height, int width);

// A session on the graph, with fusion, on this thread.
Result<std::unique_ptr<runtime::Session>> MakeSession(graph::Graph graph);

// The only output for one picture 1 x C x H x W, given to the session as NHWC.
Result<torch::Tensor> RunPicture(runtime::Session& session,
                                 const torch::Tensor& picture);

// Counts the operations of the session's last plan for the given input; see
// munja inspect.
Result<int64_t> MultiplyAccumulates(graph::Graph graph, int height, int width);

// A network that is quick to make.
RecognizerConfig SmallRecognizer();

double LargestDifference(const torch::Tensor& a, const torch::Tensor& b);

}  // namespace munja::train::testing

#endif  // MUNJA_TRAIN_NETS_TESTING_H_
