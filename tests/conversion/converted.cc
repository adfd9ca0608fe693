#include "converted.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "import/lower/lowering.h"
#include "import/simplify/simplify.h"
#include "runtime/session.h"

namespace munja::conversion {

Result<importer::ImportedModel> Convert(importer::Model source) {
  importer::ImportedModel model;
  importer::Model simple = source;
  MUNJA_RETURN_IF_ERROR(importer::Simplify(&simple).TakeStatus());
  MUNJA_ASSIGN_OR_RETURN(model.graph, importer::Lower(simple));
  MUNJA_RETURN_IF_ERROR(graph::Verify(model.graph));
  model.source = std::move(source);
  return model;
}

Result<std::vector<importer::Tensor>> RunGraph(
    const graph::Graph& graph, std::span<const importer::Tensor> inputs) {
  MUNJA_ASSIGN_OR_RETURN(
      std::unique_ptr<runtime::Session> session,
      runtime::CreateSession(std::make_shared<const graph::Graph>(graph), {}));
  std::vector<TensorView> views;
  for (const importer::Tensor& t : inputs) {
    TensorView view;
    for (const int64_t d : t.shape) view.shape.Append(static_cast<int32_t>(d));
    view.data = const_cast<float*>(t.floats.data());
    view.bytes = t.floats.size() * sizeof(float);
    views.push_back(view);
  }
  MUNJA_ASSIGN_OR_RETURN(const std::span<const TensorView> results,
                         session->Run(views));
  std::vector<importer::Tensor> outputs;
  for (const TensorView& view : results) {
    importer::Tensor t;
    for (const int32_t d : view.shape.dims()) t.shape.push_back(d);
    t.floats.assign(view.as<float>(),
                    view.as<float>() + view.bytes / sizeof(float));
    outputs.push_back(std::move(t));
  }
  return outputs;
}

importer::Tensor Wave(importer::Dims shape, double phase) {
  int64_t count = 1;
  for (const int64_t d : shape) count *= d;
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(std::sin(0.37 * i + phase) +
                                   0.5 * std::cos(0.011 * i * i + phase));
  return importer::Tensor::Floats(std::move(shape), std::move(values));
}

double LargestDifference(std::span<const importer::Tensor> a,
                         std::span<const importer::Tensor> b) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  if (a.size() != b.size()) return kFar;
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].shape != b[i].shape || a[i].floats.size() != b[i].floats.size())
      return kFar;
    for (size_t k = 0; k < a[i].floats.size(); ++k) {
      const double d = std::fabs(double{a[i].floats[k]} - b[i].floats[k]);
      if (!(d <= largest)) largest = std::isnan(d) ? kFar : d;
    }
  }
  return largest;
}

double MeanDifference(const importer::Tensor& a, const importer::Tensor& b) {
  if (a.shape != b.shape || a.floats.size() != b.floats.size() ||
      a.floats.empty())
    return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (size_t i = 0; i < a.floats.size(); ++i)
    sum += std::fabs(double{a.floats[i]} - b.floats[i]);
  return sum / static_cast<double>(a.floats.size());
}

int CountNodes(const graph::Graph& graph, const std::string& op) {
  return static_cast<int>(
      std::count_if(graph.main().nodes.begin(), graph.main().nodes.end(),
                    [&](const graph::Node& n) { return n.op == op; }));
}

}  // namespace munja::conversion
