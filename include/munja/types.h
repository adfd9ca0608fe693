/* Shared by all headers of Munja: status codes, errors, versions, tensors.
 *
 * Rules that hold for the whole interface:
 *  - Every function that can fail returns a munja_status; munja_last_error()
 *    then says what went wrong, in a sentence for people, for this thread.
 *    Calls with options also fill their munja_error, which belongs to the call.
 *  - Out parameters are written on success only.
 *  - An object that a function creates is freed with the function named at its
 *    declaration, text and bytes with munja_free(). Freeing NULL does nothing.
 *  - A struct with `struct_size` is set to {sizeof(the struct)} before use:
 *    zero means "the default" in every other field. A library that knows
 *    more fields than the caller takes the defaults for them; one that knows
 *    fewer refuses nonzero values in the fields that it does not know
 *    (MUNJA_UNSUPPORTED). Where 0 is a value of its own, a field "has_..."
 *    says that it was set.
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
 *    threads are started anew there. The engine is usable even if it was in
 *    use; a session that was in use remains unusable; freeing it is a no-op.
 *    Objects that use external delegates are excepted: their threads and
 *    devices may not survive a fork. A callback that forks must call exec or
 *    _exit in the child.
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

/* Fixes the underlying type of enumerations in C++, so that values without a
 * name, which a newer caller may pass, are representable. */
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

/* The message of the last call of this thread that failed; "" before any.
 * Valid until the next failure in this thread. */
MUNJA_API const char* munja_last_error(void);

/* The failure of one call, for callers whose threads change between a call and
 * the look at its error: the options of calls that can take long have a pointer
 * to one. The caller owns it; it is written on failure only. */
typedef struct munja_error {
  size_t struct_size;
  munja_status status;
  char message[1000]; /* Zero-terminated; a longer message is cut. */
} munja_error;

/* "0.1.0": of the library, which may be newer than the header. */
MUNJA_API const char* munja_version(void);

/* Frees text and bytes that the library handed out. */
MUNJA_API void munja_free(void* memory);

/* The number format of convolutions and matrix products of float32 networks. */
typedef enum munja_precision MUNJA_ANY_INT {
  MUNJA_PRECISION_DEFAULT = 0, /* Sessions: FLOAT32. Engines: MIXED where the
                                  model has integer networks and no delegate
                                  is given, else FLOAT32. */
  MUNJA_PRECISION_FLOAT32 = 1,
  /* bf16 or fp16 where the processor multiplies them faster, else float32: see
   * munja_float16_name(). Results differ slightly from those of float32, and
   * between the two formats. */
  MUNJA_PRECISION_FLOAT16 = 2,
  /* Engines only: pages are read with the integer networks of the model, and
   * only low-confidence lines again with the float32 ones. */
  MUNJA_PRECISION_MIXED = 3
} munja_precision;

/* The format that MUNJA_PRECISION_FLOAT16 means on this processor: "bf16" or
 * "fp16"; "" where it has neither and float32 is used. */
MUNJA_API const char* munja_float16_name(void);

/* Values equal those of the .tflite format. */
typedef enum munja_element_type MUNJA_ANY_INT {
  MUNJA_TYPE_FLOAT32 = 0,
  MUNJA_TYPE_FLOAT16 = 1,
  MUNJA_TYPE_INT32 = 2,
  MUNJA_TYPE_UINT8 = 3,
  MUNJA_TYPE_INT64 = 4,
  MUNJA_TYPE_STRING = 5,
  MUNJA_TYPE_BOOL = 6,
  MUNJA_TYPE_INT16 = 7,
  MUNJA_TYPE_COMPLEX64 = 8,
  MUNJA_TYPE_INT8 = 9,
  MUNJA_TYPE_FLOAT64 = 10,
  MUNJA_TYPE_COMPLEX128 = 11,
  MUNJA_TYPE_UINT64 = 12,
  MUNJA_TYPE_RESOURCE = 13,
  MUNJA_TYPE_VARIANT = 14,
  MUNJA_TYPE_UINT32 = 15,
  MUNJA_TYPE_UINT16 = 16,
  MUNJA_TYPE_INT4 = 17, /* Two to a byte, the first in the low half. */
  MUNJA_TYPE_BFLOAT16 = 18
} munja_element_type;

/* "float32", ... Never NULL. */
MUNJA_API const char* munja_element_type_name(munja_element_type type);

#define MUNJA_MAX_RANK 8

/* A non-owning view of a dense row-major tensor.
 *
 * The bytes of MUNJA_TYPE_STRING are those of the .tflite format, in the byte
 * order of the machine: int32 count; count + 1 int32 offsets from the start of
 * the bytes, the last one where everything ends; then the characters, without
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
