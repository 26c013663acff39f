// The viewer's pictures, with and without an index, against all calls of random traces.
#include "scratch_directory.h"
#include "thorough.h"
#include "view_trace.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sys/stat.h>

namespace ada::view {
namespace {

// Compares a picture with the truth: calls of at least `ns` are shown one by one, and each shorter one is either shown
// or in one box with the right sums.
void expectTrue(const TrueThread &truth, const std::vector<Item> &items, uint64_t fromNs, uint64_t toNs, uint64_t ns,
                uint64_t longestBoxNs) {
  std::map<uint64_t, const TrueCall *> bySeq;
  for (const TrueCall &call : truth.calls)
    bySeq[call.item.seq] = &call;
  std::map<uint32_t, std::vector<Item>> boxes; // by depth
  std::map<uint64_t, bool> isSingle;
  for (const Item &item : items) {
    ASSERT_TRUE(item.beginNs < toNs && item.endNs >= fromNs) << "outside of the range";
    if (item.kind == ItemKind::Box) {
      ASSERT_GT(item.count, 1u);
      ASSERT_LE(item.endNs - item.beginNs, longestBoxNs);
      boxes[item.depth].push_back(item);
      continue;
    }
    ASSERT_TRUE(bySeq.count(item.seq)) << item.seq;
    Item expected = bySeq[item.seq]->item;
    if (expected.kind == ItemKind::Open)
      expected.endNs = item.endNs, expected.fillNs = item.fillNs; // the end of the range
    ASSERT_EQ(item, expected) << "call " << item.seq;
    ASSERT_FALSE(std::exchange(isSingle[item.seq], true)) << "twice: " << item.seq;
  }
  struct Sum {
    uint64_t count = 0, fillNs = 0, beginNs = ~uint64_t{0}, endNs = 0;
    std::map<uint32_t, uint64_t> functions;
  };
  std::map<std::pair<uint32_t, uint64_t>, Sum> sums; // by depth and begin of the box
  for (const TrueCall &call : truth.calls) {
    const Item &item = call.item;
    if (isSingle[item.seq])
      continue;
    const std::vector<Item> &row = boxes[item.depth];
    const auto box = std::ranges::find_if(
        row, [&](const Item &one) { return one.beginNs <= item.beginNs && item.endNs <= one.endNs; });
    if (item.beginNs < toNs && item.endNs >= fromNs) {
      ASSERT_LT(item.fillNs, ns) << "long enough to be seen: " << item.seq;
      ASSERT_TRUE(box != row.end()) << "neither shown nor in a box: " << item.seq;
    }
    if (box == row.end())
      continue;
    Sum &sum = sums[{item.depth, box->beginNs}];
    ++sum.count, sum.fillNs += item.fillNs;
    sum.beginNs = std::min(sum.beginNs, item.beginNs), sum.endNs = std::max(sum.endNs, item.endNs);
    sum.functions[item.function] += item.fillNs;
  }
  for (const auto &[depth, row] : boxes)
    for (const Item &box : row) {
      Sum &sum = sums[{depth, box.beginNs}];
      ASSERT_EQ(box.count, sum.count);
      ASSERT_EQ(box.fillNs, sum.fillNs);
      ASSERT_EQ(box.beginNs, sum.beginNs);
      ASSERT_EQ(box.endNs, sum.endNs);
      ASSERT_TRUE(sum.functions.count(box.function));
    }
}

TEST(ViewIndex, BoxesAndCallsAreThoseOfTheTrace) {
  for (uint64_t seed = 0; seed < test::casesOf(12u, 2u); ++seed) {
    SCOPED_TRACE(seed);
    RandomTrace trace(seed, {.threads = 3, .depths = seed % 2 ? 4u : 40u});
    const auto index = trace.index();
    ASSERT_TRUE(index);
    std::mt19937_64 random(seed);
    for (unsigned i = 0; i < test::casesOf(60u, 24u); ++i) {
      const uint32_t number = i % 3;
      const TrueThread &truth = (*trace.threads)[number];
      const uint64_t first = truth.events.front().timeNs, last = truth.events.back().timeNs + 1;
      uint64_t from = first, to = last;
      if (i > 3) {
        from = first + random() % (last - first);
        to = from + 1 + random() % std::max<uint64_t>((last - from) >> i % 12, 1);
      }
      PictureBuilder builder(from, to, 1 + random() % 300, ~uint32_t{0});
      const auto items = index->items(number, from, to, builder.pixelNs());
      ASSERT_TRUE(items);
      for (const Item &item : *items)
        builder.add(item);
      const uint64_t least = std::max(builder.pixelNs(), index->cellNs(number));
      expectTrue(truth, builder.finish(), from, to, least, 3 * least);
      if (HasFatalFailure())
        return;
    }
  }
}

TEST(ViewIndex, PicturesOfATraceThatIsReadAreExact) {
  for (const uint64_t cutEvents : {0, 300, 4096})
    for (const bool withIndex : {false, true}) {
      SCOPED_TRACE(cutEvents);
      RandomTrace trace(7, {.threads = 1, .events = 30'000}, cutEvents);
      ASSERT_TRUE(!withIndex || trace.index());
      const TrueThread &truth = (*trace.threads)[0];
      const uint64_t first = truth.events.front().timeNs, last = truth.events.back().timeNs;
      std::mt19937_64 random(1);
      for (unsigned i = 0; i < test::casesOf(100u, 6u); ++i) {
        const uint64_t from = i ? first + random() % (last - first) : first;
        const uint64_t to = i ? from + 1 + random() % (last + 1000 - from) : last + 1;
        const auto picture = trace.view->picture({.fromNs = from, .toNs = to, .pixels = 1 + random() % 1000});
        ASSERT_TRUE(picture);
        ASSERT_EQ(picture->from, Picture::From::Events);
        // Without an index, calls open at the entry have no number.
        if (cutEvents && !withIndex)
          continue;
        expectTrue(truth, picture->items, from, to, std::max<uint64_t>(to - from, 1), 2 * (to - from) + 2);
        if (HasFatalFailure())
          return;
        uint32_t depth = 0;
        for (const Item &item : picture->items)
          depth = std::max(depth, item.depth + 1);
        ASSERT_GE(picture->maxDepth, depth);
      }
    }
}

// Enough events that not all of them are read for one picture.
TEST(ViewIndex, LongRangesComeFromTheIndexAndBeforeFromSamples) {
  RandomTrace trace(3, {.threads = 1, .events = 700'000, .depths = 20}, 2048);
  const TrueThread &truth = (*trace.threads)[0];
  const PictureRequest all{.fromNs = truth.events.front().timeNs, .toNs = truth.events.back().timeNs, .pixels = 400};
  const auto sampled = trace.view->picture(all);
  ASSERT_TRUE(sampled);
  EXPECT_EQ(sampled->from, Picture::From::Samples);
  EXPECT_FALSE(sampled->isExact);
  std::map<std::tuple<uint64_t, uint32_t, uint32_t>, uint64_t> ends;
  for (const TrueCall &call : truth.calls)
    ends[{call.item.beginNs, call.item.depth, call.item.function}] = call.item.endNs;
  size_t calls = 0;
  for (const Item &item : sampled->items) {
    if (item.kind == ItemKind::Box)
      continue;
    ++calls;
    const auto call = ends.find({item.beginNs, item.depth, item.function});
    ASSERT_TRUE(call != ends.end()) << "a sample that is not a call";
    EXPECT_GE(item.endNs + 1, std::min(call->second, all.toNs)) << "ends at a place behind the call";
  }
  EXPECT_GT(calls, 20u);

  ASSERT_TRUE(trace.index());
  const auto exact = trace.view->picture(all);
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->from, Picture::From::Index);
  EXPECT_TRUE(exact->isExact);
  const uint64_t pixel = (all.toNs - all.fromNs) / all.pixels;
  expectTrue(truth, exact->items, all.fromNs, all.toNs, pixel, 3 * pixel);
}

TEST(ViewIndex, PlacesHaveTheCallsThatAreOpenThere) {
  RandomTrace trace(5, {.threads = 1, .events = 60'000, .depths = 30});
  const auto index = trace.index();
  ASSERT_TRUE(index);
  const TrueThread &truth = (*trace.threads)[0];
  std::mt19937_64 random(2);
  for (unsigned i = 0; i < 200; ++i) {
    const uint64_t seq = random() % truth.events.size(), ns = truth.events[seq].timeNs;
    const auto place = i % 2 ? index->placeOf(0, seq) : index->placeBefore(0, ns);
    ASSERT_TRUE(place);
    EXPECT_LE(place->seq, seq);
    EXPECT_GE(place->seq + 5000, seq) << "far away";
    if (place->seq == 0)
      continue;
    EXPECT_EQ(place->timeNs, truth.events[place->seq].timeNs);
    std::vector<uint64_t> open, expected;
    for (const OpenCall &call : place->open)
      open.push_back(call.seq);
    for (const TrueCall &call : truth.calls)
      if (call.item.seq < place->seq && call.endSeq >= place->seq)
        expected.push_back(call.item.seq);
    EXPECT_EQ(open, expected);
  }
}

// Ten thousand processes of a program have its functions once, and an index that is read again gives the same numbers.
TEST(ViewIndex, ProcessesShareFunctions) {
  model::Function first = {.process = 1, .id = 7, .name = "f", .displayName = "f()", .file = "a.c", .line = 3};
  model::Function same = first, other = first, library = first, annotation = first;
  same.process = 2, same.index = 9;
  other.file = "b.c", library.isExternal = true, annotation.kind = SymbolKind::Counter;
  FunctionList list;
  std::vector<uint32_t> numbers;
  for (const model::Function &function : {first, same, other, library, annotation})
    numbers.push_back(list.numberOf(function));
  EXPECT_EQ(numbers, (std::vector<uint32_t>{0, 0, 1, 2, 3}));

  RandomTrace trace(5);
  const size_t before = trace.functions.size();
  for (const model::Function &function : {first, other, library, annotation})
    trace.functions.numberOf(function);
  ASSERT_TRUE(trace.index());
  ASSERT_TRUE(trace.index());
  EXPECT_EQ(trace.functions.size(), before + 4);
}

TEST(ViewIndex, ThreadsWithoutEventsAndSingleEvents) {
  for (const size_t events : {0, 1, 2}) {
    RandomTrace trace(1, {.threads = 2, .events = events});
    ASSERT_TRUE(trace.index());
    const auto picture = trace.view->picture({.fromNs = 0, .toNs = 10'000'000, .pixels = 100});
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->items.empty(), events == 0);
  }
}

// Deeper than the index has boxes: the boxes that exist are right, and nothing breaks.
TEST(ViewIndex, VeryDeepCalls) {
  RandomTrace trace(1, {.threads = 1, .events = 60'000, .depths = 50'000});
  ASSERT_TRUE(trace.index());
  const auto picture = trace.view->picture({.fromNs = 0, .toNs = ~uint64_t{0} >> 1, .pixels = 100});
  ASSERT_TRUE(picture);
  EXPECT_GT(picture->items.size(), 0u);
}

//===--- files ------------------------------------------------------------===//

std::string written(RandomTrace &trace, const std::string &path) {
  auto output = IndexOutput::beside(path);
  EXPECT_TRUE(output);
  EXPECT_TRUE(buildIndex(*trace.view, *output, {.madeOf = 1, .workers = 1}));
  EXPECT_TRUE(output->keep());
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ViewIndex, AnythingWrongWithTheFileIsFound) {
  const test::ScratchDirectory scratch;
  const std::string path = scratch.path() + "/view.index";
  RandomTrace trace(4, {.threads = 2, .events = 20'000});
  const std::string good = written(trace, path);
  struct stat info;
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_NE(::stat((path + ".new").c_str(), &info), 0) << "it has its name";
  const auto &table = trace.view->table();
  const auto index = ViewerIndex::open(path, 1, table, trace.functions);
  ASSERT_TRUE(index);
  const uint64_t end = ~uint64_t{0} >> 1;
  const auto items = (*index)->items(0, 0, end, 1000);
  ASSERT_TRUE(items);

  const auto other = ViewerIndex::open(path, 2, table, trace.functions);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, "E_BAD_INDEX");
  RandomTrace longer(4, {.threads = 2, .events = 20'001});
  EXPECT_FALSE(ViewerIndex::open(path, 1, longer.view->table(), longer.functions));

  std::mt19937_64 random(1);
  unsigned found = 0;
  for (unsigned i = 0; i < 400; ++i) {
    std::string bytes = good;
    if (i % 4 == 0)
      bytes.resize(random() % bytes.size());
    else
      bytes[i < 100 ? i % 56 : random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    const std::string bad = scratch.path() + "/bad";
    std::ofstream(bad, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    const auto opened = ViewerIndex::open(bad, 1, table, trace.functions);
    if (!opened) {
      ++found;
      continue;
    }
    const auto read = (*opened)->items(0, 0, end, 1000);
    for (uint32_t thread = 0; thread < 2; ++thread) {
      (void)(*opened)->items(thread, 0, end, 1);
      (void)(*opened)->placeOf(thread, random() % 20'000);
    }
    if (read)
      EXPECT_EQ(*read, *items) << "damage in a part that this picture does not need";
    else
      EXPECT_EQ(read.error().code, "E_BAD_INDEX");
    found += !read;
  }
  EXPECT_GT(found, 150u);
}

// A damaged block is found when it is read; then the picture comes without the index.
TEST(ViewIndex, DamageInTheMiddleIsFoundLater) {
  const test::ScratchDirectory scratch;
  const std::string path = scratch.path() + "/view.index";
  RandomTrace trace(4, {.threads = 1, .events = 300'000}, 1024);
  std::string bytes = written(trace, path);
  for (size_t i = 100; i < bytes.size() / 2; i += 500)
    bytes[i] ^= 1;
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  auto index = ViewerIndex::open(path, 1, trace.view->table(), trace.functions);
  ASSERT_TRUE(index);
  trace.view->setIndex(*index);
  const auto picture =
      trace.view->picture({.fromNs = trace.view->startNs(), .toNs = trace.view->endNs() + 1, .pixels = 100});
  ASSERT_TRUE(picture);
  EXPECT_FALSE(picture->items.empty());
  EXPECT_EQ(picture->from, Picture::From::Samples);
  EXPECT_FALSE(trace.view->index());
  ASSERT_FALSE(trace.view->warnings().empty());
  EXPECT_NE(trace.view->warnings().back().find("E_BAD_INDEX"), std::string::npos);
}

TEST(ViewIndex, OneViewerWritesAFile) {
  const test::ScratchDirectory scratch;
  const std::string path = scratch.path() + "/view.index";
  std::ofstream(path + ".new") << "left behind by one that was killed";
  {
    const auto first = IndexOutput::beside(path);
    ASSERT_TRUE(first);
    const auto second = IndexOutput::beside(path);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, "E_BUSY");
  }
  struct stat info;
  EXPECT_NE(::stat((path + ".new").c_str(), &info), 0) << "what was not kept is removed";
  EXPECT_FALSE(IndexOutput::beside(scratch.path() + "/missing/view.index"));
}

TEST(ViewIndex, MakingItCanBeStopped) {
  RandomTrace trace(4);
  auto output = IndexOutput::temporary();
  ASSERT_TRUE(output);
  const std::atomic<bool> stop = true;
  const auto built = buildIndex(*trace.view, *output, {.stop = &stop});
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code, "E_STOPPED");
}

} // namespace
} // namespace ada::view
