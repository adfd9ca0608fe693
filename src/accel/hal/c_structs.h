// The C structs of munja/driver.h to models and requests, and back.
#ifndef MUNJA_HAL_C_STRUCTS_H_
#define MUNJA_HAL_C_STRUCTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "base/status.h"
#include "hal/model.h"
#include "munja/driver.h"

namespace munja::hal {

// Copies the struct of another side, which may be older or newer: fields that
// it lacks are 0.
template <class T>
T ReadStruct(const T* from) {
  T to = {};
  if (from == nullptr) return to;
  size_t size = 0;
  std::memcpy(&size, from, sizeof size);
  std::memcpy(static_cast<void*>(&to), from, std::min(size, sizeof to));
  return to;
}

// Element `index` of an array whose elements are as long as the first says.
template <class T>
T ReadElement(const T* array, size_t index) {
  size_t size = 0;
  std::memcpy(&size, array, sizeof size);
  const auto* bytes = reinterpret_cast<const uint8_t*>(array);
  return ReadStruct(reinterpret_cast<const T*>(bytes + index * size));
}

// kInvalidArgument: pointers that are missing, structs that claim no length.
// Not validated beyond that. Pools are referred to, everything else is copied.
Result<Model> ReadModel(const munja_nn_model* model);
Result<Request> ReadRequest(const munja_nn_request* request);

// The C struct of a model, which must outlive it unchanged.
class ModelStruct {
 public:
  explicit ModelStruct(const Model& model);
  ModelStruct(const ModelStruct&) = delete;
  ModelStruct& operator=(const ModelStruct&) = delete;
  const munja_nn_model* get() const { return &model_; }

 private:
  munja_nn_model model_ = {};
  std::vector<munja_nn_subgraph> subgraphs_;
  std::deque<std::vector<munja_nn_operand>> operands_;
  std::deque<std::vector<munja_nn_operation>> operations_;
  std::vector<munja_nn_memory> pools_;
  std::vector<munja_nn_extension_prefix> extensions_;
};

class RequestStruct {
 public:
  explicit RequestStruct(const Request& request);
  RequestStruct(const RequestStruct&) = delete;
  RequestStruct& operator=(const RequestStruct&) = delete;
  const munja_nn_request* get() const { return &request_; }

 private:
  munja_nn_request request_ = {};
  std::vector<munja_nn_argument> inputs_, outputs_;
  std::vector<munja_nn_memory> pools_;
};

}  // namespace munja::hal

#endif  // MUNJA_HAL_C_STRUCTS_H_
