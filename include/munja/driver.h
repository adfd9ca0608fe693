/* The interface of drivers: libraries that run networks on an NPU, a DSP or a
 * GPU. Its meaning is that of Android's Neural Networks HAL 1.0 to 1.3; its
 * form is C.
 *
 * A driver is a shared library with one function, munja_driver_entry. The
 * framework opens its devices, asks which operations of a model each can run,
 * lets it prepare models and sends it requests. Both sides check all data that
 * they receive: neither may trust the other with its memory.
 *
 * Rules for the whole interface:
 *  - Every struct begins with `struct_size`, which its maker sets to the size
 *    that it knows. A reader takes fields beyond that as zero, and zero always
 *    means the behavior before the field existed. In an array all structs have
 *    the same struct_size, which is the distance from one to the next. The
 *    three small structs without it (location, performance, timing) never grow.
 *  - Enumerations are passed as int32_t and may have any value: from a newer
 *    side, or by mistake. An unknown value is MUNJA_NN_INVALID_ARGUMENT; in a
 *    list of supported operations it is 0.
 *  - A function that a table leaves NULL, or that lies beyond the table's
 *    struct_size, is not offered; those marked "required" must be there.
 *  - Structs, arrays and texts that are passed to a function belong to its
 *    caller and are valid until it returns; those that are passed to a callback
 *    are valid until that returns. Users that need them longer copy them.
 *    Objects (device, prepared model, buffer, burst, fence information) belong
 *    to their receiver and end with `release`, which is called once, by one
 *    thread, when no other call of the object runs. It waits until the object
 *    has finished its work, and no callback comes after it. Buffers, bursts and
 *    requests of a prepared model end before it; it ends before its device.
 *  - Any function may be called by any thread, also several at once on one
 *    object: any number of models may be prepared and of requests run at a
 * time.
 *  - A function returns a munja_nn_status. Nothing may throw or end the
 *    process. Details for people go to munja_nn_host's `log`.
 *  - Memory is row-major without gaps, in the machine's byte order.
 */
#ifndef MUNJA_DRIVER_H_
#define MUNJA_DRIVER_H_

#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Changes only if old drivers could not be used any more. */
#define MUNJA_DRIVER_ABI 1

/* ---- Enumerations, with the values of the HAL ---- */

/* The version of the HAL that introduced something; for a device, the newest
 * version whose models it supports. */
typedef enum munja_nn_version MUNJA_ANY_INT {
  MUNJA_NN_1_0 = 10,
  MUNJA_NN_1_1 = 11,
  MUNJA_NN_1_2 = 12,
  MUNJA_NN_1_3 = 13
} munja_nn_version;

typedef enum munja_nn_status MUNJA_ANY_INT {
  MUNJA_NN_NONE = 0, /* Success. */
  MUNJA_NN_DEVICE_UNAVAILABLE = 1,
  MUNJA_NN_GENERAL_FAILURE = 2,
  /* An output's memory is too small; the result says which, and how large the
   * outputs are. */
  MUNJA_NN_OUTPUT_INSUFFICIENT_SIZE = 3,
  MUNJA_NN_INVALID_ARGUMENT = 4,
  /* These since 1.3. TRANSIENT: the same may succeed later. */
  MUNJA_NN_MISSED_DEADLINE_TRANSIENT = 5,
  MUNJA_NN_MISSED_DEADLINE_PERSISTENT = 6,
  MUNJA_NN_RESOURCE_EXHAUSTED_TRANSIENT = 7,
  MUNJA_NN_RESOURCE_EXHAUSTED_PERSISTENT = 8
} munja_nn_status;

/* A number above MUNJA_NN_MAX_BASE_TYPE is of an extension: the prefix that the
 * model gives it in the upper 16 bits, the extension's own number in the lower
 * ones. The same holds for operations. */
#define MUNJA_NN_MAX_BASE_TYPE 0xFFFF

