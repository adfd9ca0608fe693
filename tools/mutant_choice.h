// tools/mutants includes this in the sources that it changes: which mutant a
// process has (MUNJA_MUTANT=ID), and, in the file MUNJA_MUTANTS_REACHED with a
// byte a mutant, which mutants it came to.
#pragma once
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int munja_mutant = 0;
static unsigned char* munja_mutants_reached = nullptr;

// Before any other code of the library, initial values of variables included.
__attribute__((constructor(101))) static void MunjaReadMutant() {
  if (const char* id = getenv("MUNJA_MUTANT")) munja_mutant = atoi(id);
  const char* path = getenv("MUNJA_MUTANTS_REACHED");
  const int file = path == nullptr ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  struct stat status;
  if (fstat(file, &status) == 0) {
    void* bytes = mmap(nullptr, static_cast<size_t>(status.st_size),
                       PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes != MAP_FAILED)
      munja_mutants_reached = static_cast<unsigned char*>(bytes);
  }
  close(file);
}

static inline bool MunjaAtMutant(int id) {
  if (munja_mutants_reached != nullptr) munja_mutants_reached[id] = 1;
  return munja_mutant == id;
}
