/* Live text: reads the frames of a camera or a video. Lines keep their identity
 * from frame to frame, several readings of a line are combined, and events
 * report what appears, changes and leaves.
 *
 *   void OnEvent(void* user, const munja_live_event* event) { ... }
 *
 *   munja_live_options options = {sizeof options};
 *   options.callback = OnEvent;
 *   munja_live* live = NULL;
 *   munja_live_create(engine, &options, &live);
 *   while (NextFrame(&pixels, &seconds)) munja_live_feed(live, &pixels,
 * seconds); munja_live_finish(live); munja_live_free(live);
 *
 * A frame costs a search for text only if the image changed, is not blurred and
 * does not move fast; a line is read only if it changed or its text is not
 * final. Between readings the boxes follow the image. */
#ifndef MUNJA_LIVE_H_
#define MUNJA_LIVE_H_

#include "munja/control.h"
#include "munja/image.h"
#include "munja/ocr.h"
#include "munja/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A stream of frames. Used by one thread at a time, except that any thread may
 * call munja_live_cancel(), munja_live_boxes() and munja_live_get_statistics()
 * at any moment before munja_live_free(). */
typedef struct munja_live munja_live;

typedef enum munja_live_kind MUNJA_ANY_INT {
  MUNJA_LIVE_NEW = 0,     /* A line appeared; its first text. */
  MUNJA_LIVE_CHANGED = 1, /* Its text is another one. */
  MUNJA_LIVE_MOVED = 2,   /* Its box moved by more than half of its height since
                             the last event of the line. */
  MUNJA_LIVE_FINAL = 3,   /* agree_readings readings agree. The line rests
                             until its image changes; CHANGED may follow then. */
  MUNJA_LIVE_GONE = 4,    /* It left; the last event of this line. */
  /* Events of the stream; they have no line (id 0), and `text` is the reason in
   * a sentence. */
  MUNJA_LIVE_RESTARTED = 5, /* The size of the frames changed, or the time went
                               back or jumped: all lines are gone. */
  MUNJA_LIVE_FAILED = 6 /* Asynchronous: reading a frame failed with `status`;
                           the next frames are read nevertheless. */
} munja_live_kind;

/* Valid during the callback. */
typedef struct munja_live_event {
  size_t struct_size; /* As the library knows it. */
  munja_live_kind kind;
  munja_status status; /* MUNJA_LIVE_FAILED: why; else MUNJA_OK. */
  uint64_t id;         /* The line's, from 1; never used again. */
  double time;         /* Seconds, of the frame that it comes from. */
  double first_time;   /* The first and the last frame with this line. */
  double last_time;
  const char* text; /* UTF-8. Agreed on by the line's readings. */
  float confidence; /* 0 to 1. */
  /* x, y of the four corners in pixels of the upright frame, clockwise from the
   * top left corner of the text, in the frame of `time`. */
  float polygon[8];
  int32_t is_final;
  int32_t readings; /* Readings that the text is made of. */
} munja_live_event;

/* Asynchronous: always called by one thread of the library. Else by the thread
 * that calls munja_live_feed() or munja_live_finish(), before these return. It
 * must not call functions with the same munja_live, except
 * munja_live_cancel(), munja_live_boxes() and munja_live_get_statistics(). */
typedef void (*munja_live_callback)(void* user, const munja_live_event* event);

typedef struct munja_live_options {
  size_t struct_size;
  munja_live_callback callback; /* Required. */
  void* user;
  /* 0: munja_live_feed() returns when the frame has been read, and no frame is
   * dropped: the same frames give the same events. Nonzero: a thread of the
   * library reads; munja_live_feed() moves the boxes and returns. While a frame
   * is read, only the newest of those that come is kept. */
  int32_t asynchronous;
  /* The only part of the frames that is read: left, top, width, height in
   * pixels of the upright frame. All 0: the whole frame. */
  int32_t region[4];
  /* Budgets. Milliseconds that reading one frame may take, and the share of the
   * time that may be spent on reading, 0 to 1. They are kept by a smaller
   * detector input, fewer lines in a frame, and pauses. Without asynchronous
   * they make events depend on the machine, or on `clock`. 0: no limit. */
  double frame_ms;
  double time_share;
  /* Equal readings that make a text final; 0: 3. */
  int32_t agree_readings;
  /* The best readings of a line that are combined; 0: 5, or agree_readings if
   * that is more. At most 50. */
  int32_t best_frames;
  /* Searches that must find a line before MUNJA_LIVE_NEW; 0: 1. */
  int32_t appear_after;
  /* Searches in a row that must miss a line before MUNJA_LIVE_GONE; 0: 2. */
  int32_t leave_after;
  /* Readings below are ignored, 0 to 1. Counts if has_min_confidence is
   * nonzero; otherwise the model's own threshold applies. */
  float min_confidence;
  int32_t has_min_confidence;
  /* Seconds between two frames from which on the stream starts anew; 0: 10. */
  double max_gap;
  /* Seconds of a clock that never goes back, for the budgets and the
   * statistics. NULL: that of the system. Called by the reading thread and by
   * the one that feeds. */
  double (*clock)(void* clock_context);
  void* clock_context;
  munja_error* error; /* Filled if the creation fails; NULL: not wanted. */
} munja_live_options;