typedef enum munja_nn_operand_type MUNJA_ANY_INT {
  MUNJA_NN_FLOAT32 = 0, /* Types without TENSOR are scalars: no dimensions. */
  MUNJA_NN_INT32 = 1,
  MUNJA_NN_UINT32 = 2,
  MUNJA_NN_TENSOR_FLOAT32 = 3,
  MUNJA_NN_TENSOR_INT32 = 4,
  MUNJA_NN_TENSOR_QUANT8_ASYMM = 5, /* uint8: (q - zero_point) * scale. */
  MUNJA_NN_BOOL = 6,                /* A byte; not 0 is true. */
  MUNJA_NN_TENSOR_QUANT16_SYMM = 7,
  MUNJA_NN_TENSOR_FLOAT16 = 8,
  MUNJA_NN_TENSOR_BOOL8 = 9,
  MUNJA_NN_FLOAT16 = 10,
  MUNJA_NN_TENSOR_QUANT8_SYMM_PER_CHANNEL = 11, /* int8; channel_scales. */
  MUNJA_NN_TENSOR_QUANT16_ASYMM = 12,           /* uint16. */
  MUNJA_NN_TENSOR_QUANT8_SYMM = 13,             /* int8. */
  MUNJA_NN_TENSOR_QUANT8_ASYMM_SIGNED = 14,     /* int8. */
  MUNJA_NN_SUBGRAPH = 15,
  MUNJA_NN_OEM = 10000, /* Deprecated: extensions took their place. */
  MUNJA_NN_TENSOR_OEM_BYTE = 10001
} munja_nn_operand_type;

/* docs/how-to/adding-a-driver.md names a source for their operands. */
typedef enum munja_nn_operation_type MUNJA_ANY_INT {
  MUNJA_NN_ADD = 0,
  MUNJA_NN_AVERAGE_POOL_2D = 1,
  MUNJA_NN_CONCATENATION = 2,
  MUNJA_NN_CONV_2D = 3,
  MUNJA_NN_DEPTHWISE_CONV_2D = 4,
  MUNJA_NN_DEPTH_TO_SPACE = 5,
  MUNJA_NN_DEQUANTIZE = 6,
  MUNJA_NN_EMBEDDING_LOOKUP = 7,
  MUNJA_NN_FLOOR = 8,
  MUNJA_NN_FULLY_CONNECTED = 9,
  MUNJA_NN_HASHTABLE_LOOKUP = 10,
  MUNJA_NN_L2_NORMALIZATION = 11,
  MUNJA_NN_L2_POOL_2D = 12,
  MUNJA_NN_LOCAL_RESPONSE_NORMALIZATION = 13,
  MUNJA_NN_LOGISTIC = 14,
  MUNJA_NN_LSH_PROJECTION = 15,
  MUNJA_NN_LSTM = 16,
  MUNJA_NN_MAX_POOL_2D = 17,
  MUNJA_NN_MUL = 18,
  MUNJA_NN_RELU = 19,
  MUNJA_NN_RELU1 = 20,
  MUNJA_NN_RELU6 = 21,
  MUNJA_NN_RESHAPE = 22,
  MUNJA_NN_RESIZE_BILINEAR = 23,
  MUNJA_NN_RNN = 24,
  MUNJA_NN_SOFTMAX = 25,
  MUNJA_NN_SPACE_TO_DEPTH = 26,
  MUNJA_NN_SVDF = 27,
  MUNJA_NN_TANH = 28,
  MUNJA_NN_BATCH_TO_SPACE_ND = 29,
  MUNJA_NN_DIV = 30,
  MUNJA_NN_MEAN = 31,
  MUNJA_NN_PAD = 32,
  MUNJA_NN_SPACE_TO_BATCH_ND = 33,
  MUNJA_NN_SQUEEZE = 34,
  MUNJA_NN_STRIDED_SLICE = 35,
  MUNJA_NN_SUB = 36,
  MUNJA_NN_TRANSPOSE = 37,
  MUNJA_NN_ABS = 38,
  MUNJA_NN_ARGMAX = 39,
  MUNJA_NN_ARGMIN = 40,
  MUNJA_NN_AXIS_ALIGNED_BBOX_TRANSFORM = 41,
  MUNJA_NN_BIDIRECTIONAL_SEQUENCE_LSTM = 42,
  MUNJA_NN_BIDIRECTIONAL_SEQUENCE_RNN = 43,
  MUNJA_NN_BOX_WITH_NMS_LIMIT = 44,
  MUNJA_NN_CAST = 45,
  MUNJA_NN_CHANNEL_SHUFFLE = 46,
  MUNJA_NN_DETECTION_POSTPROCESSING = 47,
  MUNJA_NN_EQUAL = 48,
  MUNJA_NN_EXP = 49,
  MUNJA_NN_EXPAND_DIMS = 50,
  MUNJA_NN_GATHER = 51,
  MUNJA_NN_GENERATE_PROPOSALS = 52,
  MUNJA_NN_GREATER = 53,
  MUNJA_NN_GREATER_EQUAL = 54,
  MUNJA_NN_GROUPED_CONV_2D = 55,
  MUNJA_NN_HEATMAP_MAX_KEYPOINT = 56,
  MUNJA_NN_INSTANCE_NORMALIZATION = 57,
  MUNJA_NN_LESS = 58,
  MUNJA_NN_LESS_EQUAL = 59,
  MUNJA_NN_LOG = 60,
  MUNJA_NN_LOGICAL_AND = 61,
  MUNJA_NN_LOGICAL_NOT = 62,
  MUNJA_NN_LOGICAL_OR = 63,
  MUNJA_NN_LOG_SOFTMAX = 64,
  MUNJA_NN_MAXIMUM = 65,
  MUNJA_NN_MINIMUM = 66,
  MUNJA_NN_NEG = 67,
  MUNJA_NN_NOT_EQUAL = 68,
  MUNJA_NN_PAD_V2 = 69,
  MUNJA_NN_POW = 70,
  MUNJA_NN_PRELU = 71,
  MUNJA_NN_QUANTIZE = 72,
  MUNJA_NN_QUANTIZED_16BIT_LSTM = 73,
  MUNJA_NN_RANDOM_MULTINOMIAL = 74,
  MUNJA_NN_REDUCE_ALL = 75,
  MUNJA_NN_REDUCE_ANY = 76,
  MUNJA_NN_REDUCE_MAX = 77,
  MUNJA_NN_REDUCE_MIN = 78,
  MUNJA_NN_REDUCE_PROD = 79,
  MUNJA_NN_REDUCE_SUM = 80,
  MUNJA_NN_ROI_ALIGN = 81,
  MUNJA_NN_ROI_POOLING = 82,
  MUNJA_NN_RSQRT = 83,
  MUNJA_NN_SELECT = 84,
  MUNJA_NN_SIN = 85,
  MUNJA_NN_SLICE = 86,
  MUNJA_NN_SPLIT = 87,
  MUNJA_NN_SQRT = 88,
  MUNJA_NN_TILE = 89,
  MUNJA_NN_TOPK_V2 = 90,
  MUNJA_NN_TRANSPOSE_CONV_2D = 91,
  MUNJA_NN_UNIDIRECTIONAL_SEQUENCE_LSTM = 92,
  MUNJA_NN_UNIDIRECTIONAL_SEQUENCE_RNN = 93,
  MUNJA_NN_RESIZE_NEAREST_NEIGHBOR = 94,
  MUNJA_NN_QUANTIZED_LSTM = 95,
  MUNJA_NN_IF = 96,
  MUNJA_NN_WHILE = 97,
  MUNJA_NN_ELU = 98,
  MUNJA_NN_HARD_SWISH = 99,
  MUNJA_NN_FILL = 100,
  MUNJA_NN_RANK = 101,
  MUNJA_NN_OEM_OPERATION = 10000
} munja_nn_operation_type;

