// Reads a viewer's index.
#include "viewer_index.h"

#include "trace/base/file_bytes.h"
#include "trace/base/read_all.h"
#include "trace/base/safe_file.h"
#include "trace/base/try.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

namespace ada::view {

namespace {

Error bad(const std::string &why) {
  return {.code = "E_BAD_INDEX", .message = "the viewer's index " + why + "; it is rebuilt"};
}

bool getBlocks(IndexCursor &from, std::vector<IndexBlock> &blocks, uint64_t fileBytes) {
  const uint64_t count = from.number();
  if (count > from.left())
    return false;
  IndexBlock block;
  blocks.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    block.offset += from.difference();
    block.bytes = from.number();
    block.count = from.number();
    block.first += from.difference();
    block.last += from.difference();
    block.crc = static_cast<uint32_t>(from.number());
    if (block.offset > fileBytes || block.bytes > fileBytes - block.offset || block.count > block.bytes)
      return false;
    blocks.push_back(block);
  }
  return from.isGood();
}

// Adjusts the blocks so that ends never decrease from the first to the last, and begins never increase from the last to
// the first. This shows a search where to start and end. Items are written soon after they end, so hardly any block is
// read for nothing.
void makeSearchable(std::vector<IndexBlock> &blocks) {
  for (size_t i = 1; i < blocks.size(); ++i)
    blocks[i].last = std::max(blocks[i].last, blocks[i - 1].last);
  for (size_t i = blocks.size(); i-- > 1;)
    blocks[i - 1].first = std::min(blocks[i - 1].first, blocks[i].first);
}

} // namespace

Expected<std::shared_ptr<const ViewerIndex>> ViewerIndex::open(const std::string &path, uint64_t madeOf,
                                                               const analysis::TraceTable &table,
                                                               FunctionList &functions) {
  auto file = ADA_TRY(openWithoutLinks(path, O_RDONLY));
  return open(std::move(file), madeOf, table, functions);
}

