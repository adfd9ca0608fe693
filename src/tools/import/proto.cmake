# munja_import_proto(FOLDER FILE): protoc writes the reader of our own FOLDER/FILE.proto into the
# build tree; tests write models with the same messages.
function(munja_import_proto folder file)
  set(from ${CMAKE_CURRENT_SOURCE_DIR}/import/${folder})
  set(to ${CMAKE_CURRENT_BINARY_DIR}/import_${folder})
  file(MAKE_DIRECTORY ${to})
  add_custom_command(
    OUTPUT ${to}/${file}.pb.cc ${to}/${file}.pb.h
    COMMAND protobuf::protoc --cpp_out=${to} -I ${from} ${from}/${file}.proto
    DEPENDS ${from}/${file}.proto VERBATIM)
  add_custom_target(munja_import_${file} DEPENDS ${to}/${file}.pb.cc ${to}/${file}.pb.h)
  add_dependencies(munja_generated munja_import_${file})
  add_dependencies(munja_import munja_import_${file})
  set_source_files_properties(${to}/${file}.pb.cc PROPERTIES COMPILE_OPTIONS "-w")
  target_sources(munja_import PRIVATE ${to}/${file}.pb.cc ${to}/${file}.pb.h)
  target_include_directories(munja_import SYSTEM PRIVATE ${to})
  if(TARGET munja_import_test)
    target_include_directories(munja_import_test SYSTEM PRIVATE ${to})
  endif()
endfunction()

munja_import_proto(onnx onnx)
munja_import_proto(paddle framework)
