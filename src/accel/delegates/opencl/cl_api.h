// The functions of OpenCL, loaded on first use: nothing links with it.
#ifndef MUNJA_DELEGATES_OPENCL_CL_API_H_
#define MUNJA_DELEGATES_OPENCL_CL_API_H_

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>

#include <string>

#include "base/status.h"

namespace munja::delegates::opencl {

#define MUNJA_CL_FUNCTIONS(F)  \
  F(clGetPlatformIDs)          \
  F(clGetPlatformInfo)         \
  F(clGetDeviceIDs)            \
  F(clGetDeviceInfo)           \
  F(clCreateContext)           \
  F(clCreateCommandQueue)      \
  F(clCreateBuffer)            \
  F(clReleaseMemObject)        \
  F(clCreateProgramWithSource) \
  F(clCreateProgramWithBinary) \
  F(clBuildProgram)            \
  F(clGetProgramInfo)          \
  F(clGetProgramBuildInfo)     \
  F(clReleaseProgram)          \
  F(clCreateKernel)            \
  F(clReleaseKernel)           \
  F(clSetKernelArg)            \
  F(clGetKernelWorkGroupInfo)  \
  F(clEnqueueNDRangeKernel)    \
  F(clEnqueueReadBuffer)       \
  F(clEnqueueWriteBuffer)      \
  F(clFlush)                   \
  F(clFinish)                  \
  F(clReleaseEvent)            \
  F(clGetEventProfilingInfo)

struct ClApi {
  // NOLINTNEXTLINE(bugprone-macro-parentheses): a member's name.
#define MUNJA_CL_MEMBER(name) decltype(&::name) name = nullptr;
  MUNJA_CL_FUNCTIONS(MUNJA_CL_MEMBER)
#undef MUNJA_CL_MEMBER
};

// The system's library, which stays open. kUnavailable names what was tried.
Result<const ClApi*> OpenCl();

// "CL_OUT_OF_RESOURCES (-5)".
std::string ClErrorName(cl_int error);
// kOutOfMemory for those that say so, else kUnavailable; ok for CL_SUCCESS.
Status ClStatus(cl_int error, const char* function);

}  // namespace munja::delegates::opencl

#endif  // MUNJA_DELEGATES_OPENCL_CL_API_H_
