/* Looking inside networks. */
#ifndef MUNJA_TOOLS_INSPECT_H_
#define MUNJA_TOOLS_INSPECT_H_

#include "munja/runtime.h"
#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The operators that a program needs to run these networks, one name per line,
 * sorted: those in the files and those into which this runtime rewrites them;
 * without custom ones that the library lacks. *names for munja_free().
 * MUNJA_UNSUPPORTED: a network needs a builtin operator that is missing. */
MUNJA_API munja_status munja_network_operators(
    const munja_network* const* models, int32_t count, char** names);

/* A copy of the network whose main subgraph exposes all intermediate tensors as
 * outputs, in the order of execution: to find the first tensor in which two
 * executors differ. Hash tables and variables are excluded. */
MUNJA_API munja_status munja_network_expose_all(const munja_network* model,
                                                munja_network** exposed);
/* The node of the main subgraph that computes its output `output`. The text is
 * valid as long as the model. MUNJA_NOT_FOUND: none does. */
MUNJA_API munja_status munja_network_producer(const munja_network* model,
                                              int32_t output, int32_t* node,
                                              const char** op);

/* Nonzero: output `output` of the main subgraph depends on floats that are
 * quantized to 8 bits during the run ("dynamic range"). A difference in the
 * last bit before may become a whole quantization step, 1/127 of the largest
 * value, after it. */
MUNJA_API int32_t munja_network_output_is_hybrid(const munja_network* model,
                                                 int32_t output);

/* A listing of the network for people, or its graph for Graphviz.
 * munja_free(). */
MUNJA_API munja_status munja_network_to_text(const munja_network* model,
                                             char** text);
MUNJA_API munja_status munja_network_to_dot(const munja_network* model,
                                            char** dot);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_TOOLS_INSPECT_H_ */
