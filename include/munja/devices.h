/* Devices: what accelerators there are, and a trace of what they did. */
#ifndef MUNJA_DEVICES_H_
#define MUNJA_DEVICES_H_

#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The devices that the delegates "nn:NAME" and "opencl" can use, as JSON: kind,
 * claimed speed, operations with their types
 * (docs/explanation/accelerators.md, docs/how-to/gpu.md). Opens each, which
 * runs its driver's code: the directories must hold trusted files only.
 * directories: where drivers' libraries are, separated by ':'; NULL or "":
 * $MUNJA_DRIVERS, else the usual places. {} where the library has no
 * accelerators. munja_free(). */
MUNJA_API munja_status munja_devices(const char* directories, char** json);

/* Writes a trace for Perfetto and Chrome to `path`: each operator on the thread
 * that ran it, devices on tracks of their own, of all sessions, engines and
 * delegates created from now on. One file at a time for the whole process.
 * NULL: completes and closes the file; MUNJA_IO: it cannot be written. */
MUNJA_API munja_status munja_trace(const char* path);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_DEVICES_H_ */
