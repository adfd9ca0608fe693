/* Tasks of one operator, which run one after the other. */
#ifndef MUNJA_TFLITE_KERNELS_CPU_BACKEND_THREADPOOL_H_
#define MUNJA_TFLITE_KERNELS_CPU_BACKEND_THREADPOOL_H_

#include <atomic> /* IWYU pragma: export; operators rely on it */

#include "tensorflow/lite/kernels/cpu_backend_context.h"

namespace tflite {
namespace cpu_backend_threadpool {

struct Task {
  virtual ~Task() = default;
  virtual void Run() = 0;
};

// TaskType: a Task.
template <class TaskType>
void Execute(int tasks_count, TaskType* tasks, CpuBackendContext* context) {
  (void)context;
  for (int i = 0; i < tasks_count; ++i) tasks[i].Run();
}

}  // namespace cpu_backend_threadpool
}  // namespace tflite

#endif /* MUNJA_TFLITE_KERNELS_CPU_BACKEND_THREADPOOL_H_ */
