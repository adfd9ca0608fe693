/* Which operators a session has: those of the library, and your own.
 *
 * An operator is a set of callbacks. Their life cycle, for each node of a model
 * that uses the operator, in each session:
 *   init     once, when the session is made: reads options, refuses what is not
 *            supported, keeps what does not depend on shapes;
 *   prepare  once for each set of input shapes that the session plans: checks
 *            types and shapes, sets the shape of every output;
 *   eval     once a run: computes;
 *   free     once for every init that gave MUNJA_OK.
 * Calls for one node come one at a time, those for different sessions (forks,
 * too) perhaps at once. While a session is made, a node may be initialized and
 * freed several times.
 *
 * Callbacks give MUNJA_OK, or an error that munja_op_fail() may explain; they
 * must not throw. Everything that a munja_op_context hands out is valid until
 * the callback returns. Models are input from outside: prepare has to check
 * what eval relies on.
 */
#ifndef MUNJA_OPERATORS_H_
#define MUNJA_OPERATORS_H_

#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A node, as init, prepare and eval see it. */
typedef struct munja_op_context munja_op_context;

typedef struct munja_operator {
  size_t struct_size;
  const char* name;    /* As the model has it; copied. */
  int32_t is_builtin;  /* Nonzero: `name` is one of the schema ("ADD"), and
                        * these callbacks take the place of ours. */
  int32_t max_version; /* Builtin operators only. 0: any. */
  void* user;          /* For init and free; must outlive all sessions. */
  /* Gives what the other callbacks get as `node`. NULL: `node` is `user`. */
  munja_status (*init)(void* user, munja_op_context* context, void** node);
  /* NULL: every output has the shape of input 0. */
  munja_status (*prepare)(void* node, munja_op_context* context);
  munja_status (*eval)(void* node, munja_op_context* context);
  /* NULL: there is nothing to free. Never called when init is NULL. */
  void (*free)(void* user, void* node);
} munja_operator;

/* A session looks at the resolver only while it is made: sessions do not see
 * what is added later, and the resolver may be freed before them. */
typedef struct munja_resolver munja_resolver;

/* With all operators of the library. */
MUNJA_API munja_status munja_resolver_create(munja_resolver** resolver);
/* With none. */
MUNJA_API munja_status munja_resolver_create_empty(munja_resolver** resolver);
MUNJA_API void munja_resolver_free(munja_resolver* resolver);
/* The last one of a name counts. */
MUNJA_API munja_status munja_resolver_add(munja_resolver* resolver,
                                          const munja_operator* op);
/* From the library, into a resolver made empty: one builtin, or one of the
 * custom operators that the library has. MUNJA_NOT_FOUND. */
MUNJA_API munja_status munja_resolver_add_builtin(munja_resolver* resolver,
                                                  const char* name);

/* Adds what a shared library brings. It shows either a function
 *   munja_status munja_register_operators(munja_resolver* resolver);
 * which adds its operators to the resolver, or, with operators written against
 * the TensorFlow Lite C API, munja_plugin_operators (tflite/munja_plugin.h).
 * The library stays open. Loading it runs its code: only what is trusted.
 * MUNJA_UNAVAILABLE: it cannot be opened, or has neither function. */
MUNJA_API munja_status munja_resolver_load(munja_resolver* resolver,
                                           const char* path);

/* --- In init, prepare and eval ------------------------------------------ */

/* Keeps the reason (copied) for munja_last_error() and gives `status` back:
 * return munja_op_fail(context, MUNJA_UNSUPPORTED, "the axis is 3"); */
MUNJA_API munja_status munja_op_fail(munja_op_context* context,
                                     munja_status status, const char* reason);

MUNJA_API int32_t munja_op_input_count(const munja_op_context* context);
MUNJA_API int32_t munja_op_output_count(const munja_op_context* context);
/* An input. Its data:
 *   init     only of constants; the shape is that of the model, -1: any size;
 *   prepare  what is known before the run: constants, and values computed from
 *            shapes; NULL otherwise. When it decides the shapes of outputs,
 *            prepare gives MUNJA_NEEDS_VALUES, and is called again, before
 *            every eval, with all data there;
 *   eval     all.
 * Read only, whatever the type of the pointer. MUNJA_NOT_FOUND: an optional
 * input that is absent, or beyond the list. */
MUNJA_API munja_status munja_op_input(const munja_op_context* context,
                                      int32_t index, munja_tensor* tensor);
