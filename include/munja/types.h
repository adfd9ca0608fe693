/* What every header of Munja shares: status codes, errors, versions, tensors.
 *
 * Rules that hold for the whole interface:
 *  - Every function that can fail returns a munja_status; munja_last_error()
 *    then says what went wrong, in a sentence for people, for this thread.
 *  - Out parameters are written on success only.
 *  - An object that a function creates is freed with the function named at its
 *    declaration, text and bytes with munja_free(). Freeing NULL does nothing.
 *  - A struct with `struct_size` is set to {sizeof(the struct)} before use:
 *    zero means "the default" in every other field, and a library that knows
 *    more fields than the caller takes the defaults for them.
 *  - Text is UTF-8, zero-terminated.
 *  - Different objects may be used by different threads at once, also when one
 *    was made from the other. What one thread may do with an object that
 *    others use at the same time:
 *      anything but free it: an engine (munja/ocr.h);
 *      read it, that is call what takes it as const: models, images,
 *      documents, resolvers, delegates, arrays, evaluations;
 *      not use it: all others, and what is changed. For sessions this is seen
 *      and answered with MUNJA_INVALID_ARGUMENT (munja/runtime.h).
 *    An object is freed by one thread, after the last use by any.
 *  - A child that fork() made may use all objects that no other thread of its
 *    parent was using at the time of the fork, free them, and make new ones:
 *    threads are started anew there. The engine is usable whoever used it; a
 *    session that was in use stays so for ever, and freeing it does nothing.
 *    This does not hold for objects that use delegates of others, which may
 *    have threads and devices that do not outlive a fork; nor may a callback
 *    fork and return in the child, which must call exec or _exit.
 */
#ifndef MUNJA_TYPES_H_
#define MUNJA_TYPES_H_

#include <stddef.h>
#include <stdint.h>

#define MUNJA_VERSION_MAJOR 0
#define MUNJA_VERSION_MINOR 1
#define MUNJA_VERSION_PATCH 0
#define MUNJA_VERSION_TEXT "0.1.0"

#if defined(__GNUC__)
#define MUNJA_API __attribute__((visibility("default")))
#else
#define MUNJA_API
#endif

/* After the name of an enumeration. Those of C hold any int, which may be one
 * without a name here: of a newer caller, or by mistake. In C++ no such value
 * could even be looked at otherwise. */
#ifdef __cplusplus
#define MUNJA_ANY_INT : int
#else
#define MUNJA_ANY_INT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Chosen by what the caller should do about it. Numbers never change. */
typedef enum munja_status MUNJA_ANY_INT {
  MUNJA_OK = 0,
  MUNJA_INVALID_ARGUMENT = 1, /* The call itself is wrong. */
  MUNJA_MALFORMED = 2,        /* Bytes from outside are not what they claim. */
  MUNJA_UNSUPPORTED = 3,      /* Well formed, but not implemented here. */
  MUNJA_OUT_OF_MEMORY = 4,    /* No memory, or a stated limit was passed. */
  MUNJA_IO = 5,               /* The system refused to read or write. */
  MUNJA_NOT_FOUND = 6,        /* A file, tensor or model does not exist. */
  MUNJA_UNAVAILABLE = 7,      /* A server or an optional part is absent. */
  MUNJA_CANCELLED = 8,        /* A callback asked to stop. */
  MUNJA_INTERNAL = 9,         /* A bug in this library. */
  MUNJA_TIMED_OUT = 10,       /* A stated limit of time was passed. */
  MUNJA_NEEDS_VALUES = 11     /* Only a run, which has the values, can tell. */
} munja_status;

/* "ok", "malformed", ... Never NULL. */
MUNJA_API const char* munja_status_name(munja_status status);

/* What went wrong in the last call of this thread that failed; "" before any.
 * Valid until the next failure in this thread. */
MUNJA_API const char* munja_last_error(void);

