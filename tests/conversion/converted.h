// A converted model and both ways to run it.
#ifndef MUNJA_TESTS_CONVERSION_CONVERTED_H_
#define MUNJA_TESTS_CONVERSION_CONVERTED_H_

#include <span>
#include <string>
#include <vector>

#include "import/import.h"

namespace munja::conversion {

// Simplified, lowered and verified; an error when one of these fails.
Result<importer::ImportedModel> Convert(importer::Model source);

// Runs the converted graph with the runtime; tensors as in the graph (NHWC).
Result<std::vector<importer::Tensor>> RunGraph(
    const graph::Graph& graph, std::span<const importer::Tensor> inputs);

// Smooth, deterministic values in about [-1.5, 1.5], without symmetry.
importer::Tensor Wave(importer::Dims shape, double phase = 0);

// The largest difference; infinity when shapes or counts differ.
double LargestDifference(std::span<const importer::Tensor> a,
                         std::span<const importer::Tensor> b);

// The mean of the differences; infinity when shapes or counts differ.
double MeanDifference(const importer::Tensor& a, const importer::Tensor& b);

// The number of nodes of that operator.
int CountNodes(const graph::Graph& graph, const std::string& op);

}  // namespace munja::conversion

#endif  // MUNJA_TESTS_CONVERSION_CONVERTED_H_
