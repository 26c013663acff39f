// How much of a name is kept that comes with another tool's trace.
//
// Names stay in memory for as long as a trace is open, several times over. A compressed file of some hundred kilobytes
// can hold gigabytes of them.
#pragma once

#include "trace/loss_list.h"

#include <string>
#include <string_view>

namespace ada::formats {

class NameLimit {
public:
  /// Longer than names of C++ and paths are: those of deeply nested templates have some thousand bytes.
  static constexpr size_t kMaxBytes = 8192;
  /// For texts that are kept because later ones refer to them.
  static constexpr size_t kMaxTextBytes = 65536;

  explicit NameLimit(model::LossList &lost) : lost_(lost) {}

  /// The name, or what is kept of a longer one: its beginning, and a number that tells it from others that begin in the
  /// same way. Valid until the next call.
  std::string_view kept(std::string_view name);
  /// The same, and counts what is lost. Call it once for each name that is kept.
  std::string_view take(std::string_view name) {
    lost_.add("ends of names that are longer than 8 KiB", name.size() > kMaxBytes);
    return kept(name);
  }
  void cut(std::string &name) {
    if (name.size() > kMaxBytes)
      name = take(name);
  }
  /// A text without what is beyond its limit, which is counted.
  std::string_view takeText(std::string_view text);

private:
  model::LossList &lost_;
  std::string cut_;
};

} // namespace ada::formats
