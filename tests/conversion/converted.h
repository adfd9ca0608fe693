// A converted model and both ways to run it.
#ifndef MUNJA_TESTS_CONVERSION_CONVERTED_H_
#define MUNJA_TESTS_CONVERSION_CONVERTED_H_

#include <span>
#include <string>
#include <vector>

#include "import/import.h"

namespace munja::conversion {

// Simplified, lowered and verified; an error when one of these fails.
Result<foreign::ImportedModel> Convert(foreign::Model source);

// Runs the converted graph with the runtime; tensors as in the graph (NHWC).
Result<std::vector<foreign::Tensor>> RunGraph(
    const graph::Graph& graph, std::span<const foreign::Tensor> inputs);

// Smooth, deterministic numbers in about [-1.5, 1.5], without symmetry.
foreign::Tensor Wave(foreign::Dims shape, double phase = 0);

// The largest difference; infinity when shapes or counts differ.
double LargestDifference(std::span<const foreign::Tensor> a,
                         std::span<const foreign::Tensor> b);

// The mean of the differences; infinity when shapes or counts differ.
double MeanDifference(const foreign::Tensor& a, const foreign::Tensor& b);

// How many nodes of that operator the graph has.
int CountNodes(const graph::Graph& graph, const std::string& op);

}  // namespace munja::conversion

#endif  // MUNJA_TESTS_CONVERSION_CONVERTED_H_
