# schema/schema_generated.h for programs written for TensorFlow Lite; nothing here includes it.
set(schema ${PROJECT_BINARY_DIR}/generated/public_schema)
add_custom_command(OUTPUT ${schema}/tensorflow/lite/schema/schema_generated.h
  COMMAND ${CMAKE_COMMAND} -E env FLATC=${MUNJA_FLATC} ${PROJECT_SOURCE_DIR}/tools/generate-schema-header ${schema}
  COMMAND ${CMAKE_COMMAND} -E touch ${schema}/tensorflow/lite/schema/schema_generated.h
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/generate-schema-header ${PROJECT_SOURCE_DIR}/src/core/tflite/public_schema.fbs.in
          ${PROJECT_SOURCE_DIR}/src/core/tflite/operators.def ${PROJECT_SOURCE_DIR}/src/core/tflite/options.def VERBATIM)
add_custom_target(munja_public_schema DEPENDS ${schema}/tensorflow/lite/schema/schema_generated.h)
add_dependencies(munja_shared_tflite munja_public_schema)
if(TARGET munja_shared_tools)
  add_dependencies(munja_shared_tools munja_public_schema)
endif()
