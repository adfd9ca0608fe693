# The delegate takes four nodes and gives the numbers that the CPU gives.
execute_process(COMMAND ${MUNJA} inspect ${MODELS}/network.tflite --partition ${DELEGATE} --why
                OUTPUT_VARIABLE owners RESULT_VARIABLE code)
if(code OR NOT owners MATCHES "delegate +4 of 6 nodes in 2 partitions\n")
  message(FATAL_ERROR "munja inspect: ${code}\n${owners}")
endif()
execute_process(COMMAND ${MUNJA} bench ${MODELS}/network.tflite --runs 2 --op-profile --delegate ${DELEGATE}
                OUTPUT_VARIABLE profile RESULT_VARIABLE code)
if(code OR NOT profile MATCHES "partition of 2 nodes")
  message(FATAL_ERROR "munja bench: ${code}\n${profile}")
endif()
