/* Functions of the library for tflite::Subgraph (core/subgraph.h): subgraphs of
 * an interpreter, and the one that an operator or delegate sees, which
 * TfLiteContext::impl_ points at.
 */
#ifndef MUNJA_TFLITE_MUNJA_SUBGRAPH_H_
#define MUNJA_TFLITE_MUNJA_SUBGRAPH_H_

#include <stdbool.h>
#include <stddef.h>

#include "tensorflow/lite/core/c/c_api.h"
#include "tensorflow/lite/core/c/common.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TfLiteMunjaSubgraph TfLiteMunjaSubgraph;

/* Null: there is no such subgraph, or it cannot run alone. Holds as long as
 * the interpreter, and is for the thread that uses it. */
TFL_CAPI_EXPORT TfLiteMunjaSubgraph* TfLiteMunjaInterpreterGetSubgraph(
    TfLiteInterpreter* interpreter, int index);
TFL_CAPI_EXPORT int TfLiteMunjaInterpreterGetSubgraphCount(
    const TfLiteInterpreter* interpreter);
/* Operators and delegates of the interpreter then find `context` under this
 * type; it stays the caller's. */
TFL_CAPI_EXPORT TfLiteStatus TfLiteMunjaInterpreterSetExternalContext(
    TfLiteInterpreter* interpreter, TfLiteExternalContextType type,
    TfLiteExternalContext* external);

/* Its tensors are those of the interpreter, or those that the operator sees.
 * Null when there is no memory. */
TFL_CAPI_EXPORT TfLiteContext* TfLiteMunjaSubgraphContext(
    TfLiteMunjaSubgraph* subgraph);
TFL_CAPI_EXPORT int TfLiteMunjaSubgraphIndex(
    const TfLiteMunjaSubgraph* subgraph);
TFL_CAPI_EXPORT const char* TfLiteMunjaSubgraphName(
    const TfLiteMunjaSubgraph* subgraph);

typedef enum TfLiteMunjaList {
  kTfLiteMunjaInputs = 0,
  kTfLiteMunjaOutputs = 1,
  kTfLiteMunjaVariables = 2
} TfLiteMunjaList;
/* Numbers of tensors. */
TFL_CAPI_EXPORT const int* TfLiteMunjaSubgraphTensors(
    const TfLiteMunjaSubgraph* subgraph, TfLiteMunjaList list, size_t* count);
TFL_CAPI_EXPORT int TfLiteMunjaSubgraphNodeCount(TfLiteMunjaSubgraph* subgraph);
/* Nodes as the model has them, in the order of execution. */
TFL_CAPI_EXPORT TfLiteStatus TfLiteMunjaSubgraphNode(
    TfLiteMunjaSubgraph* subgraph, int node, const TfLiteNode** shown,
    const TfLiteRegistration** registration);

/* Only for subgraphs of an interpreter; kTfLiteError for what an operator sees.
 */
TFL_CAPI_EXPORT TfLiteStatus
TfLiteMunjaSubgraphResize(TfLiteMunjaSubgraph* subgraph, int tensor,
                          const int* dims, int rank, bool is_strict);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteMunjaSubgraphAllocate(TfLiteMunjaSubgraph* subgraph);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteMunjaSubgraphInvoke(TfLiteMunjaSubgraph* subgraph);
TFL_CAPI_EXPORT TfLiteStatus
TfLiteMunjaSubgraphResetVariables(TfLiteMunjaSubgraph* subgraph);

/* An object of external sources that the library keeps: the one of that name,
 * or what `make` gives when there is none yet. `release` gets it when the
 * subgraph ends, or, of a shared one, which all operators of a session see,
 * when the session and its interpreter do. Null when make gave null. */
TFL_CAPI_EXPORT void* TfLiteMunjaSubgraphKeep(TfLiteMunjaSubgraph* subgraph,
                                              bool is_shared, const char* name,
                                              void* (*make)(void),
                                              void (*release)(void* object));

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MUNJA_TFLITE_MUNJA_SUBGRAPH_H_ */
