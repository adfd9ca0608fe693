/* One engine, one session, many threads; and children that fork() makes.
 * Arguments: what to try ("engine", "session", "fork"), and for "session" a
 * model of one ADD. Needs nothing but the model built into the library. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "munja/ocr.h"
#include "munja/runtime.h"

static int failures = 0;
static pthread_mutex_t failures_mutex = PTHREAD_MUTEX_INITIALIZER;

#define EXPECT(condition)                                                   \
  do {                                                                      \
    if (!(condition)) {                                                     \
      fprintf(stderr, "%s:%d: %s does not hold (%s)\n", __FILE__, __LINE__, \
              #condition, munja_last_error());                              \
      pthread_mutex_lock(&failures_mutex);                                  \
      ++failures;                                                           \
      pthread_mutex_unlock(&failures_mutex);                                \
    }                                                                       \
  } while (0)

/* Letters, five columns of seven bits each. */
static const struct {
  char letter;
  unsigned char columns[5];
} font[] = {{'T', {0x01, 0x01, 0x7f, 0x01, 0x01}},
            {'O', {0x3e, 0x41, 0x41, 0x41, 0x3e}},
            {'A', {0x7e, 0x11, 0x11, 0x11, 0x7e}},
            {'L', {0x7f, 0x40, 0x40, 0x40, 0x40}},
            {'E', {0x7f, 0x49, 0x49, 0x49, 0x41}},
            {'H', {0x7f, 0x08, 0x08, 0x08, 0x7f}},
            {'2', {0x42, 0x61, 0x51, 0x49, 0x46}},
            {'4', {0x18, 0x14, 0x12, 0x7f, 0x10}},
            {'7', {0x01, 0x71, 0x09, 0x05, 0x03}}};

enum { kWidth = 480, kHeight = 320, kScale = 5 };

static void Draw(unsigned char* pixels, const char* text, int x0, int y0) {
  for (; *text != 0; ++text, x0 += 7 * kScale) {
    for (size_t f = 0; f < sizeof font / sizeof *font; ++f) {
      if (font[f].letter != *text) continue;
      for (int y = 0; y < 7 * kScale; ++y)
        for (int x = 0; x < 5 * kScale; ++x)
          if (font[f].columns[x / kScale] >> (y / kScale) & 1)
            memset(pixels + ((size_t)(y0 + y) * kWidth + x0 + x) * 3, 20, 3);
    }
  }
}

static munja_image* Page(void) {
  unsigned char* pixels = malloc((size_t)kWidth * kHeight * 3);
  munja_image* image = NULL;
  if (pixels == NULL) return NULL;
  memset(pixels, 245, (size_t)kWidth * kHeight * 3);
  Draw(pixels, "TOTAL 42", 40, 40);
  Draw(pixels, "HOTEL", 90, 140);
  Draw(pixels, "LATE 7247", 40, 240);
  EXPECT(munja_image_from_rgb(pixels, kWidth, kHeight, (size_t)kWidth * 3,
                              &image) == MUNJA_OK);
  free(pixels);
  return image;
}

static munja_engine* Engine(int threads) {
  munja_engine_options options;
  munja_engine* engine = NULL;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.threads = threads;
  EXPECT(munja_engine_create(&options, &engine) == MUNJA_OK);
  return engine;
}

/* NULL after a failure; munja_free(). */
static char* Read(munja_engine* engine, const munja_image* image) {
  munja_document* document = NULL;
  char* text = NULL;
  EXPECT(munja_engine_read(engine, image, NULL, &document) == MUNJA_OK);
  if (document != NULL)
    EXPECT(munja_document_to_text(document, &text) == MUNJA_OK);
  munja_document_free(document);
  return text;
}

static munja_engine* shared_engine;
static const munja_image* page;
static const char* expected;
static int keeps_going = 0; /* Until this thread is gone. */

static int ReadsRight(munja_engine* engine) {
  char* text = Read(engine, page);
  const int is_right = text != NULL && strcmp(text, expected) == 0;
  munja_free(text);
  return is_right;
}

static void* ReadOften(void* number) {
  char name[32];
  snprintf(name, sizeof name, "no-such-file-%d", *(const int*)number);
  for (int i = 0; i < 6; ++i) {
    munja_image* none = NULL;
    EXPECT(munja_image_load(name, NULL, &none) == MUNJA_NOT_FOUND);
    EXPECT(ReadsRight(shared_engine));
    /* The error is this thread's, whatever the others did meanwhile. */
    EXPECT(strstr(munja_last_error(), name) != NULL);
  }
  return NULL;
}

