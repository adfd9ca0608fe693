/* Test cases for drivers of accelerators (munja/driver.h). */
#ifndef MUNJA_TOOLS_DRIVER_TEST_H_
#define MUNJA_TOOLS_DRIVER_TEST_H_

#include "munja/control.h"
#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct munja_driver_test_options {
  size_t struct_size;
  /* The driver under test: "reference", "cpu", or the path of a driver's
   * library (a name with '/' or ending with ".so"), optionally with '#' and the
   * index of a device. NULL: "reference". */
  const char* driver;
  int32_t isolated;       /* Nonzero: in a process of its own. */
  munja_control* control; /* For this call; NULL: see munja/control.h. */
  /* How each case is run, names separated by commas: "sync" (the default),
   * "async", "burst", "fenced", "memory" (from and to device buffers),
   * "dynamic" (output dimensions are known from the run only), "short" (the
   * same, and the first output's memory lacks a byte), "cache", "signed"
   * (unsigned 8-bit values as signed ones); "all": each of these. A case counts
   * once: as passed if it passes in every mode that the driver has, as
   * unsupported if the driver has none of them. MUNJA_INVALID_ARGUMENT names an
   * unknown mode. */
  const char* modes;
  munja_error* error; /* Filled if the call fails; NULL: not wanted. */
} munja_driver_test_options;

/* Runs test cases of operations: models of munja/driver.h with inputs and
 * expected outputs, in files of the format "nnspec-json-1"
 * (docs/explanation/testing.md), plain or compressed by gzip. Directories are
 * searched recursively. *report (JSON, munja_free()): "passed", "failed",
 * "unsupported" (refused by the driver), "operations" (the same three per
 * operation), "driver" (the name of the device), "files", "modes" (per
 * requested mode: "run", the cases run in it, and "lacking", those that the
 * driver could not run in it), "failures" (a list of "file", "case",
 * "operation", "reason") and "problems" (texts: files that could not be read).
 * Failing cases do not make the call fail.
 *
 * MUNJA_NOT_FOUND, MUNJA_IO: a path; MUNJA_MALFORMED: no case was found;
 * MUNJA_UNAVAILABLE: the driver cannot be used. options may be NULL. */
MUNJA_API munja_status
munja_driver_test(const char* const* paths, int32_t path_count,
                  const munja_driver_test_options* options, char** report);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_TOOLS_DRIVER_TEST_H_ */