typedef enum munja_nn_lifetime MUNJA_ANY_INT {
  MUNJA_NN_TEMPORARY_VARIABLE = 0,
  MUNJA_NN_SUBGRAPH_INPUT = 1,
  MUNJA_NN_SUBGRAPH_OUTPUT = 2,
  MUNJA_NN_CONSTANT_COPY = 3,      /* In the model's operand_values. */
  MUNJA_NN_CONSTANT_REFERENCE = 4, /* In one of the model's pools. */
  MUNJA_NN_NO_VALUE = 5,           /* An optional input that is left out. */
  MUNJA_NN_LIFETIME_SUBGRAPH = 6   /* location.offset + 1 is the subgraph. */
} munja_nn_lifetime;

typedef enum munja_nn_activation MUNJA_ANY_INT {
  MUNJA_NN_ACTIVATION_NONE = 0,
  MUNJA_NN_ACTIVATION_RELU = 1,
  MUNJA_NN_ACTIVATION_RELU1 = 2, /* [-1, 1] */
  MUNJA_NN_ACTIVATION_RELU6 = 3
} munja_nn_activation;

typedef enum munja_nn_padding MUNJA_ANY_INT {
  MUNJA_NN_PADDING_SAME = 1,
  MUNJA_NN_PADDING_VALID = 2
} munja_nn_padding;