/* The engine must outlive it and may serve other calls at the same time.
 * MUNJA_INVALID_ARGUMENT: no callback, a value out of its range. */
MUNJA_API munja_status munja_live_create(munja_engine* engine,
                                         const munja_live_options* options,
                                         munja_live** live);
/* Ends reading and frees it; lines are not reported as gone. Not from a
 * callback. */
MUNJA_API void munja_live_free(munja_live* live);

/* The next frame, in any format and rotation, both of which may change from
 * frame to frame. `time`: seconds, finite, from any origin. A frame of another
 * upright size, one whose time is not later than the last one's, and one more
 * than max_gap later start the stream anew (MUNJA_LIVE_RESTARTED). The pixels
 * are not needed after the call. MUNJA_INVALID_ARGUMENT: pixels or time that
 * cannot be; the frame is ignored. MUNJA_CANCELLED: munja_live_cancel().
 * Without asynchronous also what munja_engine_read() returns; the next frame
 * may be fed nevertheless. Reading has limits of its own, with and without
 * asynchronous: 4 GiB of memory (1 GiB where pointers have 32 bits), and no
 * time; a munja_control of the caller does not count. munja_live_cancel() ends
 * it. */
MUNJA_API munja_status munja_live_feed(munja_live* live,
                                       const munja_pixels* pixels, double time);

/* The end of the stream: waits until the last frame is read, then reports all
 * lines as gone. Another stream may follow. */
MUNJA_API munja_status munja_live_finish(munja_live* live);

/* Forgets all lines without events, and withdraws a cancellation. Waits for a
 * frame that is being read, which gives no events any more. Ids go on. */
MUNJA_API munja_status munja_live_reset(munja_live* live);

/* Reading ends within a tenth of a second, and munja_live_feed() and
 * munja_live_finish() return MUNJA_CANCELLED until munja_live_reset(). May be
 * called by any thread and by the callback. NULL: no effect. */
MUNJA_API void munja_live_cancel(munja_live* live);

/* A line as it is in the newest frame. Its text came with the events. */
typedef struct munja_live_box {
  uint64_t id;
  float polygon[8]; /* As in munja_live_event. */
  float confidence;
  int32_t is_final;
} munja_live_box;

/* The boxes of the lines that were reported, in the newest frame that was fed:
 * writes the first `capacity` to `boxes`, which may be NULL if capacity is 0,
 * and sets *count to their number. Never waits for reading. */
MUNJA_API munja_status munja_live_boxes(munja_live* live, munja_live_box* boxes,
                                        int32_t capacity, int32_t* count);

/* Since munja_live_create(). Each frame that was fed is counted in `frames` and
 * in exactly one of the next five, those still being read excepted. */
typedef struct munja_live_statistics {
  size_t struct_size;
  uint64_t frames;
  uint64_t read;      /* Searched for lines, or lines of it were read. */
  uint64_t unchanged; /* Nothing to do: the same image as before. */
  uint64_t unusable;  /* Blurred, moving fast, or too dark or bright. */
  uint64_t over_budget;
  uint64_t dropped;    /* Asynchronous: came while another was read. */
  uint64_t searches;   /* Runs of the detector. */
  uint64_t lines_read; /* Lines given to the recognizer. */
  uint64_t restarts, failures;
  double gate_ms;      /* In total, each of them. Conversion, change, motion. */
  double search_ms;    /* Detector. */
  double recognize_ms; /* Recognizer. */
  int32_t search_side; /* Pixels of the longer side that the detector got last;
                          0: none yet. */
  int32_t lines;       /* Reported and not gone. */
} munja_live_statistics;

MUNJA_API munja_status
munja_live_get_statistics(munja_live* live, munja_live_statistics* statistics);

#ifdef __cplusplus
}
#endif

#endif /* MUNJA_LIVE_H_ */
