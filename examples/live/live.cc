// Prints what happens to the text of a stream: images that are its frames, ten
// a second.
//
//   live_frames frame1.jpg frame2.jpg ...
//   0.0  new    1  BAKERY NORTHWIND
//   ...
#include <cstdio>
#include <string>
#include <vector>

#include "munja/live.hpp"
#include "munja/munja.hpp"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: live_frames IMAGE...\n", stderr);
    return 2;
  }
  const auto fail = [](const std::string& message) {
    std::fprintf(stderr, "live_frames: %s\n", message.c_str());
    return 1;
  };
  const auto print = [](const std::vector<munja::LiveEvent>& events) {
    for (const munja::LiveEvent& e : events)
      std::printf("%.1f  %-9s %llu  %s\n", e.time, munja::LiveKindName(e.kind),
                  static_cast<unsigned long long>(e.id), e.text.c_str());
  };
  munja::Result<munja::Engine> engine = munja::Engine::Create();
  if (!engine.ok()) return fail(engine.message());
  munja::Result<munja::Live> live = munja::Live::Create(*engine);
  if (!live.ok()) return fail(live.message());
  for (int i = 1; i < argc; ++i) {
    const munja::Result<munja::Image> frame = munja::Image::Load(argv[i]);
    if (!frame.ok()) return fail(frame.message());
    // A frame of another size starts the stream anew, and an event says so.
    const auto events = live->Step(*frame, 0.1 * (i - 1));
    if (!events.ok()) return fail(events.message());
    print(*events);
  }
  const auto last = live->Finish();
  if (!last.ok()) return fail(last.message());
  print(*last);
  return 0;
}
