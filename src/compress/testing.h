// A small network with what OCR networks are made of, and pictures for it.
#ifndef MUNJA_COMPRESS_TESTING_H_
#define MUNJA_COMPRESS_TESTING_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compress/observe.h"
#include "graph/graph.h"

namespace munja::compress::testing {

// 3 -> 16 channels with GELU, a depthwise layer, a gate from the mean, a
// residual pair of 1x1 layers, a concatenation, and a map by LOGISTIC, or with
// `classes` > 0 a softmax over them after the mean. Weights are drawn from
// `seed`; the ranges of the channels differ widely.
graph::Graph SmallNetwork(int classes, uint32_t seed);

// Smooth pictures 1 x side x side x 3 with a few hard edges, roughly in
// [-2, 2].
std::vector<Sample> Pictures(int count, int side, uint32_t seed);

// Uncorrelated values.
std::vector<Sample> Noise(int count, int side, uint32_t seed);

// The main outputs, without fusing, as floats.
std::vector<std::vector<float>> Outputs(const graph::Graph& graph,
                                        std::span<const Sample> samples);

// ||a - b||^2 / ||a||^2 of the lists together.
double RelativeError(const std::vector<std::vector<float>>& a,
                     const std::vector<std::vector<float>>& b);

}  // namespace munja::compress::testing

#endif  // MUNJA_COMPRESS_TESTING_H_