typedef enum munja_nn_device_status MUNJA_ANY_INT {
  MUNJA_NN_DEVICE_AVAILABLE = 0,
  MUNJA_NN_DEVICE_BUSY = 1,
  MUNJA_NN_DEVICE_OFFLINE = 2,
  MUNJA_NN_DEVICE_UNKNOWN = 3
} munja_nn_device_status;

typedef enum munja_nn_device_type MUNJA_ANY_INT {
  MUNJA_NN_DEVICE_OTHER = 1,
  MUNJA_NN_DEVICE_CPU = 2,
  MUNJA_NN_DEVICE_GPU = 3,
  MUNJA_NN_DEVICE_ACCELERATOR = 4
} munja_nn_device_type;

typedef enum munja_nn_preference MUNJA_ANY_INT {
  MUNJA_NN_PREFER_LOW_POWER = 0,
  MUNJA_NN_PREFER_FAST_SINGLE_ANSWER = 1,
  MUNJA_NN_PREFER_SUSTAINED_SPEED = 2
} munja_nn_preference;

/* Relative, among the models of one client on one device. */
typedef enum munja_nn_priority MUNJA_ANY_INT {
  MUNJA_NN_PRIORITY_LOW = 0,
  MUNJA_NN_PRIORITY_MEDIUM = 1,
  MUNJA_NN_PRIORITY_HIGH = 2
} munja_nn_priority;

#define MUNJA_NN_CACHE_TOKEN_BYTES 32
#define MUNJA_NN_MAX_CACHE_FILES 32
#define MUNJA_NN_DEFAULT_LOOP_TIMEOUT_NS UINT64_C(2000000000)
#define MUNJA_NN_MAX_LOOP_TIMEOUT_NS UINT64_C(15000000000)
/* An unknown duration. */
#define MUNJA_NN_NO_TIME UINT64_MAX
/* A deadline later than all others; 0 means that there is none. */
#define MUNJA_NN_UNLIMITED UINT64_MAX

/* ---- Models ---- */

/* Where the bytes of a value lie. */
typedef struct munja_nn_location {
  uint32_t pool;
  uint32_t offset;
  uint32_t length;
} munja_nn_location;

typedef struct munja_nn_operand {
  size_t struct_size;
  int32_t type;     /* munja_nn_operand_type, or an extension's. */
  int32_t lifetime; /* munja_nn_lifetime. */
  /* Tensors only. 0: dynamic dimension; rank 0: not even the rank is known. */
  uint32_t rank;
  const uint32_t* dimensions;
  uint32_t consumers; /* How often operations name it as an input. */
  float scale;
  int32_t zero_point;
  munja_nn_location location; /* All 0 but for constants and subgraphs. */
  /* MUNJA_NN_TENSOR_QUANT8_SYMM_PER_CHANNEL only: one scale for each channel
   * along this dimension. */
  uint32_t channel_dimension;
  uint32_t channel_scale_count;
  const float* channel_scales;
  /* Extension types only: bytes that only the extension understands. */
  const void* extension_data;
  size_t extension_bytes;
} munja_nn_operand;

typedef struct munja_nn_operation {
  size_t struct_size;
  int32_t type; /* munja_nn_operation_type, or an extension's. */
  uint32_t input_count;
  const uint32_t* inputs; /* Operands of the same subgraph. */
  uint32_t output_count;
  const uint32_t* outputs;
} munja_nn_operation;

typedef struct munja_nn_subgraph {
  size_t struct_size;
  const munja_nn_operand* operands;
  uint32_t operand_count;
  uint32_t operation_count;
  const munja_nn_operation* operations; /* In an order they can run in. */
  const uint32_t* inputs;
  const uint32_t* outputs;
  uint32_t input_count;
  uint32_t output_count;
} munja_nn_subgraph;

/* Memory that both sides see, or (token not 0) a driver's own buffer. */
typedef struct munja_nn_memory {
  size_t struct_size;
  /* Mapped for the side that reads this; NULL with a token. Those of a model
   * are only read; they stay mapped as long as what was prepared from it. */
  void* data;
  uint64_t bytes;
  /* The same bytes as a file, from `offset` on, for devices that map it
   * themselves; -1: there is none. The giver's: duplicated to be kept. */
  int32_t fd;
  uint32_t token; /* munja_nn_buffer's; in requests only. */
  uint64_t offset;
} munja_nn_memory;

typedef struct munja_nn_extension_prefix {
  size_t struct_size;
  const char* name; /* "com.example.fibonacci" */
  uint16_t prefix;  /* Not 0. */
} munja_nn_extension_prefix;

