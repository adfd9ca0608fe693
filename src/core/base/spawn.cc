#include "base/spawn.h"

#include <signal.h>
#include <unistd.h>

extern char** environ;

namespace munja {

Spawn::Spawn() {
  posix_spawn_file_actions_init(&files_);
  posix_spawnattr_init(&attributes_);
  posix_spawnattr_setpgroup(&attributes_, 0);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes_, &none);
  posix_spawnattr_setsigdefault(&attributes_, &all);
  posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP |
                                             POSIX_SPAWN_SETSIGMASK |
                                             POSIX_SPAWN_SETSIGDEF);
}

Spawn::~Spawn() {
  posix_spawn_file_actions_destroy(&files_);
  posix_spawnattr_destroy(&attributes_);
}

void Spawn::Open(const char* path, int flags, int as) {
  posix_spawn_file_actions_addopen(&files_, as, path, flags, 0);
}

void Spawn::Give(int file, int as) {
  posix_spawn_file_actions_adddup2(&files_, file, as);
}

int Spawn::Start(const std::vector<std::string>& command,
                 [[maybe_unused]] int last_file, pid_t* id) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  posix_spawn_file_actions_addclosefrom_np(&files_, last_file + 1);
#endif
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  return posix_spawnp(id, arguments[0], &files_, &attributes_, arguments.data(),
                      environ);
}

}  // namespace munja
