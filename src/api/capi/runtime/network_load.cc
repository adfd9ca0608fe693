// Loading networks.
#include <memory>
#include <utility>
#include <vector>

#include "base/file.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "munja/runtime.h"
#include "tflite/read.h"

using munja::InvalidArgument;
using munja::Result;
using munja::Status;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::graph::Graph;

namespace {

Status KeepNetwork(Result<std::shared_ptr<Graph>> graph,
                   munja_network** model) {
  if (!graph.ok()) return std::move(graph).TakeStatus();
  *model = new munja_network{std::move(graph.value())};
  return Status();
}

}  // namespace

extern "C" {

munja_status munja_network_load(const char* path, munja_network** model) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(path, model));
    MUNJA_RETURN_IF_ERROR(munja::CheckControl());
    return KeepNetwork(munja::tflite::ReadFile(path), model);
  });
}

munja_status munja_network_load_bytes(const void* data, size_t size,
                                      munja_network** model) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(model));
    // Nothing, wherever it lies, is no model: the reader says so.
    if (data == nullptr && size > 0) return InvalidArgument("data is NULL");
    MUNJA_RETURN_IF_ERROR(munja::CheckControl());
    // Without an owner the reader copies what it keeps.
    return KeepNetwork(
        munja::tflite::Read({static_cast<const uint8_t*>(data), size}, nullptr),
        model);
  });
}

munja_status munja_network_load_fd(int32_t fd, int64_t offset, int64_t size,
                                   munja_network** network) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(network));
    MUNJA_RETURN_IF_ERROR(munja::CheckControl());
    MUNJA_ASSIGN_OR_RETURN(auto read, munja::ReadDescriptor(fd, offset, size));
    auto bytes = std::make_shared<const std::vector<uint8_t>>(std::move(read));
    return KeepNetwork(munja::tflite::Read(*bytes, bytes), network);
  });
}

void munja_network_free(munja_network* model) { delete model; }

}  // extern "C"