typedef struct munja_nn_model {
  size_t struct_size;
  /* [0] is the main one; IF and WHILE name the others, from 0 for [1] on. */
  const munja_nn_subgraph* subgraphs;
  uint32_t subgraph_count;
  uint32_t pool_count;
  const void* operand_values;
  uint64_t operand_value_bytes;
  const munja_nn_memory* pools;
  const munja_nn_extension_prefix* extensions;
  uint32_t extension_count;
  /* Not 0: float32 may be computed with the range and precision of float16. */
  int32_t is_relaxed;
} munja_nn_model;

/* ---- Properties of a device ---- */

/* Relative to the framework's CPU path: 0.5 takes half as long. Above 0. */
typedef struct munja_nn_performance {
  float time;
  float power;
} munja_nn_performance;

typedef struct munja_nn_operand_performance {
  size_t struct_size;
  int32_t type;
  munja_nn_performance performance;
} munja_nn_operand_performance;

typedef struct munja_nn_capabilities {
  size_t struct_size;
  munja_nn_performance relaxed_scalar; /* float32 where is_relaxed. */
  munja_nn_performance relaxed_tensor;
  /* By type, each at most once, none for MUNJA_NN_SUBGRAPH. A missing type
   * counts as infinitely slow. */
  const munja_nn_operand_performance* operands;
  uint32_t operand_count;
  munja_nn_performance if_performance; /* Without the branches. */
  munja_nn_performance while_performance;
} munja_nn_capabilities;

typedef struct munja_nn_extension_type {
  size_t struct_size;
  uint16_t type;
  uint16_t is_tensor;
  uint32_t element_bytes;
} munja_nn_extension_type;

typedef struct munja_nn_extension {
  size_t struct_size;
  const char* name;
  const munja_nn_extension_type* types; /* Types of operands. */
  uint32_t type_count;
} munja_nn_extension;

/* ---- Requests ---- */

typedef struct munja_nn_argument {
  size_t struct_size;
  int32_t has_no_value; /* Not 0: an omitted input; the rest is 0. */
  uint32_t rank;        /* 0: as in the model. */
  const uint32_t* dimensions;
  munja_nn_location location; /* Offset and length 0 in a driver's buffer. */
} munja_nn_argument;

typedef struct munja_nn_request {
  size_t struct_size;
  const munja_nn_argument* inputs;
  const munja_nn_argument* outputs;
  uint32_t input_count;
  uint32_t output_count;
  const munja_nn_memory* pools;
  uint32_t pool_count;
} munja_nn_request;

typedef struct munja_nn_execution_options {
  size_t struct_size;
  int32_t measure; /* Not 0: report the duration. */
  /* Nanoseconds of CLOCK_MONOTONIC; 0: none. A hint: a request that cannot make
   * it may end with MUNJA_NN_MISSED_DEADLINE_*. */
  uint64_t deadline_ns;
  /* For each WHILE; 0: the default; at most MUNJA_NN_MAX_LOOP_TIMEOUT_NS. */
  uint64_t loop_timeout_ns;
} munja_nn_execution_options;

/* Microseconds; MUNJA_NN_NO_TIME where not requested, unknown, or after a
 * failure. */
typedef struct munja_nn_timing {
  uint64_t on_device;
  uint64_t in_driver; /* Not less than on_device. */
} munja_nn_timing;

typedef struct munja_nn_output_shape {
  size_t struct_size;
  int32_t is_sufficient; /* 0: the output's memory is too small. */
  uint32_t rank;
  const uint32_t* dimensions; /* 0 where not known. */
} munja_nn_output_shape;

typedef struct munja_nn_result {
  size_t struct_size;
  int32_t status;
  /* All outputs or none. Outputs come only with MUNJA_NN_NONE (where they may
   * be omitted if the request had all their shapes) and
   * MUNJA_NN_OUTPUT_INSUFFICIENT_SIZE. */
  uint32_t output_count;
  const munja_nn_output_shape* outputs;
  munja_nn_timing timing;
} munja_nn_result;

/* Called exactly once for a request, whatever happens, by any thread, maybe
 * before the function that received it returns. It must not wait for work of
 * the same device. */
typedef void (*munja_nn_executed)(void* user, const munja_nn_result* result);

/* ---- Objects of a driver ---- */

