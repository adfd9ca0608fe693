/* Running networks (.tflite files): load, create a session, run it on tensors.
 */
#ifndef MUNJA_RUNTIME_H_
#define MUNJA_RUNTIME_H_

#include "munja/control.h"
#include "munja/operators.h"
#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A network: one .tflite model in memory. Never changes; may be used by several
 * threads at once. Sessions keep what they need, so it may be freed before
 * them. */
typedef struct munja_network munja_network;

/* Maps and verifies a file, which must be a regular one (MUNJA_IO); for pipes
 * there is munja_network_load_bytes(). */
MUNJA_API munja_status munja_network_load(const char* path,
                                          munja_network** model);
/* Copies the bytes. size 0, where data may be NULL: MUNJA_MALFORMED. */
MUNJA_API munja_status munja_network_load_bytes(const void* data, size_t size,
                                                munja_network** model);
/* Reads `size` bytes from `offset` of an open file, which stays open; size 0:
 * to its end. */
MUNJA_API munja_status munja_network_load_fd(int32_t fd, int64_t offset,
                                             int64_t size,
                                             munja_network** network);
MUNJA_API void munja_network_free(munja_network* model);

typedef struct munja_tensor_info {
  size_t struct_size;
  const char* name; /* Valid as long as the network or session. */
  munja_element_type type;
  int32_t rank;
  int32_t dims[MUNJA_MAX_RANK]; /* -1: dynamic. */
  float scale;                  /* 0: not quantized, or quantized per axis. */
  int32_t zero_point;
} munja_tensor_info;

/* A named entry point: names for the inputs and outputs of one subgraph. Texts
 * are valid as long as the model. */
typedef struct munja_signature {
  size_t struct_size;
  const char* key;
  int32_t subgraph;
  int32_t input_count, output_count;
} munja_signature;

MUNJA_API int32_t munja_network_signature_count(const munja_network* model);
MUNJA_API munja_status munja_network_signature(const munja_network* model,
                                               int32_t index,
                                               munja_signature* signature);
/* Input `input` of signature `index`: its name there, and its tensor. */
MUNJA_API munja_status munja_network_signature_input(const munja_network* model,
                                                     int32_t index,
                                                     int32_t input,
                                                     const char** name,
                                                     munja_tensor_info* info);
MUNJA_API munja_status munja_network_signature_output(
    const munja_network* model, int32_t index, int32_t output,
    const char** name, munja_tensor_info* info);

/* The first tensor of this name, in the order of the subgraphs.
 * MUNJA_NOT_FOUND. */
MUNJA_API munja_status munja_network_find_tensor(const munja_network* model,
                                                 const char* name,
                                                 munja_tensor_info* info);

/* Parts that are stored with a model: entries of its metadata, and files packed
 * with it (labels, a dictionary). Names and bytes are valid as long as the
 * model. */
typedef enum munja_network_part MUNJA_ANY_INT {
  MUNJA_NETWORK_METADATA = 0,
  MUNJA_NETWORK_FILE = 1
} munja_network_part;

/* An unknown part: 0, NULL, MUNJA_INVALID_ARGUMENT. */
MUNJA_API int32_t munja_network_part_count(const munja_network* model,
                                           munja_network_part part);
/* In the order of their names; NULL beyond the last. */
MUNJA_API const char* munja_network_part_name(const munja_network* model,
                                              munja_network_part part,
                                              int32_t index);
/* MUNJA_NOT_FOUND. */
MUNJA_API munja_status munja_network_part_bytes(const munja_network* model,
                                                munja_network_part part,
                                                const char* name,
                                                const void** bytes,
                                                size_t* size);

/* An operator that any subgraph of the network uses, with one version. */
typedef struct munja_op_use {
  size_t struct_size;
  const char* name; /* Valid as long as the network. */
  int32_t is_custom;
  int32_t version;
  int32_t nodes;
  int32_t is_missing; /* Not registered, or for other versions only. */
} munja_op_use;

/* Their number, and one of them, sorted by name. resolver NULL: the operators
 * of the library. */
MUNJA_API int32_t munja_network_op_count(const munja_network* model);
MUNJA_API munja_status munja_network_op(const munja_network* model,
                                        const munja_resolver* resolver,
                                        int32_t index, munja_op_use* use);

typedef struct munja_delegate munja_delegate; /* See munja/delegates.h. */

