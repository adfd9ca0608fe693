// Subtitles of the text on screen, from events.
#ifndef MUNJA_CLI_LIVE_CAPTIONS_H_
#define MUNJA_CLI_LIVE_CAPTIONS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "munja/live.hpp"
#include "munja/munja.hpp"

namespace munja::cli {

struct Caption {
  int64_t start_us = 0, end_us = 0;
  std::string text;  // Lines from top to bottom.
};

// Collects when which text was on screen. A reading that was corrected counts
// from the moment its line appeared, and so does one that was written word by
// word; a text of another wording in the same place begins where it was first
// seen.
class Captions {
 public:
  void Add(const munja::LiveEvent& event);
  // Ends the lines that are still on screen, and returns the captions in order
  // of time: one for each stretch in which the text stayed the same. A line is
  // seen until `frame_us`, the time of a frame, behind the last frame with it.
  std::vector<Caption> Finish(int64_t end_us, int64_t frame_us);

 private:
  struct Span {
    int64_t start_us = 0, end_us = 0;
    std::string text;
    bool is_final = false;
    bool is_replaced = false;  // Another text of the line follows at once.
    munja::Polygon outline = {};
  };
  void End(Span span, int64_t end_us);
  // Lines whose text grew become one, which has the whole text.
  void JoinGrown();
  std::map<uint64_t, Span> open_;  // By line.
  std::vector<Span> closed_;
};

// The share of characters that two texts have in common, by edit distance.
double Likeness(const std::string& a, const std::string& b);
// Whether `longer` is the text, further written.
bool GrowsTo(const std::string& text, const std::string& longer);

std::string ToSrt(const std::vector<Caption>& captions);
std::string ToWebVtt(const std::vector<Caption>& captions);

}  // namespace munja::cli

#endif  // MUNJA_CLI_LIVE_CAPTIONS_H_