/* Memory of a device (1.3). Requests and copy_from write it, requests and
 * copy_to read it; a failed write leaves nothing to read. */
typedef struct munja_nn_buffer {
  size_t struct_size;
  void* self;     /* The driver's; the first argument of all functions. */
  uint32_t token; /* Not 0; no other buffer of the device has it. */
  /* Required. `memory` has exactly the size of the value. */
  int32_t (*copy_to)(void* self, const munja_nn_memory* memory);
  int32_t (*copy_from)(void* self, const munja_nn_memory* memory,
                       const uint32_t* dimensions, uint32_t rank);
  void (*release)(void* self);
} munja_nn_buffer;

/* For many requests of one model, one after the other (1.2). */
typedef struct munja_nn_burst {
  size_t struct_size;
  void* self;
  /* Required. As munja_nn_prepared_model's. `slots` has an integer for each of
   * the request's pools: the driver may keep what it made of a pool under it
   * until forget(); -1: nothing is kept. */
  int32_t (*execute)(void* self, const munja_nn_request* request,
                     const int32_t* slots,
                     const munja_nn_execution_options* options,
                     munja_nn_executed executed, void* user);
  void (*forget)(void* self, int32_t slot); /* An unknown slot: no effect. */
  void (*release)(void* self);
} munja_nn_burst;

/* The outcome of a fenced request. Before its fence is signalled:
 * MUNJA_NN_GENERAL_FAILURE. Else the request's status. */
typedef struct munja_nn_fence_info {
  size_t struct_size;
  void* self;
  /* Required. `launched`: since execute_fenced was called; `fenced`: since all
   * the fences that it waited for were signalled. */
  int32_t (*query)(void* self, munja_nn_timing* launched,
                   munja_nn_timing* fenced);
  void (*release)(void* self);
} munja_nn_fence_info;

/* A fence is an eventfd that is never read: 0 while pending; 1 is written when
 * its work is done, UINT64_MAX - 1 when that failed. poll() for POLLIN |
 * POLLOUT reports POLLOUT alone while pending, both when done, POLLIN alone
 * when failed.
 */
#define MUNJA_NN_FENCE_DONE UINT64_C(1)
#define MUNJA_NN_FENCE_FAILED (UINT64_MAX - 1)

typedef struct munja_nn_prepared_model {
  size_t struct_size;
  void* self;
  /* Required. Checks the request, runs it, calls `executed`, and returns the
   * same status. */
  int32_t (*execute)(void* self, const munja_nn_request* request,
                     const munja_nn_execution_options* options,
                     munja_nn_executed executed, void* user);
  /* Checks the request. A wrong one: as execute. Otherwise it is copied as far
   * as needed, MUNJA_NN_NONE is returned, and `executed` is called when the run
   * is over. Pools and what the request points to inside them stay. */
  int32_t (*execute_async)(void* self, const munja_nn_request* request,
                           const munja_nn_execution_options* options,
                           munja_nn_executed executed, void* user);
  /* Waits for fences, runs, signals *fence (-1: done already), which becomes
   * the caller's, as does *info. All outputs must be fully known. duration_ns:
   * as a deadline, from when the fences are signalled on; 0: none. */
  int32_t (*execute_fenced)(void* self, const munja_nn_request* request,
                            const munja_nn_execution_options* options,
                            const int32_t* wait_for, uint32_t wait_count,
                            uint64_t duration_ns, int32_t* fence,
                            munja_nn_fence_info** info);
  int32_t (*create_burst)(void* self, munja_nn_burst** burst);
  void (*release)(void* self); /* Required. */
} munja_nn_prepared_model;

/* Called exactly once, as munja_nn_executed. `prepared` is NULL unless status
 * is MUNJA_NN_NONE; it is the receiver's. */
typedef void (*munja_nn_prepared)(void* user, int32_t status,
                                  munja_nn_prepared_model* prepared);

/* Files for a driver's compiled models, each open for reading and writing, of
 * any length and at any offset. The content of model files must not be trusted
 * before its integrity is checked; data files hold constants. */
typedef struct munja_nn_cache {
  size_t struct_size;
  const int32_t* model_fds; /* As many as the device asks for, or none. */
  const int32_t* data_fds;
  uint32_t model_fd_count;
  uint32_t data_fd_count;
  uint8_t token[MUNJA_NN_CACHE_TOKEN_BYTES]; /* The client's name of it. */
} munja_nn_cache;

