#include "convert/parity.h"

#ifdef MUNJA_HAS_IMPORT

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "image/decode.h"
#include "image/normalize.h"
#include "image/resize.h"
#include "import/direct.h"
#include "runtime/session.h"
#include "samples/sample_inputs.h"
#include "samples/text_picture.h"

namespace munja::tools {
namespace {

using Json = nlohmann::ordered_json;

// The differences found in one tensor, over all inputs.
struct Difference {
  double largest_difference = 0, sum = 0;
  double largest = 0;  // Largest magnitude in the source's output.
  int64_t count = 0;

  bool Exceeds(double tolerance) const {
    // A NaN on either side exceeds everything.
    return !(largest_difference <= tolerance * std::max(largest, 1e-6));
  }
};

void Add(const importer::Tensor& expected, const float* got, Difference* d) {
  for (const float value : expected.floats) {
    const float ours = *got++;
    // The same NaN or infinity on both sides is no difference.
    const bool same = ours == value || (std::isnan(ours) && std::isnan(value));
    const double difference =
        same ? 0
             : std::abs(static_cast<double>(ours) - static_cast<double>(value));
    if (!(difference <= d->largest_difference))
      d->largest_difference = difference;
    if (std::isfinite(value))
      d->largest = std::max(d->largest, std::abs(static_cast<double>(value)));
    d->sum += difference;
  }
  d->count += static_cast<int64_t>(expected.floats.size());
}

Json ToJson(const std::string& tensor, const Difference& d) {
  return {{"tensor", tensor},
          {"max_difference", d.largest_difference},
          {"mean_difference",
           d.count > 0 ? d.sum / static_cast<double>(d.count) : 0.0},
          {"largest", d.largest}};
}

// A copy whose outputs are all tensors that hold what the source computes,
// after its own outputs.
std::shared_ptr<graph::Graph> Expose(const graph::Graph& written,
                                     const importer::ImportedModel& source) {
  auto exposed = std::make_shared<graph::Graph>(written);
  exposed->signatures.clear();
  graph::Subgraph& main = exposed->main();
  std::set<std::string> wanted;
  for (const importer::TensorMapping& c : source.mappings)
    wanted.insert(c.tensor);
  std::set<graph::ValueId> taken(main.outputs.begin(), main.outputs.end());
  for (const graph::Node& node : main.nodes)
    for (const graph::ValueId v : node.outputs)
      if (v != graph::kNoValue && wanted.contains(main.values[v].name) &&
          main.values[v].type == ElementType::kFloat32 &&
          taken.insert(v).second)
        main.outputs.push_back(v);
  return exposed;
}

// Where an input has its height, width and channels.
struct Axes {
  int height = 1, width = 2, channels = 3;
};

Axes AxesOf(const importer::ImportedModel& source) {
  return source.keep_layout ? Axes{2, 3, 1} : Axes{};
}

// Channels behind height and width -> before them.
importer::Tensor ChannelsFirst(const importer::Tensor& t) {
  const int64_t plane = t.shape[1] * t.shape[2], channels = t.shape[3];
  importer::Tensor turned = importer::Tensor::Floats(
      {t.shape[0], channels, t.shape[1], t.shape[2]}, t.floats);
  for (int64_t i = 0; i < t.shape[0]; ++i)
    for (int64_t p = 0; p < plane; ++p)
      for (int64_t c = 0; c < channels; ++c)
        turned.floats[(i * channels + c) * plane + p] =
            t.floats[(i * plane + p) * channels + c];
  return turned;
}

// A picture in the shape of the input: three channels, about [-1, 1].
Result<importer::Tensor> PictureTensor(const image::Image& picture,
                                       const Shape& given, const Axes& axes) {
  const Shape shape{given[0], given[axes.height], given[axes.width], 3};
  MUNJA_ASSIGN_OR_RETURN(image::Image fitted,
                         image::Image::Create(shape[2], shape[1]));
  MUNJA_RETURN_IF_ERROR(image::ResizeArea(picture.view(), fitted));
  const float mean[3] = {127.5f, 127.5f, 127.5f};
  const float scale[3] = {1 / 127.5f, 1 / 127.5f, 1 / 127.5f};
  const size_t plane = static_cast<size_t>(shape[1]) * shape[2] * 3;
  std::vector<float> values(plane * shape[0]);
  for (int32_t i = 0; i < shape[0]; ++i)
    image::NormalizeToFloat(fitted.view(), mean, scale, true,
                            values.data() + plane * i,
                            static_cast<size_t>(shape[2]) * 3);
  importer::Tensor t = importer::Tensor::Floats(
      {shape[0], shape[1], shape[2], 3}, std::move(values));
  return axes.channels == 1 ? ChannelsFirst(t) : std::move(t);
}

class Comparison {
 public:
  Comparison(std::shared_ptr<const graph::Graph> model,
             const importer::ImportedModel& source,
             const ParitySettings& settings)
      : model_(std::move(model)), source_(source), settings_(settings) {}