Expected<std::shared_ptr<const ViewerIndex>>
ViewerIndex::open(FileDescriptor file, uint64_t madeOf, const analysis::TraceTable &table, FunctionList &functions) {
  std::shared_ptr<ViewerIndex> index(new ViewerIndex);
  index->file_ = std::move(file);
  struct stat info;
  if (::fstat(index->file_.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return bad("is not a file");
  index->bytes_ = static_cast<uint64_t>(info.st_size);
  IndexHeader header;
  if (index->bytes_ < sizeof header ||
      ::pread(index->file_.get(), &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header))
    return bad("is cut");
  const uint32_t crc = std::exchange(header.headerCrc, 0);
  if (std::memcmp(header.magic, kIndexMagic, sizeof header.magic) != 0 || header.version != kIndexVersion)
    return bad("has another version");
  if (crc != indexCrc(std::as_bytes(std::span(&header, 1))))
    return bad("is damaged");
  if (header.madeOf != madeOf)
    return bad("belongs to another trace, or to an earlier state of it");
  const auto directory = ADA_TRY(index->read(header.directoryOffset, header.directoryBytes, header.directoryCrc));
  if (!index->readDirectory(directory, table, functions))
    return bad("does not match the trace");
  return std::shared_ptr<const ViewerIndex>(std::move(index));
}

Expected<std::vector<std::byte>> ViewerIndex::read(uint64_t offset, uint64_t bytes, uint32_t crc) const {
  if (offset > bytes_ || bytes > bytes_ - offset)
    return bad("is cut");
  std::vector<std::byte> block(bytes);
  if (readAllAt(file_.get(), block.data(), bytes, offset) != static_cast<ssize_t>(bytes))
    return bad("can't be read");
  if (indexCrc(block) != crc)
    return bad("is damaged");
  return block;
}

bool ViewerIndex::readDirectory(std::span<const std::byte> bytes, const analysis::TraceTable &table,
                                FunctionList &functions) {
  IndexCursor from(bytes);
  const uint64_t count = from.number();
  for (uint64_t i = 0; i < count && from.isGood(); ++i) {
    model::Function function;
    function.id = from.number();
    function.name = from.text();
    function.displayName = from.text();
    function.file = from.text();
    function.line = from.number();
    function.isExternal = from.number() != 0;
    const uint64_t kind = from.number();
    if (kind > static_cast<uint64_t>(SymbolKind::FlowEnd))
      return false;
    function.kind = static_cast<SymbolKind>(kind);
    if (from.isGood())
      numbers_.push_back(functions.numberOf(function));
  }
  if (from.number() != table.threads.size())
    return false;
  for (const model::Thread &known : table.threads) {
    IndexThread &thread = threads_.emplace_back();
    thread.events = from.number();
    thread.cellNs = std::max<uint64_t>(from.number(), 1);
    thread.maxDepth = static_cast<uint32_t>(from.number());
    const uint64_t levels = from.number();
    if (!from.isGood() || thread.events != known.extent->events || levels > 64)
      return false;
    for (uint64_t i = 0; i < levels; ++i) {
      IndexThread::Level &level = thread.levels.emplace_back();
      if (!getBlocks(from, level.calls, bytes_) || !getBlocks(from, level.boxes, bytes_))
        return false;
      makeSearchable(level.calls);
      makeSearchable(level.boxes);
    }
    std::vector<IndexBlock> totals;
    if (!getBlocks(from, thread.places, bytes_) || !getBlocks(from, totals, bytes_) || totals.size() != 1)
      return false;
    thread.totals = totals[0];
  }
  return from.isGood() && from.isAtEnd();
}

//===--- items ------------------------------------------------------------===//

template <class Use>
Expected<void> ViewerIndex::readItems(const std::vector<IndexBlock> &blocks, uint64_t fromNs, uint64_t toNs,
                                      Use &&use) const {
  auto block = std::ranges::lower_bound(blocks, fromNs, {}, &IndexBlock::last);
  for (; block != blocks.end() && block->first < toNs; ++block) {
    const auto bytes = ADA_TRY(read(block->offset, block->bytes, block->crc));
    IndexCursor from(bytes);
    ItemCoder coder;
    for (uint64_t i = 0; i < block->count && from.isGood(); ++i) {
      IndexCall call = coder.get(from);
      if (call.item.beginNs >= toNs || call.item.endNs < fromNs)
        continue;
      call.item.function = numberOf(call.item.function);
      use(call);
    }
    if (!from.isGood())
      return bad("is damaged");
  }
  return {};
}

static uint64_t cellOf(const IndexThread &thread, size_t level) {
  uint64_t cell = thread.cellNs;
  for (size_t i = 0; i < level; ++i)
    cell *= kLevelFactor;
  return cell;
}

// The highest level whose cell is no longer than `ns`; 0 if there is none.
static size_t levelFor(const IndexThread &thread, uint64_t ns) {
  size_t level = 0;
  while (level + 1 < thread.levels.size() && cellOf(thread, level + 1) <= ns)
    ++level;
  return level;
}

Expected<std::vector<Item>> ViewerIndex::items(uint32_t number, uint64_t fromNs, uint64_t toNs,
                                               uint64_t pixelNs) const {
  const IndexThread &thread = threads_[number];
  std::vector<Item> items;
  const auto use = [&](const IndexCall &call) { items.push_back(call.item); };
  const size_t level = levelFor(thread, pixelNs);
  for (size_t i = level; i < thread.levels.size(); ++i)
    ADA_TRY(readItems(thread.levels[i].calls, fromNs, toNs, use));
  if (level < thread.levels.size())
    ADA_TRY(readItems(thread.levels[level].boxes, fromNs, toNs, use));
  std::ranges::sort(items, {}, [](const Item &item) { return std::tuple(item.depth, item.beginNs, item.endNs); });
  return items;
}

Expected<std::vector<IndexCall>> ViewerIndex::calls(uint32_t number, uint64_t fromNs, uint64_t toNs,
                                                    uint64_t minNs) const {
  const IndexThread &thread = threads_[number];
  std::vector<IndexCall> calls;
  for (size_t i = levelFor(thread, minNs); i < thread.levels.size(); ++i)
    if (const auto done = readItems(thread.levels[i].calls, fromNs, toNs,
                                    [&](const IndexCall &call) {
                                      if (call.item.endNs - call.item.beginNs >= minNs)
                                        calls.push_back(call);
                                    });
        !done)
      return done.error();
  return calls;
}

Expected<void> ViewerIndex::addTotals(uint32_t number, std::vector<FunctionTotals> &totals) const {
  const IndexBlock &block = threads_[number].totals;
  const auto bytes = ADA_TRY(read(block.offset, block.bytes, block.crc));
  IndexCursor from(bytes);
  for (uint64_t i = 0; i < block.count; ++i) {
    const uint32_t function = numberOf(static_cast<uint32_t>(from.number()));
    FunctionTotals one;
    if (!one.get(from))
      return bad("is damaged");
    if (function >= totals.size())
      totals.resize(function + size_t{1});
    totals[function].merge(one);
  }
  return {};
}

//===--- places -----------------------------------------------------------===//

// The last place of a block before the first one for which `isBehind` holds, or the block's first place.
template <class IsBehind>
Expected<ReadingPlace> ViewerIndex::findPlace(const std::vector<IndexBlock> &blocks, size_t number,
                                              IsBehind &&isBehind) const {
  const IndexBlock &block = blocks[number];
  const auto bytes = ADA_TRY(read(block.offset, block.bytes, block.crc));
  IndexCursor from(bytes);
  ReadingPlace found;
  for (uint64_t i = 0; i < block.count; ++i) {
    ReadingPlace place;
    place.sourceKnowsOpen = false;
    place.seq = block.first + from.number();
    place.timeNs = block.last + from.difference();
    const uint64_t depth = from.number();
    if (depth > from.left())
      return bad("is damaged");
    OpenCall call;
    for (uint64_t k = 0; k < depth; ++k) {
      OpenCall next;
      next.function = static_cast<uint32_t>(from.number());
      next.beginNs = call.beginNs + from.difference();
      next.seq = call.seq + from.difference();
      call = next;
      place.open.push_back(call);
      place.open.back().function = numberOf(call.function);
    }
    if (!from.isGood())
      return bad("is damaged");
    if (i > 0 && isBehind(place))
      break;
    if (place.seq == 0) // the source knows what was open before the thread's first event
      place.open.clear(), place.sourceKnowsOpen = true;
    found = std::move(place);
  }
  return found;
}

Expected<ReadingPlace> ViewerIndex::placeBefore(uint32_t thread, uint64_t ns) const {
  const std::vector<IndexBlock> &blocks = threads_[thread].places;
  if (blocks.empty())
    return ReadingPlace{.open = {}};
  const auto next = std::ranges::partition_point(blocks, [&](const IndexBlock &block) { return block.last < ns; });
  const auto at = static_cast<size_t>(next == blocks.begin() ? 0 : next - blocks.begin() - 1);
  return findPlace(blocks, at, [&](const ReadingPlace &place) { return place.timeNs >= ns; });
}

Expected<ReadingPlace> ViewerIndex::placeOf(uint32_t thread, uint64_t seq) const {
  const std::vector<IndexBlock> &blocks = threads_[thread].places;
  if (blocks.empty())
    return ReadingPlace{.open = {}};
  const auto next = std::ranges::partition_point(blocks, [&](const IndexBlock &block) { return block.first <= seq; });
  const auto at = static_cast<size_t>(next == blocks.begin() ? 0 : next - blocks.begin() - 1);
  return findPlace(blocks, at, [&](const ReadingPlace &place) { return place.seq > seq; });
}

} // namespace ada::view
