// TfLiteMunjaSubgraph: a subgraph as tflite::Subgraph of external sources sees
// it.
#ifndef MUNJA_TFLITE_API_SHOWN_SUBGRAPH_H_
#define MUNJA_TFLITE_API_SHOWN_SUBGRAPH_H_

#include <span>

#include "base/status.h"
#include "graph/graph.h"
#include "munja_subgraph.h"
#include "tflite_api/graph_nodes.h"
#include "tflite_api/shared_state.h"

// TfLiteContext::impl_ is the address of one.
struct TfLiteMunjaSubgraph {
  virtual ~TfLiteMunjaSubgraph() = default;

  virtual const munja::graph::Subgraph& Model() const = 0;
  virtual int Index() const = 0;  // -1: of an operator's surroundings.
  // Null when there is no memory.
  virtual TfLiteContext* Context() = 0;
  virtual munja::Result<munja::compat::GraphNodes*> Nodes() = 0;
  virtual std::span<const munja::graph::ValueId> Variables() const = 0;
  virtual munja::compat::SharedState& Shared() = 0;
  virtual TfLiteStatus Resize(int tensor, std::span<const int> dims,
                              bool is_strict) = 0;
  virtual TfLiteStatus Allocate() = 0;
  virtual TfLiteStatus Invoke() = 0;
  virtual TfLiteStatus ResetVariables() = 0;

  munja::compat::KeptObjects objects;
};

#endif  // MUNJA_TFLITE_API_SHOWN_SUBGRAPH_H_
