// Collects events until there are enough for a TraceSink::events().
#include "model/convert/batch_builder.h"

#include <cstring>

namespace ada::model {

std::string_view BatchBuilder::copy(std::string_view text) {
  if (text.empty())
    return {};
  if (blockUsed + text.size() > blockSize) {
    blockSize = std::max<std::size_t>(text.size(), 64 * 1024);
    blocks.push_back(std::make_unique_for_overwrite<char[]>(blockSize));
    blockUsed = 0;
  }
  char *place = blocks.back().get() + blockUsed;
  std::memcpy(place, text.data(), text.size());
  blockUsed += text.size();
  copied += text.size();
  return {place, text.size()};
}

bool BatchBuilder::addDetail(Detail detail, bool copyPayload) {
  Event &event = events.back();
  if (event.details == 0xFF)
    return false;
  if (event.details++ == 0)
    event.extra = static_cast<std::uint32_t>(details.size());
  if (copyPayload) {
    std::string_view bytes =
        copy({reinterpret_cast<const char *>(detail.payload.data()),
              detail.payload.size()});
    detail.payload = std::as_bytes(std::span(bytes));
  }
  details.push_back(detail);
  return true;
}

void BatchBuilder::flush() {
  if (state && !events.empty())
    state = sink.events({events, texts, details});
  events.clear();
  texts.clear();
  details.clear();
  // One block is kept, so that most batches allocate nothing.
  if (blocks.size() > 1 || blockSize > 64 * 1024) {
    blocks.clear();
    blockSize = 0;
  }
  blockUsed = copied = 0;
}

} // namespace ada::model
