#include "network.h"

#include <nanobind/stl/string.h>

#include "munja/tools/inspect.h"

namespace munja_python {
namespace {

Network Load(const std::string& path) {
  Call call(nullptr);
  return {Unwrap(call.Run([&] { return munja::Network::Load(path); }))};
}

Network LoadBytes(const nb::bytes& bytes) {
  Call call(nullptr);
  return {Unwrap(call.Run([&] {
    return munja::Network::Load(
        {static_cast<const uint8_t*>(bytes.data()), bytes.size()});
  }))};
}

nb::list Signatures(const Network& self) {
  const munja_network* const network = self.network.get();
  nb::list list;
  for (int32_t i = 0; i < munja_network_signature_count(network); ++i) {
    munja_signature signature = {};
    signature.struct_size = sizeof signature;
    munja::Check(munja_network_signature(network, i, &signature));
    const auto tensors = [&](int32_t count, auto get) {
      nb::list described;
      for (int32_t k = 0; k < count; ++k) {
        munja_tensor_info info = {};
        info.struct_size = sizeof info;
        const char* name = nullptr;
        munja::Check(get(network, i, k, &name, &info));
        described.append(DescribeTensor(name, info));
      }
      return described;
    };
    list.append(nb::make_tuple(
        signature.key,
        tensors(signature.input_count, munja_network_signature_input),
        tensors(signature.output_count, munja_network_signature_output)));
  }
  return list;
}

// The files stored with the network: {name: bytes}.
nb::dict Parts(const Network& self, munja_network_part part) {
  const munja_network* const network = self.network.get();
  nb::dict parts;
  for (int32_t i = 0; i < munja_network_part_count(network, part); ++i) {
    const char* const name = munja_network_part_name(network, part, i);
    const void* bytes = nullptr;
    size_t size = 0;
    munja::Check(munja_network_part_bytes(network, part, name, &bytes, &size));
    parts[name] = nb::bytes(bytes, size);
  }
  return parts;
}

nb::list Operators(const Network& self) {
  const munja_network* const network = self.network.get();
  nb::list list;
  for (int32_t i = 0; i < munja_network_op_count(network); ++i) {
    munja_op_use use = {};
    use.struct_size = sizeof use;
    munja::Check(munja_network_op(network, nullptr, i, &use));
    list.append(nb::make_tuple(use.name, use.version, use.nodes,
                               use.is_custom != 0, use.is_missing != 0));
  }
  return list;
}

nb::str ToText(const Network& self) {
  char* text = nullptr;
  Unwrap(munja::StatusOf(munja_network_to_text(self.network.get(), &text)));
  return TakeString(text);
}

}  // namespace

nb::tuple DescribeTensor(const char* name, const munja_tensor_info& info) {
  nb::list shape;
  for (int32_t i = 0; i < info.rank; ++i) shape.append(info.dims[i]);
  return nb::make_tuple(name, munja_element_type_name(info.type),
                        nb::tuple(shape), info.scale, info.zero_point);
}

void BindNetwork(nb::module_& m) {
  nb::class_<Network>(m, "Network")
      .def_static("load", Load, nb::arg("path"))
      .def_static("load_bytes", LoadBytes, nb::arg("data"))
      .def_prop_ro("signatures", Signatures,
                   nb::sig("def signatures(self) -> list[tuple[str, "
                           "list[typing.Any], list[typing.Any]]]"))
      .def_prop_ro(
          "metadata",
          [](const Network& self) {
            return Parts(self, MUNJA_NETWORK_METADATA);
          },
          nb::sig("def metadata(self) -> dict[str, bytes]"))
      .def_prop_ro(
          "files",
          [](const Network& self) { return Parts(self, MUNJA_NETWORK_FILE); },
          nb::sig("def files(self) -> dict[str, bytes]"))
      .def_prop_ro(
          "operators", Operators,
          nb::sig(
              "def operators(self) -> list[tuple[str, int, int, bool, bool]]"))
      .def("text", ToText);
}

}  // namespace munja_python