/* An output; its data is there in eval only. */
MUNJA_API munja_status munja_op_output(const munja_op_context* context,
                                       int32_t index, munja_tensor* tensor);

/* real = scales[c] * (stored - zero_points[c]), c along dimension `axis`. */
typedef struct munja_quantization {
  const float* scales;
  const int64_t* zero_points; /* NULL: all 0. */
  int32_t count;              /* 0: not quantized; 1: for the whole tensor. */
  int32_t axis;
} munja_quantization;

MUNJA_API munja_status
munja_op_input_quantization(const munja_op_context* context, int32_t index,
                            munja_quantization* quantization);
MUNJA_API munja_status
munja_op_output_quantization(const munja_op_context* context, int32_t index,
                             munja_quantization* quantization);

/* --- In init only (and where a delegate sees nodes) -----------------------*/

/* "CONV_2D", or the name of a custom operator; "" in other callbacks. */
MUNJA_API const char* munja_op_name(const munja_op_context* context);
MUNJA_API int32_t munja_op_is_custom(const munja_op_context* context);
MUNJA_API int32_t munja_op_version(const munja_op_context* context);
/* By which a tensor is the same in several nodes. -1: absent. */
MUNJA_API int32_t munja_op_input_id(const munja_op_context* context,
                                    int32_t index);
MUNJA_API int32_t munja_op_output_id(const munja_op_context* context,
                                     int32_t index);
/* The custom options: bytes whose meaning the operator knows (often a
 * FlexBuffer). None: NULL and 0. */
MUNJA_API munja_status munja_op_options(const munja_op_context* context,
                                        const void** bytes, size_t* size);
/* Options of a builtin by the name that the schema gives them ("stride_w");
 * enumerators are text ("SAME"). Booleans are 0 and 1. Those that are absent
 * give `fallback`. MUNJA_MALFORMED: of another type. */
MUNJA_API munja_status munja_op_attr_int(const munja_op_context* context,
                                         const char* name, int64_t fallback,
                                         int64_t* value);
MUNJA_API munja_status munja_op_attr_float(const munja_op_context* context,
                                           const char* name, double fallback,
                                           double* value);
/* Valid until init returns. */
MUNJA_API munja_status munja_op_attr_string(const munja_op_context* context,
                                            const char* name,
                                            const char* fallback,
                                            const char** value);

/* --- In prepare only ------------------------------------------------------ */

MUNJA_API munja_status munja_op_set_output_shape(munja_op_context* context,
                                                 int32_t index,
                                                 const int32_t* dims,
                                                 int32_t rank);
/* Only eval finds the shape out: munja_op_resize_output(). */
MUNJA_API munja_status munja_op_defer_output_shape(munja_op_context* context,
                                                   int32_t index);
/* Memory for eval, 64-byte aligned, not zeroed, shared with other nodes. */
MUNJA_API munja_status munja_op_request_scratch(munja_op_context* context,
                                                size_t bytes);
/* The output may lie in the memory of the input: eval reads each element before
 * it writes there. */
MUNJA_API munja_status munja_op_allow_in_place(munja_op_context* context,
                                               int32_t output, int32_t input);
/* The state that prepare computed for eval, for these shapes: a session keeps
 * several plans, each with its own. `free_state` may be NULL. After an error
 * the state still is the caller's. */
MUNJA_API munja_status munja_op_set_state(munja_op_context* context,
                                          void* state,
                                          void (*free_state)(void* state));

/* --- In eval only ----------------------------------------------------------
 */

MUNJA_API void* munja_op_scratch(const munja_op_context* context);
/* The state that prepare set, or NULL. */
MUNJA_API void* munja_op_state(const munja_op_context* context);
/* Shapes a deferred output, once. `bytes` counts only for strings. */
MUNJA_API munja_status munja_op_resize_output(munja_op_context* context,
                                              int32_t index,
                                              const int32_t* dims, int32_t rank,
                                              size_t bytes,
                                              munja_tensor* tensor);
/* Threads of the run; also in prepare, for scratch of each. */
MUNJA_API int32_t munja_op_threads(const munja_op_context* context);
/* Calls body for disjoint ranges that cover [0, count), each at most `grain`
 * (at least 1) long, on the threads of the run, with `worker` in [0, threads).
 * The bounds do not depend on the number of threads. */
MUNJA_API munja_status munja_op_parallel_for(
    munja_op_context* context, size_t count, size_t grain,
    void (*body)(void* user, size_t begin, size_t end, int32_t worker),
    void* user);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_OPERATORS_H_ */
