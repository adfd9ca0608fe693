/* Running any .tflite model: load, make a session, run it on tensors. */
#ifndef MUNJA_RUNTIME_H_
#define MUNJA_RUNTIME_H_

#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A model in memory; never changes. Sessions made from it keep what they need,
 * so it may be freed before them. May be used by several threads at once. */
typedef struct munja_model munja_model;

/* Verifies the whole file before anything in it is used. */
MUNJA_API munja_status munja_model_load(const char* path, munja_model** model);
/* Copies the bytes. */
MUNJA_API munja_status munja_model_load_bytes(const void* data, size_t size,
                                              munja_model** model);
MUNJA_API void munja_model_free(munja_model* model);

typedef struct munja_session_options {
  size_t struct_size;
  int32_t threads;       /* 0: one for each processor; 1: the caller's only. */
  int32_t max_plans;     /* Sets of input shapes planned at once. 0: 8. */
  int32_t profile;       /* Nonzero: count the time of each operator. */
  int32_t use_reference; /* Nonzero: slow, obvious kernels; an oracle. */
  int32_t skip_passes;   /* Nonzero: run the graph as the file has it. */
} munja_session_options;

typedef struct munja_session munja_session;

/* options may be NULL. MUNJA_UNSUPPORTED names every missing operator. */
MUNJA_API munja_status munja_session_create(
    const munja_model* model, const munja_session_options* options,
    munja_session** session);
MUNJA_API void munja_session_free(munja_session* session);

typedef struct munja_tensor_info {
  const char* name; /* Valid as long as the session. */
  munja_element_type type;
  int32_t rank;
  int32_t dims[MUNJA_MAX_RANK]; /* -1: any size. */
  float scale;                  /* 0: not quantized, or quantized by axis. */
  int32_t zero_point;
} munja_tensor_info;

MUNJA_API int32_t munja_session_input_count(const munja_session* session);
MUNJA_API int32_t munja_session_output_count(const munja_session* session);
MUNJA_API munja_status munja_session_input(const munja_session* session,
                                           int32_t index,
                                           munja_tensor_info* info);
MUNJA_API munja_status munja_session_output(const munja_session* session,
                                            int32_t index,
                                            munja_tensor_info* info);

/* Plans memory for inputs of these types and shapes (data is not looked at), so
 * that the first run allocates nothing. */
MUNJA_API munja_status munja_session_plan(munja_session* session,
                                          const munja_tensor* inputs,
                                          int32_t count);
/* Inputs in the model's order. */
MUNJA_API munja_status munja_session_run(munja_session* session,
                                         const munja_tensor* inputs,
                                         int32_t count);
/* An output of the last run; its data is valid until the next one. */
MUNJA_API munja_status munja_session_result(const munja_session* session,
                                            int32_t index,
                                            munja_tensor* tensor);

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
