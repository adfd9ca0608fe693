# protoc writes the reader of our own onnx.proto into the build tree.
set(onnx_proto_dir ${CMAKE_CURRENT_BINARY_DIR}/import_onnx)
file(MAKE_DIRECTORY ${onnx_proto_dir})
add_custom_command(
  OUTPUT ${onnx_proto_dir}/onnx.pb.cc ${onnx_proto_dir}/onnx.pb.h
  COMMAND protobuf::protoc --cpp_out=${onnx_proto_dir} -I ${CMAKE_CURRENT_LIST_DIR}
          ${CMAKE_CURRENT_LIST_DIR}/onnx.proto
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/onnx.proto VERBATIM)
set_source_files_properties(${onnx_proto_dir}/onnx.pb.cc PROPERTIES COMPILE_OPTIONS "-w")
target_sources(munja_import PRIVATE ${onnx_proto_dir}/onnx.pb.cc ${onnx_proto_dir}/onnx.pb.h)
target_include_directories(munja_import SYSTEM PRIVATE ${onnx_proto_dir})
if(TARGET munja_import_test)
  # Tests write models with the same messages.
  target_include_directories(munja_import_test SYSTEM PRIVATE ${onnx_proto_dir})
endif()