/* "0.1.0": of the library, which may be newer than the header. */
MUNJA_API const char* munja_version(void);

/* Frees text and bytes that the library handed out. */
MUNJA_API void munja_free(void* memory);

/* What the convolutions and matrix products of a float32 model multiply. */
typedef enum munja_precision MUNJA_ANY_INT {
  MUNJA_PRECISION_FLOAT32 = 0,
  /* 16-bit floats where the processor multiplies them faster, float32 where it
   * does not: see munja_reduced_precision_name(). Results differ a little from
   * those of float32, and from one processor's format to another's. */
  MUNJA_PRECISION_REDUCED = 1,
  /* Of engines alone, whose bundle has its networks in two precisions: pages
   * are read with integers, and only doubtful lines again in float32. */
  MUNJA_PRECISION_AUTO = 2,
  /* float32, and convolutions are summed up product by product. Otherwise those
   * of 3x3 weights and many channels are computed by Winograd's algorithm with
   * a quarter of the products, whose results differ from these by some
   * millionths of the largest one. */
  MUNJA_PRECISION_DIRECT = 3,
  /* Of engines alone: MUNJA_PRECISION_AUTO where the bundle has its networks in
   * two precisions and no delegate is given, else MUNJA_PRECISION_FLOAT32. What
   * `munja read` and api::Engine use unless told otherwise. */
  MUNJA_PRECISION_BUNDLE = 4
} munja_precision;

/* The 16-bit floats that MUNJA_PRECISION_REDUCED means on this processor:
 * "bf16", "fp16"; "" when it has none, and float32 is used instead. */
MUNJA_API const char* munja_reduced_precision_name(void);

/* Values equal those of the .tflite format. */
typedef enum munja_element_type MUNJA_ANY_INT {
  MUNJA_FLOAT32 = 0,
  MUNJA_FLOAT16 = 1,
  MUNJA_INT32 = 2,
  MUNJA_UINT8 = 3,
  MUNJA_INT64 = 4,
  MUNJA_STRING = 5,
  MUNJA_BOOL = 6,
  MUNJA_INT16 = 7,
  MUNJA_COMPLEX64 = 8,
  MUNJA_INT8 = 9,
  MUNJA_FLOAT64 = 10,
  MUNJA_COMPLEX128 = 11,
  MUNJA_UINT64 = 12,
  MUNJA_RESOURCE = 13,
  MUNJA_VARIANT = 14,
  MUNJA_UINT32 = 15,
  MUNJA_UINT16 = 16,
  MUNJA_INT4 = 17, /* Two to a byte, the first in the low half. */
  MUNJA_BFLOAT16 = 18
} munja_element_type;

/* "float32", ... Never NULL. */
MUNJA_API const char* munja_element_type_name(munja_element_type type);

#define MUNJA_MAX_RANK 8

/* Dense row-major data of somebody else.
 *
 * The bytes of MUNJA_STRING are those of the .tflite format, in the byte order
 * of the machine: int32 count; count + 1 int32 offsets from the start of the
 * bytes, the last one where everything ends; then the characters, without
 * zeros between them. munja_strings_pack() makes them, munja_string_at() reads
 * them. */
typedef struct munja_tensor {
  munja_element_type type;
  int32_t rank;
  int32_t dims[MUNJA_MAX_RANK];
  void* data;
  size_t bytes;
} munja_tensor;

/* The bytes of a tensor of `count` strings, for munja_free(). `lengths` may be
 * NULL: the texts are then zero-terminated. */
MUNJA_API munja_status munja_strings_pack(const char* const* texts,
                                          const size_t* lengths, size_t count,
                                          void** bytes, size_t* size);
/* String `index` of a tensor, not zero-terminated, in the tensor's memory. All
 * bytes are checked: MUNJA_MALFORMED. */
MUNJA_API munja_status munja_string_at(const munja_tensor* tensor, size_t index,
                                       const char** text, size_t* length);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_TYPES_H_ */