typedef struct munja_nn_compilation_options {
  size_t struct_size;
  int32_t preference; /* munja_nn_preference. */
  int32_t priority;   /* munja_nn_priority. */
  uint64_t deadline_ns;
  /* Where to save; NULL: nowhere. Errors there do not make preparing fail. */
  const munja_nn_cache* cache;
} munja_nn_compilation_options;

/* The operand of a model that a buffer is for. */
typedef struct munja_nn_buffer_role {
  size_t struct_size;
  uint32_t model;  /* Index into the prepared models of the call. */
  uint32_t index;  /* Index of an input, or output, of the model. */
  float frequency; /* How often, above 0 and up to 1. */
} munja_nn_buffer_role;

typedef struct munja_nn_buffer_description {
  size_t struct_size;
  uint32_t rank; /* 0: as the roles say. */
  const uint32_t* dimensions;
  munja_nn_prepared_model* const* models;
  uint32_t model_count;
  uint32_t input_role_count;
  const munja_nn_buffer_role* input_roles;
  const munja_nn_buffer_role* output_roles;
  uint32_t output_role_count;
} munja_nn_buffer_description;

/* Its texts and arrays are valid as long as the device, and never change. */
typedef struct munja_nn_device {
  size_t struct_size;
  void* self;
  const char* name;           /* "vendor-device": one '-' in between. */
  const char* version_string; /* Not empty; another for every build. */
  int32_t type;               /* munja_nn_device_type. */
  int32_t hal_version;        /* munja_nn_version. */
  const munja_nn_capabilities* capabilities; /* Required. */
  const munja_nn_extension* extensions;
  uint32_t extension_count;
  /* Files for each prepared model; both 0: nothing is ever saved. */
  uint32_t model_cache_files;
  uint32_t data_cache_files;
  int32_t (*status)(void* self); /* munja_nn_device_status. NULL: available. */
  /* Required. supported[i] becomes 1 where operation i of the main subgraph
   * will surely be prepared and run, else 0. MUNJA_NN_INVALID_ARGUMENT: not a
   * valid model. */
  int32_t (*supported_operations)(void* self, const munja_nn_model* model,
                                  uint8_t* supported);
  /* Required. A wrong model: `prepared` is called at once with the status that
   * is returned. Otherwise it is prepared, here or in the background. */
  int32_t (*prepare)(void* self, const munja_nn_model* model,
                     const munja_nn_compilation_options* options,
                     munja_nn_prepared prepared, void* user);
  /* Files that this device did not save under this token give
   * MUNJA_NN_GENERAL_FAILURE and do no harm. */
  int32_t (*prepare_from_cache)(void* self, uint64_t deadline_ns,
                                const munja_nn_cache* cache,
                                munja_nn_prepared prepared, void* user);
  int32_t (*allocate)(void* self,
                      const munja_nn_buffer_description* description,
                      munja_nn_buffer** buffer);
  /* Resources that can be made again later (scratch memory, clocks held high)
   * are no longer needed for now. */
  void (*idle)(void* self);
  void (*release)(void* self); /* Required. */
} munja_nn_device;

/* ---- A driver's library ---- */

typedef enum munja_nn_severity MUNJA_ANY_INT {
  MUNJA_NN_LOG_VERBOSE = -1,
  MUNJA_NN_LOG_INFO = 0,
  MUNJA_NN_LOG_WARNING = 1,
  MUNJA_NN_LOG_ERROR = 2
} munja_nn_severity;

/* The framework's functions for a driver; they outlive all of its devices. */
typedef struct munja_nn_host {
  size_t struct_size;
  void* self;
  /* A line without its end. Any thread. May be NULL. */
  void (*log)(void* self, int32_t severity, const char* line);
} munja_nn_host;

typedef struct munja_nn_driver {
  size_t struct_size;
  int32_t abi; /* MUNJA_DRIVER_ABI. */
  uint32_t device_count;
  void* self;
  /* Required. Device `index`; each is opened at most once at a time. */
  int32_t (*open)(void* self, uint32_t index, munja_nn_device** device);
} munja_nn_driver;

/* The one function of a driver's library, "munja_driver_entry". Its result is
 * valid as long as the library is open; NULL: it cannot serve this framework,
 * and the log says why. Called once. */
typedef const munja_nn_driver* (*munja_driver_entry_function)(
    const munja_nn_host* host);
#define MUNJA_DRIVER_ENTRY "munja_driver_entry"

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_DRIVER_H_ */
