// Collects events until there are enough for a TraceSink::events().
#include "batch_builder.h"

#include <cstring>

namespace ada::model {

std::string_view BatchBuilder::copy(std::string_view text) {
  if (text.empty())
    return {};
  if (blockUsed_ + text.size() > blockSize_) {
    blockSize_ = std::max<size_t>(text.size(), 64 * 1024);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(blockSize_));
    blockUsed_ = 0;
  }
  char *place = blocks_.back().get() + blockUsed_;
  std::memcpy(place, text.data(), text.size());
  blockUsed_ += text.size();
  copied_ += text.size();
  if (copied_ >= kCopyBytes)
    full_ = 0;
  return {place, text.size()};
}

bool BatchBuilder::addDetail(Event &event, Detail detail, bool copyPayload) {
  if (event.details == 0xFF)
    return false;
  if (event.details++ == 0)
    event.extra = static_cast<uint32_t>(details_.size());
  if (copyPayload) {
    std::string_view bytes = copy({reinterpret_cast<const char *>(detail.payload.data()), detail.payload.size()});
    detail.payload = std::as_bytes(std::span(bytes));
  }
  details_.push_back(detail);
  return true;
}

void BatchBuilder::flush() {
  if (state_ && count_ > 0)
    state_ = sink_.events({{events_.get(), count_}, texts_, details_, nextSeq_});
  nextSeq_ += count_;
  count_ = 0;
  full_ = kEvents;
  texts_.clear();
  details_.clear();
  // One block is kept, so that most batches allocate nothing.
  if (blocks_.size() > 1 || blockSize_ > 64 * 1024) {
    blocks_.clear();
    blockSize_ = 0;
  }
  blockUsed_ = copied_ = 0;
}

} // namespace ada::model
