// The header for programs that run a model.
#ifndef MUNJA_TFLITE_MODEL_H_
#define MUNJA_TFLITE_MODEL_H_

#include "tensorflow/lite/interpreter_builder.h"
#include "tensorflow/lite/model_builder.h"
// Sources use the accessors of models, and FlatBuffers, without including
// them: here where they were made.
#if __has_include("flatbuffers/flatbuffers.h") && \
                  __has_include("tensorflow/lite/schema/schema_generated.h")
#include "tensorflow/lite/schema/schema_generated.h"
#endif

#endif  // MUNJA_TFLITE_MODEL_H_
