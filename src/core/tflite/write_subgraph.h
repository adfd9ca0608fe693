// The parts of a model file that the writer makes for each subgraph.
#ifndef MUNJA_TFLITE_WRITE_SUBGRAPH_H_
#define MUNJA_TFLITE_WRITE_SUBGRAPH_H_

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/status.h"
#include "flatbuffers/flatbuffers.h"
#include "graph/graph.h"
#include "tflite/buffer_writer.h"
#include "tflite/option_table.h"
#include "tflite/schema_generated.h"

namespace munja::tflite {

class SubgraphWriter {
 public:
  SubgraphWriter(flatbuffers::FlatBufferBuilder& builder, BufferWriter& buffers)
      : builder_(builder), buffers_(buffers) {}

  Result<flatbuffers::Offset<fb::SubGraph>> Write(const graph::Subgraph& from);
  // The codes that all subgraphs written so far use.
  const std::vector<flatbuffers::Offset<fb::OperatorCode>>& codes() const {
    return codes_;
  }

 private:
  template <class T>
  using Written =
      std::map<std::vector<T>, flatbuffers::Offset<flatbuffers::Vector<T>>>;

  // Tables may share vectors and tables. A quantized tensor has as many zero
  // points, all 0 in most, as channels, which would take twice the bytes of its
  // scales.
  template <class T>
  flatbuffers::Offset<flatbuffers::Vector<T>> WriteOnce(
      const std::vector<T>& numbers, Written<T>& written);
  Result<flatbuffers::Offset<fb::Tensor>> WriteTensor(const graph::Value& from);
  flatbuffers::Offset<fb::QuantizationParameters> WriteQuantization(
      const Quantization& from);
  Result<flatbuffers::Offset<fb::Operator>> WriteNode(const graph::Node& from);
  uint32_t CodeIndex(int32_t code, const graph::Node& node);

  flatbuffers::FlatBufferBuilder& builder_;
  BufferWriter& buffers_;
  std::vector<flatbuffers::Offset<fb::OperatorCode>> codes_;
  // Code, custom name, version.
  std::map<std::tuple<int32_t, std::string, int>, uint32_t> known_codes_;
  Written<int64_t> zero_points_;
  Written<int32_t> shapes_;  // And lists of tensors.
  std::map<std::vector<uint32_t>,
           flatbuffers::Offset<flatbuffers::Vector<float>>>
      scales_;  // By their bits.
  std::map<const OptionTable*,
           std::vector<
               std::pair<graph::Attributes, flatbuffers::Offset<fb::Options>>>>
      options_;
};

}  // namespace munja::tflite

#endif  // MUNJA_TFLITE_WRITE_SUBGRAPH_H_
