/* Running any .tflite model: load, make a session, run it on tensors. */
#ifndef MUNJA_RUNTIME_H_
#define MUNJA_RUNTIME_H_

#include "munja/control.h"
#include "munja/operators.h"
#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A model in memory; never changes. Sessions made from it keep what they need,
 * so it may be freed before them. May be used by several threads at once. */
typedef struct munja_model munja_model;

/* Verifies the whole file before anything in it is used. The path must name a
 * regular file (MUNJA_IO), so that it can be mapped; what comes from a pipe is
 * for munja_model_load_bytes(). */
MUNJA_API munja_status munja_model_load(const char* path, munja_model** model);
/* Copies the bytes. None (size 0, data may be NULL): MUNJA_MALFORMED. */
MUNJA_API munja_status munja_model_load_bytes(const void* data, size_t size,
                                              munja_model** model);
MUNJA_API void munja_model_free(munja_model* model);

typedef struct munja_tensor_info {
  const char* name; /* Valid as long as the model or session it came from. */
  munja_element_type type;
  int32_t rank;
  int32_t dims[MUNJA_MAX_RANK]; /* -1: any size. */
  float scale;                  /* 0: not quantized, or quantized by axis. */
  int32_t zero_point;
} munja_tensor_info;

/* A named entry point: names for the inputs and outputs of one subgraph. Texts
 * are valid as long as the model. */
typedef struct munja_signature {
  const char* key;
  int32_t subgraph;
  int32_t input_count, output_count;
} munja_signature;

MUNJA_API int32_t munja_model_signature_count(const munja_model* model);
MUNJA_API munja_status munja_model_signature(const munja_model* model,
                                             int32_t index,
                                             munja_signature* signature);
/* Input `input` of signature `index`: its name there, and its tensor. */
MUNJA_API munja_status munja_model_signature_input(const munja_model* model,
                                                   int32_t index, int32_t input,
                                                   const char** name,
                                                   munja_tensor_info* info);
MUNJA_API munja_status munja_model_signature_output(const munja_model* model,
                                                    int32_t index,
                                                    int32_t output,
                                                    const char** name,
                                                    munja_tensor_info* info);

/* The first tensor of this name, in the order of the subgraphs.
 * MUNJA_NOT_FOUND. */
MUNJA_API munja_status munja_model_find_tensor(const munja_model* model,
                                               const char* name,
                                               munja_tensor_info* info);

/* What is stored with a model: entries of its metadata, and files packed with
 * it (labels, a dictionary). Names and bytes are valid as long as the model. */
typedef enum munja_model_part MUNJA_ANY_INT {
  MUNJA_MODEL_METADATA = 0,
  MUNJA_MODEL_FILE = 1
} munja_model_part;

/* An unknown part: 0, NULL, MUNJA_INVALID_ARGUMENT. */
MUNJA_API int32_t munja_model_part_count(const munja_model* model,
                                         munja_model_part part);
/* In the order of their names; NULL beyond the last. */
MUNJA_API const char* munja_model_part_name(const munja_model* model,
                                            munja_model_part part,
                                            int32_t index);
/* MUNJA_NOT_FOUND. */
MUNJA_API munja_status munja_model_part_bytes(const munja_model* model,
                                              munja_model_part part,
                                              const char* name,
                                              const void** bytes, size_t* size);

/* An operator that the model uses in any subgraph, with one of its versions. */
typedef struct munja_op_use {
  const char* name; /* Valid as long as the model. */
  int32_t is_custom;
  int32_t version;
  int32_t nodes;
  int32_t is_missing; /* The resolver has not got it, or not this version. */
} munja_op_use;

/* The number of them, and one, sorted by name. resolver NULL: the operators of
 * the library. */
MUNJA_API int32_t munja_model_op_count(const munja_model* model);
MUNJA_API munja_status munja_model_op(const munja_model* model,
                                      const munja_resolver* resolver,
                                      int32_t index, munja_op_use* use);

typedef struct munja_delegate munja_delegate; /* See munja/delegates.h. */

