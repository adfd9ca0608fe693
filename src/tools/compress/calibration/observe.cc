#include "compress/calibration/observe.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/control.h"
#include "runtime/session.h"

namespace munja::compress {
namespace {

// An input as the session takes it, with the memory behind it.
struct Fed {
  std::vector<int8_t> bytes;
  std::vector<int16_t> words;
  TensorView view;
};

template <class T>
std::vector<T> Store(const std::vector<float>& values, const Quantization& q) {
  std::vector<T> out(values.size());
  const double zero =
      q.zero_points.empty() ? 0.0 : static_cast<double>(q.zero_points[0]);
  for (size_t i = 0; i < values.size(); ++i) {
    const double stored =
        std::round(values[i] / static_cast<double>(q.scales[0])) + zero;
    out[i] = static_cast<T>(std::clamp<double>(
        stored, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }
  return out;
}

Status Feed(const runtime::TensorInfo& info, const CalibrationTensor& tensor,
            Fed* fed) {
  TensorView& view = fed->view;
  view.type = info.type;
  view.shape = tensor.shape;
  const size_t count = tensor.values.size();
  if (static_cast<int64_t>(count) != tensor.shape.elements())
    return InvalidArgument("calibration data for '", info.name, "' has ", count,
                           " values, its shape is ", tensor.shape.ToString());
  if (info.type == ElementType::kFloat32) {
    view.data = const_cast<float*>(tensor.values.data());
    view.bytes = count * sizeof(float);
    return Status();
  }
  if (!info.quantization.is_quantized())
    return Unsupported("input '", info.name, "' is ",
                       ElementTypeName(info.type),
                       " without a scale: it cannot be calibrated");
  if (info.type == ElementType::kInt8) {
    fed->bytes = Store<int8_t>(tensor.values, info.quantization);
    view.data = fed->bytes.data();
    view.bytes = count;
    return Status();
  }
  if (info.type == ElementType::kInt16) {
    fed->words = Store<int16_t>(tensor.values, info.quantization);
    view.data = fed->words.data();
    view.bytes = count * 2;
    return Status();
  }
  return Unsupported("input '", info.name, "' is ", ElementTypeName(info.type));
}

template <class T>
std::vector<float> Scaled(const TensorView& view) {
  std::vector<float> out(view.bytes / sizeof(T));
  const T* data = view.as<T>();
  const float scale = view.scale();
  const int32_t zero = view.zero_point();
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = scale * static_cast<float>(data[i] - zero);
  return out;
}

void AddChannels(const TensorView& view, ValueStatistics* s) {
  const auto count = static_cast<size_t>(view.shape.elements());
  const size_t channels = view.shape.rank() > 0
                              ? static_cast<size_t>(view.shape.back())
                              : size_t{1};
  if (channels == 0 || count == 0) return;
  if (s->channel_sum.size() != channels) {
    // The first, or a last dimension that is no channel.
    s->channel_sum.assign(channels, 0.0);
    s->channel_peak.assign(channels, 0.0f);
    s->rows = 0;
  }
  const float* data = view.as<float>();
  std::vector<float> sum(channels), peak(channels);
  for (size_t row = 0; row < count / channels; ++row) {
    const float* x = data + row * channels;
    for (size_t c = 0; c < channels; ++c) {
      sum[c] += x[c];
      peak[c] = std::max(peak[c], std::fabs(x[c]));
    }
    if (row % 1024 != 1023 && row + 1 != count / channels) continue;
    // Floats are added up over short stretches only.
    for (size_t c = 0; c < channels; ++c) {
      s->channel_sum[c] += sum[c];
      sum[c] = 0;
    }
  }
  for (size_t c = 0; c < channels; ++c)
    s->channel_peak[c] = std::max(s->channel_peak[c], peak[c]);
  s->image = static_cast<int64_t>(count / channels);
  s->rows += s->image;
  s->rank = view.shape.rank();
}

}  // namespace

std::vector<TensorView> ViewsOf(const Sample& sample) {
  std::vector<TensorView> views;
  for (const CalibrationTensor& tensor : sample) {
    TensorView& view = views.emplace_back();
    view.shape = tensor.shape;
    view.data = const_cast<float*>(tensor.values.data());
    view.bytes = tensor.values.size() * sizeof(float);
  }
  return views;
}

std::span<const Sample> FirstSamples(std::span<const Sample> samples) {
  constexpr size_t kMaxElements = size_t{8} << 20;
  size_t elements = 0, count = 0;
  for (const Sample& sample : samples) {
    for (const CalibrationTensor& tensor : sample)
      elements += tensor.values.size();
    if (count > 0 && elements > kMaxElements) break;
    ++count;
  }
  return samples.first(count);
}

std::vector<float> ToFloats(const TensorView& view) {
  switch (view.type) {
    case ElementType::kFloat32: {
      const float* data = view.as<float>();
      return std::vector<float>(data, data + view.bytes / sizeof(float));
    }
    case ElementType::kInt8:
      return Scaled<int8_t>(view);
    case ElementType::kInt16:
      return Scaled<int16_t>(view);
    default:
      return {};
  }
}

std::vector<graph::ValueId> FloatActivations(const graph::Subgraph& subgraph) {
  std::vector<graph::ValueId> found;
  const auto add = [&](graph::ValueId v) {
    if (v == graph::kNoValue) return;
    const graph::Value& value = subgraph.values[static_cast<size_t>(v)];
    if (value.type == ElementType::kFloat32 && !value.constant &&
        !value.is_variable)
      found.push_back(v);
  };
  for (const graph::ValueId v : subgraph.inputs) add(v);
  for (const graph::Node& node : subgraph.nodes)
    for (const graph::ValueId v : node.outputs) add(v);
  return found;
}

Status Observe(const graph::Graph& graph, std::span<const graph::ValueId> taps,
               std::span<const Sample> samples,
               const std::shared_ptr<ThreadPool>& pool,
               const Observer& observer) {
  auto tapped = std::make_shared<graph::Graph>(graph);
  tapped->signatures.clear();
  graph::Subgraph& main = tapped->main();
  const std::vector<graph::ValueId> inputs = main.inputs;
  const auto input_of = [&](graph::ValueId v) {
    return std::find(inputs.begin(), inputs.end(), v) - inputs.begin();
  };
  main.outputs.clear();
  for (const graph::ValueId v : taps)
    if (input_of(v) == static_cast<ptrdiff_t>(inputs.size()))
      main.outputs.push_back(v);
  if (main.outputs.empty() && !main.nodes.empty())
    main.outputs.push_back(main.nodes.back().outputs[0]);
  runtime::SessionOptions options;
  options.pool = pool;
  options.run_passes = false;
  options.max_plans = 1;
  MUNJA_ASSIGN_OR_RETURN(const auto session,
                         runtime::CreateSession(tapped, options));
  for (size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].size() != inputs.size())
      return InvalidArgument("a calibration sample has ", samples[i].size(),
                             " tensors, the model ", inputs.size(), " inputs");
    std::vector<Fed> fed(inputs.size());
    std::vector<TensorView> views;
    for (size_t k = 0; k < inputs.size(); ++k) {
      MUNJA_RETURN_IF_ERROR(Feed(session->inputs()[k], samples[i][k], &fed[k]));
      views.push_back(fed[k].view);
    }
    MUNJA_ASSIGN_OR_RETURN(const auto outputs, session->Run(views));
    size_t next = 0;
    for (const graph::ValueId v : taps) {
      MUNJA_RETURN_IF_ERROR(CheckControl());
      const auto k = static_cast<size_t>(input_of(v));
      const TensorView& view = k < inputs.size() ? views[k] : outputs[next++];
      MUNJA_RETURN_IF_ERROR(observer(i, v, view));
    }
  }
  return Status();
}

Result<std::vector<ValueStatistics>> Collect(
    const graph::Graph& graph, std::span<const Sample> samples,
    const std::shared_ptr<ThreadPool>& pool, bool histograms) {
  const graph::Subgraph& main = graph.main();
  std::vector<ValueStatistics> statistics(main.values.size());
  const std::vector<graph::ValueId> taps = FloatActivations(main);
  size_t told = samples.size();
  MUNJA_RETURN_IF_ERROR(Observe(
      graph, taps, samples, pool,
      [&](size_t i, graph::ValueId v, const TensorView& view) -> Status {
        if (i != told) ReportProgress("measuring inputs", i, samples.size());
        told = i;
        ValueStatistics& s = statistics[static_cast<size_t>(v)];
        AddChannels(view, &s);
        if (!histograms) return Status();
        s.histogram.Add({view.as<float>(), view.bytes / sizeof(float)});
        if (s.histogram.not_finite() == 0) return Status();
        return Malformed("tensor '", main.values[static_cast<size_t>(v)].name,
                         "' is not finite on the calibration data");
      }));
  return statistics;
}

}  // namespace munja::compress
