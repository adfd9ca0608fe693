/* Runs a network of one float input on the values 1, 2 ... and prints its
 * first output. A dynamic dimension gets 3 elements. */
#include <stdio.h>

#include "munja/runtime.h"

int main(int argc, char** argv) {
  munja_network* network = NULL;
  munja_session* session = NULL;
  munja_tensor_info info = {sizeof info};
  munja_tensor input = {MUNJA_TYPE_FLOAT32};
  munja_tensor output;
  float values[64];
  size_t count = 1;
  if (argc != 2) return 2;
  if (munja_network_load(argv[1], &network) != MUNJA_OK ||
      munja_session_create(network, NULL, &session) != MUNJA_OK ||
      munja_session_input_info(session, 0, &info) != MUNJA_OK) {
    fprintf(stderr, "%s\n", munja_last_error());
    return 1;
  }
  input.rank = info.rank;
  for (int i = 0; i < info.rank; ++i) {
    input.dims[i] = info.dims[i] > 0 ? info.dims[i] : 3;
    count *= (size_t)input.dims[i];
  }
  if (count > sizeof values / sizeof values[0]) return 3;
  for (size_t i = 0; i < count; ++i) values[i] = (float)(i + 1);
  input.data = values;
  input.bytes = count * sizeof(float);
  if (munja_session_run(session, &input, 1) != MUNJA_OK ||
      munja_session_output_tensor(session, 0, &output) != MUNJA_OK) {
    fprintf(stderr, "%s\n", munja_last_error());
    return 1;
  }
  for (size_t i = 0; i < output.bytes / sizeof(float); ++i)
    printf("%g\n", ((const float*)output.data)[i]);
  printf("version %s\n", munja_version());
  munja_session_free(session);
  munja_network_free(network);
  return 0;
}