enum { kCallers = 4 };

static void Threads(void* (*run)(void*)) {
  pthread_t threads[kCallers];
  int numbers[kCallers];
  for (int i = 0; i < kCallers; ++i) {
    numbers[i] = i;
    EXPECT(pthread_create(&threads[i], NULL, run, &numbers[i]) == 0);
  }
  for (int i = 0; i < kCallers; ++i) pthread_join(threads[i], NULL);
}

static void TryEngine(void) {
  for (int threads = 1; threads <= 3; threads += 2) {
    char* settings = NULL;
    shared_engine = Engine(threads);
    Threads(ReadOften);
    EXPECT(ReadsRight(shared_engine));
    EXPECT(munja_engine_settings(shared_engine, &settings) == MUNJA_OK);
    munja_free(settings);
    munja_engine_free(shared_engine);
  }
}

/* -- Sessions -- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_running = 0, may_end = 0;

static munja_status SlowAdd(void* node, munja_op_context* context) {
  munja_tensor in, out;
  (void)node;
  if (munja_op_input(context, 0, &in) != MUNJA_OK ||
      munja_op_output(context, 0, &out) != MUNJA_OK)
    return MUNJA_INTERNAL;
  for (size_t i = 0; i < in.bytes / sizeof(float); ++i)
    ((float*)out.data)[i] = 2 * ((const float*)in.data)[i];
  pthread_mutex_lock(&mutex);
  is_running = 1;
  pthread_cond_broadcast(&changed);
  while (!may_end) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return MUNJA_OK;
}

static float numbers[2] = {1, 2};

static munja_tensor Input(void) {
  munja_tensor tensor;
  memset(&tensor, 0, sizeof tensor);
  tensor.type = MUNJA_TYPE_FLOAT32;
  tensor.rank = 1;
  tensor.dims[0] = 2;
  tensor.data = numbers;
  tensor.bytes = sizeof numbers;
  return tensor;
}

static void* RunSession(void* session) {
  const munja_tensor input = Input();
  EXPECT(munja_session_run(session, &input, 1) == MUNJA_OK);
  return NULL;
}

#define EXPECT_IN_USE(call)                                                 \
  do {                                                                      \
    EXPECT((call) == MUNJA_INVALID_ARGUMENT);                               \
    EXPECT(strstr(munja_last_error(), "in use by another thread") != NULL); \
  } while (0)

static void TrySession(const char* path) {
  const char* const name = "x";
  munja_network* model = NULL;
  munja_resolver* resolver = NULL;
  munja_session* session = NULL;
  munja_session* other = NULL;
  munja_session_options options;
  munja_operator add;
  munja_tensor input = Input(), output;
  munja_tensor_info info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  munja_node_profile row;
  memset(&row, 0, sizeof row);
  row.struct_size = sizeof row;
  munja_memory_use memory;
  int32_t index;
  pthread_t runner;

  memset(&add, 0, sizeof add);
  add.struct_size = sizeof add;
  add.name = "ADD";
  add.is_builtin = 1;
  add.eval = SlowAdd;
  EXPECT(munja_resolver_create(&resolver) == MUNJA_OK);
  EXPECT(munja_resolver_add(resolver, &add) == MUNJA_OK);
  EXPECT(munja_network_load(path, &model) == MUNJA_OK);
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.resolver = resolver;
  options.profile = 1;
  EXPECT(munja_session_create(model, &options, &session) == MUNJA_OK);
  EXPECT(pthread_create(&runner, NULL, RunSession, session) == 0);
  pthread_mutex_lock(&mutex);
  while (!is_running) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);

  /* In the middle of the run. */
  EXPECT_IN_USE(munja_session_run(session, &input, 1));
  EXPECT_IN_USE(munja_session_run_named(session, &name, &input, 1));
  EXPECT_IN_USE(munja_session_plan(session, &input, 1));
  EXPECT_IN_USE(munja_session_output_tensor(session, 0, &output));
  EXPECT_IN_USE(munja_session_reset_variables(session));
  EXPECT_IN_USE(munja_session_profile_row(session, 0, &row));
  memory.struct_size = sizeof memory;
  EXPECT_IN_USE(munja_session_memory(session, &memory));
  EXPECT(munja_session_profile(session) == 0);
  munja_session_profile_reset(session);
  /* These questions are allowed at any time. */
  EXPECT(munja_session_input_count(session) == 1);
  EXPECT(munja_session_input_info(session, 0, &info) == MUNJA_OK);
  EXPECT(munja_session_output_info(session, 0, &info) == MUNJA_OK);
  EXPECT(munja_session_find_input(session, "x", &index) == MUNJA_OK);
  EXPECT(munja_session_fork(session, 1, &other) == MUNJA_OK);

  pthread_mutex_lock(&mutex);
  may_end = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  pthread_join(runner, NULL);

  EXPECT(munja_session_output_tensor(session, 0, &output) == MUNJA_OK);
  EXPECT(output.bytes == sizeof numbers && ((float*)output.data)[1] == 4);
  EXPECT(munja_session_profile(session) == 1);
  EXPECT(munja_session_profile_row(session, 0, &row) == MUNJA_OK);
  EXPECT(row.type == MUNJA_TYPE_FLOAT32);
  EXPECT(row.runs == 1);
  EXPECT(munja_session_run(session, &input, 1) == MUNJA_OK);
  EXPECT(munja_session_run(other, &input, 1) == MUNJA_OK);
  munja_session_free(other);
  munja_session_free(session);
  munja_network_free(model);
  munja_resolver_free(resolver);
}

