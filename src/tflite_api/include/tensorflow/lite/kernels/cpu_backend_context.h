/* The threads that operators may use for themselves: here, the one that calls
 * them. Threads belong to sessions, which split the work of their own kernels.
 */
#ifndef MUNJA_TFLITE_KERNELS_CPU_BACKEND_CONTEXT_H_
#define MUNJA_TFLITE_KERNELS_CPU_BACKEND_CONTEXT_H_

#include "tensorflow/lite/core/c/common.h"

namespace tflite {

class CpuBackendContext final {
 public:
  // Never null.
  static CpuBackendContext* GetFromContext(TfLiteContext* context) {
    (void)context;
    static CpuBackendContext only;
    return &only;
  }
  int max_num_threads() const { return 1; }
  void SetMaxNumThreads(int max_num_threads) { (void)max_num_threads; }
};

}  // namespace tflite

#endif /* MUNJA_TFLITE_KERNELS_CPU_BACKEND_CONTEXT_H_ */
