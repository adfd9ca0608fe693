/* Arrays in files of NumPy's .npy format. */
#ifndef MUNJA_TOOLS_ARRAY_H_
#define MUNJA_TOOLS_ARRAY_H_

#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct munja_array munja_array;

/* The element types above, little endian, C order. The path may name a pipe. */
MUNJA_API munja_status munja_array_load(const char* path, munja_array** array);
MUNJA_API void munja_array_free(munja_array* array);
/* The data is valid as long as the array. */
MUNJA_API munja_status munja_array_tensor(const munja_array* array,
                                          munja_tensor* tensor);
MUNJA_API munja_status munja_array_save(const char* path,
                                        const munja_tensor* tensor);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_TOOLS_ARRAY_H_ */