/* -- Children -- */

/* The allocator of AddressSanitizer has locks that a child cannot open when
 * another thread of its parent had one: there children are made while no other
 * thread works. */
#if defined(__SANITIZE_ADDRESS__)
enum { kReaders = 0 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { kReaders = 0 };
#else
enum { kReaders = 2 };
#endif
#else
enum { kReaders = 2 };
#endif

static void ExpectInChild(int (*run)(void)) {
  int status = 0;
  const pid_t child = fork();
  EXPECT(child >= 0);
  if (child == 0) {
    alarm(300); /* One that hangs does not outlive the test. */
    failures = 0;
    _exit(run() && failures == 0 ? 0 : 1);
  }
  EXPECT(waitpid(child, &status, 0) == child);
  EXPECT(!WIFSIGNALED(status));
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static int ReadAndFree(void) {
  int is_right = ReadsRight(shared_engine) && ReadsRight(shared_engine);
  munja_engine_free(shared_engine);
  shared_engine = Engine(2);
  is_right = is_right && ReadsRight(shared_engine);
  munja_engine_free(shared_engine);
  return is_right;
}

static int ReadWithThreads(void) {
  Threads(ReadOften);
  return ReadAndFree();
}

static int FreeAtOnce(void) {
  munja_engine_free(shared_engine);
  return 1;
}

static void* ReadOnAndOn(void* unused) {
  (void)unused;
  for (;;) {
    int goes_on;
    pthread_mutex_lock(&mutex);
    goes_on = keeps_going;
    is_running = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    if (!goes_on) return NULL;
    EXPECT(ReadsRight(shared_engine));
  }
}

static void TryFork(void) {
  for (int threads = 1; threads <= 2; ++threads) {
    pthread_t readers[kReaders + 1];
    shared_engine = Engine(threads);
    /* Before its first read, and after. */
    ExpectInChild(ReadAndFree);
    EXPECT(ReadsRight(shared_engine));
    ExpectInChild(ReadAndFree);
    ExpectInChild(FreeAtOnce);
    /* While other threads read. */
    keeps_going = 1;
    is_running = kReaders == 0;
    for (int i = 0; i < kReaders; ++i)
      EXPECT(pthread_create(&readers[i], NULL, ReadOnAndOn, NULL) == 0);
    pthread_mutex_lock(&mutex);
    while (!is_running) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 5; ++i) {
      ExpectInChild(i % 2 == 0 ? ReadAndFree : FreeAtOnce);
      EXPECT(ReadsRight(shared_engine));
    }
    ExpectInChild(ReadWithThreads);
    pthread_mutex_lock(&mutex);
    keeps_going = 0;
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < kReaders; ++i) pthread_join(readers[i], NULL);
    EXPECT(ReadsRight(shared_engine));
    munja_engine_free(shared_engine);
  }
}

int main(int count, char** arguments) {
  const char* const what = count > 1 ? arguments[1] : "";
  if (strcmp(what, "session") == 0 && count > 2) {
    TrySession(arguments[2]);
  } else {
    munja_image* image = Page();
    munja_engine* engine = Engine(1);
    char* text = NULL;
    page = image;
    if (image != NULL && engine != NULL) text = Read(engine, image);
    expected = text != NULL ? text : "";
    EXPECT(strstr(expected, "HOTEL") != NULL);
    munja_engine_free(engine);
    if (strcmp(what, "engine") == 0)
      TryEngine();
    else if (strcmp(what, "fork") == 0)
      TryFork();
    else
      EXPECT(!"an argument that says what to try");
    munja_free(text);
    munja_image_free(image);
  }
  return failures != 0;
}
