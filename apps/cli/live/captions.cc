#include "cli/live/captions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace munja::cli {
namespace {

// Two texts of one line below this are different captions, not two readings.
constexpr double kSameText = 0.5;
// A text that begins like this with another is that one, further written.
constexpr double kSameBeginning = 0.8;
// Shorter than this, a text that never became final is noise.
constexpr int64_t kShortest = 300'000;
// Lines that appear or leave within this time do so together: two frames.
constexpr int64_t kTogether = 80'000;
// The new text of a line is found at most so long behind the end of the old.
constexpr int64_t kJoined = 300'000;

float TopOf(const munja::Polygon& outline) {
  float sum = 0;
  for (const munja::Point& p : outline) sum += p.y;
  return sum / 4;
}

float LeftOf(const munja::Polygon& outline) {
  float least = outline[0].x;
  for (const munja::Point& p : outline) least = std::min(least, p.x);
  return least;
}

float HeightOf(const munja::Polygon& outline) {
  return std::max(1.F, std::max(outline[3].y, outline[2].y) -
                           std::min(outline[0].y, outline[1].y));
}

// Whether two lines begin at the same point, to half of their height.
bool IsSamePlace(const munja::Polygon& a, const munja::Polygon& b) {
  const float height = HeightOf(a);
  return std::abs(TopOf(a) - TopOf(b)) < height / 2 &&
         std::abs(LeftOf(a) - LeftOf(b)) < height / 2;
}

std::string TimeText(int64_t us, char point) {
  const int64_t ms = std::max<int64_t>(0, (us + 500) / 1000);
  char text[40];
  std::snprintf(text, sizeof text, "%02lld:%02lld:%02lld%c%03lld",
                static_cast<long long>(ms / 3'600'000),
                static_cast<long long>(ms / 60'000 % 60),
                static_cast<long long>(ms / 1000 % 60), point,
                static_cast<long long>(ms % 1000));
  return text;
}

int64_t Microseconds(double seconds) {
  return static_cast<int64_t>(std::llround(seconds * 1e6));
}

// An empty line would end the caption.
std::string WithoutEmptyLines(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c != '\r' && !(c == '\n' && (out.empty() || out.back() == '\n')))
      out += c;
  return out;
}

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

}  // namespace

double Likeness(const std::string& a, const std::string& b) {
  const size_t longest = std::max(a.size(), b.size());
  if (longest == 0) return 1;
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return 1 - static_cast<double>(row.back()) / static_cast<double>(longest);
}

bool GrowsTo(const std::string& text, const std::string& longer) {
  return !text.empty() && text.size() < longer.size() &&
         Likeness(text, longer.substr(0, text.size())) >= kSameBeginning;
}

void Captions::Add(const munja::LiveEvent& event) {
  if (event.id == 0) return;  // The lines of a stream that restarts go first.
  if (event.kind == MUNJA_LIVE_GONE) {
    if (const auto it = open_.find(event.id); it != open_.end()) {
      End(std::move(it->second), Microseconds(event.last_time));
      open_.erase(it);
    }
    return;
  }
  const auto [it, is_new] = open_.try_emplace(event.id);
  Span& span = it->second;
  if (is_new) {
    span.start_us = Microseconds(event.first_time);
  } else if (!event.text.empty() && !span.text.empty() &&
             Likeness(event.text, span.text) < kSameText &&
             !GrowsTo(span.text, event.text)) {
    span.is_replaced = true;
    End(span, Microseconds(event.time));
    span = {};
    span.start_us = Microseconds(event.time);
  }
  // The place at the beginning orders the lines, so that those that move keep
  // their order.
  if (span.text.empty()) span.outline = event.polygon;
  if (!event.text.empty()) span.text = event.text;
  span.is_final |= event.is_final;
}

void Captions::End(Span span, int64_t end_us) {
  span.end_us = end_us;
  if (span.text.empty() || span.end_us <= span.start_us) return;
  closed_.push_back(std::move(span));
}