  // Runs both on the inputs and takes the differences down.
  Status Run(runtime::Session& session,
             const std::vector<importer::Tensor>& inputs) {
    std::vector<TensorView> views;
    std::vector<std::vector<uint8_t>> bytes;
    for (const importer::Tensor& t : inputs) {
      TensorView view;
      view.type = t.type;
      for (const int64_t d : t.shape)
        view.shape.Append(static_cast<int32_t>(d));
      bytes.push_back(importer::StoreAs(t, t.type));
      view.data = bytes.back().data();
      view.bytes = bytes.back().size();
      views.push_back(view);
    }
    // Each run starts anew, as the definition does.
    session.ResetVariables();
    MUNJA_ASSIGN_OR_RETURN(const auto results,
                           RunOnSample(*model_, session, views));
    const auto infos = session.outputs();
    std::map<std::string, const TensorView*> got;
    for (size_t i = 0; i < results.size(); ++i)
      got[infos[i].name] = &results[i];
    MUNJA_RETURN_IF_ERROR(
        importer::VisitReference(source_, inputs,
                                 [&](const importer::TensorMapping& c,
                                     const importer::Tensor& expected) {
                                   const auto it = got.find(c.tensor);
                                   if (it == got.end() || expected.is_integer)
                                     return;
                                   Compare(c.tensor, expected, *it->second);
                                 }));
    return std::exchange(failed_, Status());
  }

  void Report(const graph::Graph& written, Json* report) const {
    Json outputs = Json::array();
    double largest = 0;
    const graph::Subgraph& main = written.main();
    for (const graph::ValueId v : main.outputs) {
      const auto it = differences_.find(main.values[v].name);
      if (it == differences_.end()) continue;
      outputs.push_back(ToJson(it->first, it->second));
      if (!(it->second.largest_difference <= largest))
        largest = it->second.largest_difference;
    }
    Json first = nullptr;
    for (const std::string& name : order_) {
      const Difference& d = differences_.at(name);
      if (!d.Exceeds(settings_.tolerance)) continue;
      first = ToJson(name, d);
      for (const graph::Node& node : main.nodes)
        for (const graph::ValueId v : node.outputs)
          if (v != graph::kNoValue && main.values[v].name == name)
            first["operator"] = node.op;
      break;
    }
    (*report)["max_difference"] = largest;
    Json& parity = (*report)["parity"];
    parity["input"] = settings_.pictures.empty()
                          ? Json("a made-up picture of text")
                          : Json(settings_.pictures);
    parity["tensors"] = order_.size();
    parity["tolerance"] = settings_.tolerance;
    parity["first_difference"] = std::move(first);
    parity["outputs"] = std::move(outputs);
  }

 private:
  void Compare(const std::string& name, const importer::Tensor& expected,
               const TensorView& got) {
    if (got.bytes != expected.floats.size() * sizeof(float)) {
      if (failed_.ok())
        failed_ = Internal("tensor '" + name + "' has shape " +
                           got.shape.ToString() + ", the source gives " +
                           importer::ToString(expected.shape));
      return;
    }
    const auto [it, added] = differences_.try_emplace(name);
    if (added) order_.push_back(name);
    Add(expected, got.as<float>(), &it->second);
  }

  const std::shared_ptr<const graph::Graph> model_;
  const importer::ImportedModel& source_;
  const ParitySettings& settings_;
  std::map<std::string, Difference> differences_;
  std::vector<std::string> order_;  // In which the source computes them.
  Status failed_;
};

bool IsPicture(const Shape& shape, const Axes& axes) {
  return shape.rank() == 4 && shape[axes.channels] == 3 &&
         shape[axes.height] > 0 && shape[axes.width] > 0;
}

}  // namespace

Status ReportParity(const std::shared_ptr<const graph::Graph>& written,
                    const importer::ImportedModel& source,
                    const ParitySettings& settings, Json* report) {
  const auto exposed = Expose(*written, source);
  MUNJA_ASSIGN_OR_RETURN(const std::unique_ptr<runtime::Session> session,
                         runtime::CreateSession(exposed, {}));
  // The definition runs in plain loops: a small input by default.
  MUNJA_ASSIGN_OR_RETURN(const std::vector<Shape> shapes,
                         SampleShapes(session->inputs(), settings.shape, 160));
  MUNJA_ASSIGN_OR_RETURN(const SampleInputs noise,
                         SampleInputs::Create(*session, shapes));
  const Axes axes = AxesOf(source);
  std::vector<importer::Tensor> inputs;
  std::vector<size_t> pictures;  // Which of them take a picture.
  for (size_t i = 0; i < shapes.size(); ++i) {
    MUNJA_ASSIGN_OR_RETURN(importer::Tensor input,
                           importer::FromView(noise.views()[i]));
    inputs.push_back(std::move(input));
    if (IsPicture(shapes[i], axes)) pictures.push_back(i);
  }
  if (!settings.pictures.empty() && pictures.empty())
    return InvalidArgument("no input of the model takes a picture");
  Comparison comparison(exposed, source, settings);
  const auto run = [&](const image::Image& picture) -> Status {
    for (const size_t i : pictures) {
      MUNJA_ASSIGN_OR_RETURN(inputs[i],
                             PictureTensor(picture, shapes[i], axes));
    }
    return comparison.Run(*session, inputs);
  };
  for (const std::string& path : settings.pictures) {
    MUNJA_ASSIGN_OR_RETURN(const image::Image picture, image::DecodeFile(path));
    MUNJA_RETURN_IF_ERROR(run(picture));
  }
  if (settings.pictures.empty() && !pictures.empty()) {
    const Shape& shape = shapes[pictures[0]];
    MUNJA_ASSIGN_OR_RETURN(const image::Image picture,
                           TextPicture(shape[axes.width], shape[axes.height]));
    MUNJA_RETURN_IF_ERROR(run(picture));
  } else if (settings.pictures.empty()) {
    MUNJA_RETURN_IF_ERROR(comparison.Run(*session, inputs));
  }
  comparison.Report(*written, report);
  (*report)["compared_shape"] = ShapesText(session->inputs(), shapes);
  return Status();
}

}  // namespace munja::tools

#endif  // MUNJA_HAS_IMPORT
