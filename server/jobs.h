// Jobs: requests whose results are kept until they are fetched or expire.
#ifndef MUNJA_SERVER_JOBS_H_
#define MUNJA_SERVER_JOBS_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/pool.h"

namespace munja::server {

class Jobs {
 public:
  Jobs(const Limits& limits, Pool* pool) : limits_(limits), pool_(*pool) {}

  // The new job's id; "": too many are kept, or the queue is full.
  std::string Add(const std::shared_ptr<Task>& task);
  // Null: there is none of this client.
  std::shared_ptr<Task> Find(const std::string& id,
                             const std::string& client) const;
  void Remove(const std::string& id);
  // Forgets those whose time is over.
  void Sweep();
  size_t count() const;
  // As the interface shows it.
  Json Describe(const std::string& id, Task* task) const;

 private:
  bool IsExpired(Task* task) const;

  const Limits& limits_;
  Pool& pool_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Task>> jobs_;
};

}  // namespace munja::server

#endif  // MUNJA_SERVER_JOBS_H_
