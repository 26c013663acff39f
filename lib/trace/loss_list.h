// Counts what a conversion leaves out, each reason once.
#pragma once

#include "ada/trace/model.h"

#include "trace/base/text.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace ada::model {

class LossList {
public:
  void add(std::string_view what, uint64_t count = 1) {
    if (count == 0)
      return;
    for (Loss &loss : all_)
      if (loss.what == what) {
        loss.count += count;
        return;
      }
    all_.push_back({count, std::string(what)});
  }
  /// Counts the texts that are not UTF-8: JSON can't hold them, so some of their bytes are changed.
  void addChanged(std::initializer_list<std::string_view> texts) {
    for (const std::string_view text : texts)
      add("names and texts with bytes that are not UTF-8: these bytes are changed", !isUtf8(text));
  }
  /// For a thread whose off-CPU times are left out.
  void addOffCpu(const Thread &thread, std::string_view why = "the format has no place for them") {
    if (!thread.offCpu)
      return;
    const auto known = std::ranges::count_if(thread.offCpu->periods(),
                                             [](const OffCpu &off) { return off.why != OffCpu::Why::Unknown; });
    add("off-CPU times: " + std::string(why), static_cast<uint64_t>(known));
  }
  const std::vector<Loss> &list() const noexcept { return all_; }
  void clear() { all_.clear(); }

private:
  std::vector<Loss> all_; // a handful
};

} // namespace ada::model
