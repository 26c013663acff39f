// What a viewer draws of a thread.
#include "picture.h"

#include <algorithm>
#include <utility>

namespace ada::view {

void TopFunction::add(uint32_t function, uint64_t ns) {
  Share *least = shares_.data();
  for (uint32_t i = 0; i < size_; ++i) {
    if (shares_[i].function == function) {
      shares_[i].ns += ns;
      return;
    }
    if (shares_[i].ns < least->ns)
      least = &shares_[i];
  }
  if (size_ < shares_.size())
    shares_[size_++] = {function, ns};
  else
    *least = {function, least->ns + ns};
}

void TopFunction::add(const TopFunction &other) {
  for (uint32_t i = 0; i < other.size_; ++i)
    add(other.shares_[i].function, other.shares_[i].ns);
}

uint32_t TopFunction::best() const {
  const Share *most = shares_.data();
  for (uint32_t i = 1; i < size_; ++i)
    if (shares_[i].ns > most->ns)
      most = &shares_[i];
  return most->function;
}

// Times go backwards only in damaged traces.
static void addTo(Item &sum, const Item &item) {
  if (sum.count == 0) {
    sum = item;
    return;
  }
  sum.beginNs = std::min(sum.beginNs, item.beginNs);
  sum.endNs = std::max(sum.endNs, item.endNs);
  sum.count += item.count;
  sum.fillNs += item.fillNs;
}

void Box::add(const Item &from) {
  addTo(item, from);
  functions.add(from.function, from.fillNs);
}

void Box::add(const Box &from) {
  addTo(item, from.item);
  functions.add(from.functions);
}

Item Box::take() {
  Item sum = std::exchange(item, {.count = 0, .kind = ItemKind::Box});
  if (sum.count > 1) {
    sum.kind = ItemKind::Box;
    sum.function = functions.best();
    sum.seq = kNoSeq;
  }
  functions.clear();
  return sum;
}

PictureBuilder::PictureBuilder(uint64_t fromNs, uint64_t toNs, uint64_t pixels, uint32_t depths)
    : fromNs_(fromNs), toNs_(toNs), pixelNs_(std::max<uint64_t>((toNs - fromNs) / std::max<uint64_t>(pixels, 1), 1)),
      depths_(depths) {}

void PictureBuilder::add(const Item &item) {
  if (item.beginNs >= toNs_ || item.endNs < fromNs_ || item.depth >= depths_)
    return;
  if (item.depth >= boxes_.size())
    boxes_.resize(item.depth + size_t{1});
  Box &box = boxes_[item.depth];
  const uint64_t cell = item.beginNs / pixelNs_;
  const bool isWide = item.endNs - item.beginNs >= pixelNs_;
  if (!box.isEmpty() && (isWide || cell != box.cell))
    items_.push_back(box.take());
  if (isWide) {
    items_.push_back(item);
    return;
  }
  box.cell = cell;
  box.add(item);
}

std::vector<Item> PictureBuilder::finish() {
  for (Box &box : boxes_)
    if (!box.isEmpty())
      items_.push_back(box.take());
  boxes_.clear();
  return std::move(items_);
}

} // namespace ada::view
