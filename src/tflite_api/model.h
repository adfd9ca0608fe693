// TfLiteModel: a graph that was read and verified.
#ifndef MUNJA_TFLITE_API_MODEL_H_
#define MUNJA_TFLITE_API_MODEL_H_

#include <memory>

#include "graph/graph.h"
#include "tensorflow/lite/core/c/c_api.h"
#include "tflite_api/reporter.h"

struct TfLiteModel {
  std::shared_ptr<const munja::graph::Graph> graph;
  // For interpreters whose options have none.
  munja::compat::Reporter reporter;
};

#endif  // MUNJA_TFLITE_API_MODEL_H_