typedef struct munja_session_options {
  size_t struct_size;
  int32_t threads;   /* 0: one per processor; 1: only the caller's. */
  int32_t max_plans; /* Plans kept for different input shapes. 0: 8. */
  int32_t profile;   /* Nonzero: measure the time of each operator. */
  /* Nonzero: slow reference kernels, as an oracle for tests. */
  int32_t reference_kernels;
  /* Nonzero: run the graph as the file has it. */
  int32_t disable_optimizations;
  const munja_resolver* resolver; /* NULL: the operators of the library. */
  const char* signature; /* Signature to run. NULL: the main subgraph. */
  /* Applied in order; each sees the nodes that earlier delegates did not claim.
   * Nodes of a delegate that fails run on the CPU, and the log says so. */
  munja_delegate* const* delegates;
  int32_t delegate_count;
  munja_precision precision; /* Applies to nodes that run on the CPU. */
  /* 1 to 5: a float output [..., n] with static n becomes [..., 2 * top_k]: the
   * largest values of each row, the first of equal ones, each as its index
   * (exact: n is at most 2^24) and its value. A softmax before it is computed
   * online and never materialized, nor is the last matrix product; values below
   * 1e-4 of the largest share are dropped (zeros). NaN ranks below everything;
   * a row of NaN yields class 0 with NaN. Other outputs are not changed. 0: all
   * outputs stay as they are. */
  int32_t top_k;
  /* For munja_session_create() and all plans and runs of the session and its
   * forks; NULL: see munja/control.h. */
  munja_control* control;
  /* Nonzero: convolutions are summed product by product. Otherwise those with
   * 3x3 weights and many channels use Winograd's algorithm, a quarter of the
   * products, whose results differ by some millionths of the largest one. */
  int32_t no_winograd;
  munja_error* error; /* Filled if the creation fails; NULL: not wanted. */
} munja_session_options;

/* Owns its results and is therefore used by one thread at a time; other threads
 * use forks. A call that finds another one running, planning, resetting or
 * reading the profile returns MUNJA_INVALID_ARGUMENT and changes nothing;
 * munja_session_profile() returns 0, munja_session_profile_reset() and
 * munja_session_free() do nothing. Only munja_session_fork() and the functions
 * that describe inputs and outputs may be called at any time. */
typedef struct munja_session munja_session;

/* options may be NULL. MUNJA_UNSUPPORTED names every missing operator. */
MUNJA_API munja_status munja_session_create(
    const munja_network* model, const munja_session_options* options,
    munja_session** session);
MUNJA_API void munja_session_free(munja_session* session);

/* Another session that shares program and weights and can run at the same time,
 * on `threads` threads (as in the options), with variables of its own. */
MUNJA_API munja_status munja_session_fork(const munja_session* session,
                                          int32_t threads,
                                          munja_session** fork);

MUNJA_API int32_t munja_session_input_count(const munja_session* session);
MUNJA_API int32_t munja_session_output_count(const munja_session* session);
MUNJA_API munja_status munja_session_input_info(const munja_session* session,
                                                int32_t index,
                                                munja_tensor_info* info);
MUNJA_API munja_status munja_session_output_info(const munja_session* session,
                                                 int32_t index,
                                                 munja_tensor_info* info);

/* The number of the input of this name: that of the signature, if the session
 * was made for one, else that of the tensor. MUNJA_NOT_FOUND. */
MUNJA_API munja_status munja_session_find_input(const munja_session* session,
                                                const char* name,
                                                int32_t* index);
MUNJA_API munja_status munja_session_find_output(const munja_session* session,
                                                 const char* name,
                                                 int32_t* index);

/* Plans memory for inputs of these types and shapes (data is not looked at), so
 * that the first run allocates nothing. MUNJA_NEEDS_VALUES: shapes inside
 * depend on values, so each run makes room as it goes. */
MUNJA_API munja_status munja_session_plan(munja_session* session,
                                          const munja_tensor* inputs,
                                          int32_t count);
/* Inputs in the model's order. */
MUNJA_API munja_status munja_session_run(munja_session* session,
                                         const munja_tensor* inputs,
                                         int32_t count);
/* The same, each input by its name (see munja_session_find_input). */
MUNJA_API munja_status munja_session_run_named(munja_session* session,
                                               const char* const* names,
                                               const munja_tensor* inputs,
                                               int32_t count);
/* An output of the last run; its data is valid until the next one. */
MUNJA_API munja_status munja_session_output_tensor(const munja_session* session,
                                                   int32_t index,
                                                   munja_tensor* tensor);

/* Forgets what the model's variables and tables kept from earlier runs. */
MUNJA_API munja_status munja_session_reset_variables(munja_session* session);

/* One operator, summed over the runs since the session was created or reset. */
typedef struct munja_node_profile {
  size_t struct_size;
  const char* op; /* Texts are valid until the next call with this session. */
  const char* name;
  const char* shapes;
  double milliseconds;
  int64_t multiply_accumulates; /* In one run. */
  int32_t runs;
  /* Type of the operands that it multiplies: INT8, INT16 (16-bit activations
   * by 8-bit weights) or FLOAT32. */
  munja_element_type type;
  int64_t bytes; /* Sum of inputs, constants included, and outputs. */
} munja_node_profile;

/* Takes a snapshot of the profile and returns its number of rows. */
MUNJA_API int32_t munja_session_profile(munja_session* session);
MUNJA_API munja_status munja_session_profile_row(const munja_session* session,
                                                 int32_t index,
                                                 munja_node_profile* row);
MUNJA_API void munja_session_profile_reset(munja_session* session);

typedef struct munja_memory_use {
  size_t struct_size;
  size_t arena;          /* Bytes of the largest plan. */
  size_t packed_weights; /* Bytes of weights rearranged for the kernels. */
} munja_memory_use;

MUNJA_API munja_status munja_session_memory(const munja_session* session,
                                            munja_memory_use* use);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_RUNTIME_H_ */
