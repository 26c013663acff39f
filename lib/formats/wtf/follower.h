// Keeps track of where in a wtf-trace each record is.
#pragma once

#include "ada/trace/wtf/decoder.h"
#include "ada/trace/wtf/timeline.h"

#include <optional>

namespace ada::formats {

/// Follows zones and scopes, and passes each record on with its meaning there.
class WtfFollower : public wtf::Visitor {
public:
  WtfFollower() : timeline_(items_) {}

  void onHeader(const wtf::FileHeader &header) final { takeHeader(header); }
  void onRecord(const wtf::Record &record) final {
    items_.last.reset();
    timeline_.onRecord(record);
    // If there is no item, the record is about types or zones.
    const std::optional<wtf::Item> &item = items_.last;
    takeRecord(record, item ? std::optional(item->kind) : std::nullopt, item ? item->depth : 0,
               timeline_.currentZone());
  }
  void onWarning(const Warning &warning) final { takeWarning(warning); }
  /// Call after the last record. Takes the scopes that are still open.
  void finish() {
    items_.follower = this;
    timeline_.finish();
    for (const Warning &warning : items_.warnings)
      takeWarning(warning);
  }

protected:
  virtual void takeHeader(const wtf::FileHeader &) {}
  virtual void takeRecord(const wtf::Record &record, std::optional<wtf::ItemKind> kind, size_t depth,
                          const wtf::Zone &zone) = 0;
  virtual void takeUnclosed(const wtf::Item &) {}
  /// The decoder's warnings come as they arise, the timeline's with finish().
  virtual void takeWarning(const Warning &) {}

private:
  struct Items : wtf::TimelineVisitor {
    void onItem(const wtf::Item &item) override {
      if (follower)
        follower->takeUnclosed(item);
      else
        last = item;
    }
    void onWarning(const Warning &warning) override { warnings.push_back(warning); }
    std::optional<wtf::Item> last;
    std::vector<Warning> warnings;
    WtfFollower *follower = nullptr; // set at the end
  } items_;

protected:
  wtf::Timeline timeline_;
};

} // namespace ada::formats