void Captions::JoinGrown() {
  std::stable_sort(
      closed_.begin(), closed_.end(),
      [](const Span& a, const Span& b) { return a.start_us < b.start_us; });
  // From the last to the first: each takes the beginning of the one before.
  for (size_t i = closed_.size(); i-- > 0;) {
    Span& whole = closed_[i];
    const auto earlier = std::find_if(
        closed_.begin(), closed_.begin() + static_cast<ptrdiff_t>(i),
        [&](const Span& span) {
          return IsSamePlace(span.outline, whole.outline) &&
                 std::abs(span.end_us - whole.start_us) <= kJoined &&
                 GrowsTo(span.text, whole.text);
        });
    if (earlier == closed_.begin() + static_cast<ptrdiff_t>(i)) continue;
    // It moves into the place of its beginning, which is looked at later.
    whole.start_us = earlier->start_us;
    *earlier = std::move(whole);
    closed_.erase(closed_.begin() + static_cast<ptrdiff_t>(i));
  }
}

std::vector<Caption> Captions::Finish(int64_t end_us, int64_t frame_us) {
  for (Span& span : closed_)
    if (!span.is_replaced)
      span.end_us = std::min(span.end_us + frame_us, end_us);
  for (auto& [line, span] : open_) End(std::move(span), end_us);
  open_.clear();
  JoinGrown();
  std::erase_if(closed_, [](const Span& span) {
    return !span.is_final && span.end_us - span.start_us < kShortest;
  });
  std::vector<int64_t> times;
  for (const Span& span : closed_) {
    times.push_back(span.start_us);
    times.push_back(span.end_us);
  }
  std::sort(times.begin(), times.end());
  // Times close to each other become the first of them.
  std::map<int64_t, int64_t> moved;
  std::vector<int64_t> kept;
  for (const int64_t time : times) {
    if (kept.empty() || time - kept.back() > kTogether) kept.push_back(time);
    moved[time] = kept.back();
  }
  std::stable_sort(
      closed_.begin(), closed_.end(),
      [](const Span& a, const Span& b) { return a.start_us < b.start_us; });
  std::vector<Caption> captions;
  for (size_t i = 0; i + 1 < kept.size(); ++i) {
    std::vector<const Span*> shown;
    for (const Span& span : closed_) {
      if (span.start_us > kept[i] + kTogether) break;
      if (moved[span.start_us] <= kept[i] && moved[span.end_us] > kept[i])
        shown.push_back(&span);
    }
    std::stable_sort(shown.begin(), shown.end(),
                     [](const Span* a, const Span* b) {
                       return TopOf(a->outline) < TopOf(b->outline);
                     });
    // Lines in a row are read from left to right.
    for (size_t first = 0; first < shown.size();) {
      size_t last = first + 1;
      while (last < shown.size() &&
             TopOf(shown[last]->outline) - TopOf(shown[first]->outline) <
                 HeightOf(shown[first]->outline) / 2)
        ++last;
      std::stable_sort(shown.begin() + static_cast<std::ptrdiff_t>(first),
                       shown.begin() + static_cast<std::ptrdiff_t>(last),
                       [](const Span* a, const Span* b) {
                         return LeftOf(a->outline) < LeftOf(b->outline);
                       });
      first = last;
    }
    std::string text;
    for (const Span* span : shown)
      text += (text.empty() ? "" : "\n") + span->text;
    if (text.empty()) continue;
    if (!captions.empty() && captions.back().text == text &&
        captions.back().end_us == kept[i])
      captions.back().end_us = kept[i + 1];
    else
      captions.push_back({kept[i], kept[i + 1], text});
  }
  closed_.clear();
  return captions;
}

std::string ToSrt(const std::vector<Caption>& captions) {
  std::string out;
  int number = 0;
  for (const Caption& caption : captions)
    out += std::to_string(++number) + "\n" + TimeText(caption.start_us, ',') +
           " --> " + TimeText(caption.end_us, ',') + "\n" +
           WithoutEmptyLines(caption.text) + "\n\n";
  return out;
}

std::string ToWebVtt(const std::vector<Caption>& captions) {
  std::string out = "WEBVTT\n\n";
  for (const Caption& caption : captions)
    out += TimeText(caption.start_us, '.') + " --> " +
           TimeText(caption.end_us, '.') + "\n" +
           Escaped(WithoutEmptyLines(caption.text)) + "\n\n";
  return out;
}

}  // namespace munja::cli
