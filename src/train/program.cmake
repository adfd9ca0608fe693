# munja-train: the training kit's command. Its main() is train_main.cc and catches libtorch's exceptions.
target_include_directories(munja_train SYSTEM PUBLIC ${TORCH_INCLUDE_DIRS})
# Full debug information about libtorch's templates doubles the time to compile.
target_compile_options(munja_train PUBLIC $<$<CONFIG:RelWithDebInfo>:-g1>)
add_executable(munja-train ${CMAKE_CURRENT_SOURCE_DIR}/train/train_main.cc)
munja_warnings(munja-train)
target_link_libraries(munja-train PRIVATE munja_train CLI11::CLI11)
set_target_properties(munja-train PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
install(TARGETS munja-train RUNTIME)