typedef struct munja_session_options {
  size_t struct_size;
  int32_t threads;       /* 0: one for each processor; 1: the caller's only. */
  int32_t max_plans;     /* Sets of input shapes planned at once. 0: 8. */
  int32_t profile;       /* Nonzero: count the time of each operator. */
  int32_t use_reference; /* Nonzero: slow, obvious kernels; an oracle. */
  int32_t skip_passes;   /* Nonzero: run the graph as the file has it. */
  const munja_resolver* resolver; /* NULL: the operators of the library. */
  const char* signature; /* Whose subgraph to run. NULL: the main one. */
  /* Offered the nodes in this order, each what those before it left. A delegate
   * that fails runs its nodes on the CPU: the log says so. */
  munja_delegate* const* delegates;
  int32_t delegate_count;
  munja_precision precision; /* Of what runs on the CPU. */
  /* 1 to 5: a float output [..., n] with a fixed n becomes
   * [..., 2 * best_classes]: the largest of each row, of equals the first, each
   * as its number (exact: n is at most 2^24) and its value. A softmax before it
   * is summed up while its inputs are made and never stored, as is the last
   * product: what a recognizer's text is decoded from, at less cost than all
   * classes; what has less than 1e-4 of the best one's share is left out
   * (zeros). A NaN counts as less than everything; class 0 with NaN where there
   * is no number. Outputs without such an n stay. 0: all outputs stay. */
  int32_t best_classes;
  /* Of munja_session_create(), and of all plans and runs of the session and of
   * its forks; NULL: see munja/control.h. */
  munja_control* control;
} munja_session_options;

/* Results lie in the session, so it is used by one thread at a time: the others
 * have forks of it. Where a call finds that another one runs, plans, resets or
 * reads its profile (or the caller is an operator of the very run) it gives
 * MUNJA_INVALID_ARGUMENT and changes nothing; munja_session_profile() gives 0,
 * munja_session_profile_reset() and munja_session_free() do nothing. Only
 * munja_session_fork() and what describes inputs and outputs (count, input,
 * output, find) may be called at any time. */
typedef struct munja_session munja_session;

/* options may be NULL. MUNJA_UNSUPPORTED names every missing operator. */
MUNJA_API munja_status munja_session_create(
    const munja_model* model, const munja_session_options* options,
    munja_session** session);
MUNJA_API void munja_session_free(munja_session* session);

/* Another session that shares program and weights and can run at the same time,
 * on `threads` threads (as in the options), with variables of its own. */
MUNJA_API munja_status munja_session_fork(const munja_session* session,
                                          int32_t threads,
                                          munja_session** fork);

MUNJA_API int32_t munja_session_input_count(const munja_session* session);
MUNJA_API int32_t munja_session_output_count(const munja_session* session);
MUNJA_API munja_status munja_session_input(const munja_session* session,
                                           int32_t index,
                                           munja_tensor_info* info);
MUNJA_API munja_status munja_session_output(const munja_session* session,
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
MUNJA_API munja_status munja_session_result(const munja_session* session,
                                            int32_t index,
                                            munja_tensor* tensor);

/* Forgets what the model's variables and tables kept from earlier runs. */
MUNJA_API munja_status munja_session_reset_variables(munja_session* session);

/* One operator, summed over the runs since the session was made or reset. */
typedef struct munja_node_profile {
  const char* op; /* Texts are valid until the next call with this session. */
  const char* name;
  const char* shapes;
  double milliseconds;
  int64_t multiply_accumulates; /* Of one run. */
  int32_t runs;
} munja_node_profile;

/* Takes a snapshot of the profile and gives its number of rows. */
MUNJA_API int32_t munja_session_profile(munja_session* session);
MUNJA_API munja_status munja_session_profile_row(const munja_session* session,
                                                 int32_t index,
                                                 munja_node_profile* row);
/* Bytes that the inputs (constants too) and outputs of a row have together: the
 * least that one run reads and writes, wherever they lie. */
MUNJA_API munja_status munja_session_profile_bytes(const munja_session* session,
                                                   int32_t index,
                                                   int64_t* bytes);
/* What a row multiplies: MUNJA_INT8, MUNJA_INT16 (activations of 16 bits by
 * weights of 8) or MUNJA_FLOAT32. */
MUNJA_API munja_status munja_session_profile_type(const munja_session* session,
                                                  int32_t index,
                                                  munja_element_type* type);
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
