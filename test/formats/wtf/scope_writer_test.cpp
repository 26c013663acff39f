// Random call trees of several threads, written in each dialect, read back as the same calls, times,
// threads and names; and what the writer does at the limits.
#include "content.h"

#include <gtest/gtest.h>

#include <random>

namespace {

using namespace ada::wtf;
using namespace wtftest;

struct File {
  std::string bytes;
  ScopeWriter writer;
  explicit File(FileHeader header = {}, EncoderOptions options = {}) : writer(begin(bytes, header, options)) {}
  File(const File &) = delete;
  static ScopeWriter begin(std::string &bytes, const FileHeader &header, EncoderOptions options) {
    auto writer = ScopeWriter::begin(
        [&bytes](std::span<const std::byte> more) {
          bytes.append(reinterpret_cast<const char *>(more.data()), more.size());
          return true;
        },
        header, options);
    EXPECT_TRUE(writer);
    return std::move(*writer);
  }
};

std::string codeOf(const ada::Expected<void> &result) { return result ? "" : result.error().code; }

/// A thread's calls as they are made, in words; and the same from a tree.
struct Calls {
  std::string words;
  std::vector<std::string> open;
  std::uint64_t now = 0;
};

std::string wordsOf(const ZoneTree &zone) {
  // Nodes are in order of enter; leaves come back by walking with a stack.
  std::string words;
  std::vector<std::uint32_t> stack;
  const auto leaveTo = [&](std::uint32_t parent) {
    while (!stack.empty() && stack.back() != parent) {
      const Node &node = zone.nodes[stack.back()];
      words += "leave " + std::string(node.name) + '@' + std::to_string(node.leaveUs) + ' ';
      stack.pop_back();
    }
  };
  for (std::uint32_t at = 0; at < zone.nodes.size(); ++at) {
    const Node &node = zone.nodes[at];
    leaveTo(node.parent);
    words += "enter " + std::string(node.name) + '@' + std::to_string(node.timeUs);
    for (std::uint32_t i = 0; i < node.valueCount; ++i)
      words += '(' + toJson(zone.values[node.firstValue + i].arg()).dump() + ')';
    words += ' ';
    stack.push_back(at);
  }
  leaveTo(kNoNode);
  return words;
}

TEST(WtfScopeWriter, callsComeBackAsTheyWere) {
  std::mt19937 random(1);
  const auto pick = [&](std::uint32_t n) { return random() % n; };
  const std::string names[] = {"main", "ns::Worker::run", "operator<<", "std::vector<int, A>::push_back(int&&)",
                               "~Foo", "lambda at \"x.cpp\":3", "\xE2\x98\x83", "f (2)", "f"};
  std::size_t calls = 0;
  for (int round = 0; round < 3000; ++round) {
    FileHeader header;
    header.dialect = static_cast<Dialect>(round % 3);
    header.asciiText = AsciiText::Utf8;
    header.timebaseMs = 1700000000000;
    File file(header, {.chunkBytes = pick(2) ? 64u : 1u << 20});
    std::vector<Calls> threads(1 + pick(4));
    std::vector<ScopeWriter::ZoneId> zones;
    for (std::size_t i = 0; i < threads.size(); ++i)
      zones.push_back(*file.writer.addZone(std::to_string(i) + ":worker", "a.out"));
    for (std::uint32_t step = pick(60); step-- > 0;) {
      const std::uint32_t at = pick(static_cast<std::uint32_t>(threads.size()));
      Calls &thread = threads[at];
      thread.now += pick(3);
      if (pick(2) || thread.open.empty()) {
        const std::string &name = names[pick(std::size(names))];
        const bool withArg = name[0] == 'o'; // a name keeps its signature
        auto type = file.writer.scopeType(name, withArg ? "int32 n" : "");
        ASSERT_TRUE(type);
        const Arg arg = Arg::int32(static_cast<std::int32_t>(random()));
        ASSERT_TRUE(file.writer.enter(zones[at], *type, thread.now, std::span(&arg, withArg ? 1 : 0)));
        thread.words += "enter " + name + '@' + std::to_string(thread.now) +
                        (withArg ? '(' + std::to_string(arg.integer()) + ')' : "") + ' ';
        thread.open.push_back(name);
        ++calls;
      } else {
        ASSERT_TRUE(file.writer.leave(zones[at], thread.now));
        thread.words += "leave " + thread.open.back() + '@' + std::to_string(thread.now) + ' ';
        thread.open.pop_back();
      }
    }
    std::uint64_t last = 0, left = 0;
    for (const Calls &thread : threads)
      last = std::max(last, thread.words.empty() ? 0 : thread.now);
    ASSERT_TRUE(file.writer.finish());
    const Tree tree = readTree(bytesOf(file.bytes));
    ASSERT_FALSE(tree.error) << tree.error->message;
    EXPECT_TRUE(tree.warnings.empty());
    ASSERT_EQ(tree.zones.size(), threads.size());
    for (std::size_t i = 0; i < threads.size(); ++i) {
      for (; !threads[i].open.empty(); threads[i].open.pop_back(), ++left)
        threads[i].words += "leave " + threads[i].open.back() + '@' + std::to_string(last) + ' ';
      EXPECT_EQ(wordsOf(tree.zones[i]), threads[i].words);
      EXPECT_TRUE(tree.zones[i].unclosed.empty());
      EXPECT_EQ(tree.zones[i].zone.name, std::to_string(i) + ":worker");
    }
    EXPECT_EQ(file.writer.statistics().closedAtEnd, left);
  }
  EXPECT_GT(calls, 40000u);
}

TEST(WtfScopeWriter, sameNameWithOtherArgumentsGetsANumber) {
  File file;
  const auto plain = file.writer.scopeType("f"), withArg = file.writer.scopeType("f", "int32 n"),
             instance = file.writer.instanceType("f");
  ASSERT_TRUE(plain && withArg && instance);
  EXPECT_EQ(*plain, 18u);
  EXPECT_EQ(*file.writer.scopeType("f"), *plain);
  EXPECT_EQ(*file.writer.scopeType("f", "int32 n"), *withArg);
  EXPECT_EQ(file.writer.statistics().renamedTypes, 2u);
  EXPECT_NE(*file.writer.scopeType("f (2)"), *withArg);
  ASSERT_TRUE(file.writer.finish());
  Content content;
  decode(file.bytes, content);
  std::vector<std::string> names;
  for (std::size_t i = 17; i < content.types.size(); ++i)
    names.push_back(content.types[i]["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"f", "f (2)", "f (3)", "f (2) (2)"}));
}

TEST(WtfScopeWriter, whenNumbersRunOutScopesCarryTheirNames) {
  File file;
  const auto zone = *file.writer.addZone("0:main", "a.out");
  for (int i = 0; i < 65518; ++i)
    ASSERT_TRUE(file.writer.scopeType("f" + std::to_string(i)));
  const auto more = file.writer.scopeType("ns::g(int)"), again = file.writer.scopeType("ns::g(int)");
  ASSERT_TRUE(more && again);
  EXPECT_EQ(*more, *again);
  EXPECT_EQ(file.writer.scopeType("h", "int32 n").error().code, "E_RANGE");
  EXPECT_EQ(file.writer.instanceType("h").error().code, "E_RANGE");
  ASSERT_TRUE(file.writer.enter(zone, *more, 1));
  ASSERT_TRUE(file.writer.enter(zone, *file.writer.scopeType("f65517"), 2));
  ASSERT_TRUE(file.writer.finish());
  EXPECT_EQ(file.writer.statistics().renamedScopes, 1u);
  const Tree tree = readTree(bytesOf(file.bytes));
  EXPECT_EQ(wordsOf(tree.zones[0]), "enter ns::g_int_@1 enter f65517@2 leave f65517@2 leave ns::g_int_@2 ");
}

TEST(WtfScopeWriter, refusesWhatViewersMisread) {
  File file;
  const auto zone = *file.writer.addZone("0:main", "a.out");
  EXPECT_EQ(file.writer.addZone("0:main", "a.out").error().code, "E_NAME_CONFLICT");
  EXPECT_TRUE(file.writer.addZone("0:main", "b.out"));
  const auto f = *file.writer.scopeType("f");
  EXPECT_EQ(codeOf(file.writer.appendData(zone, 1, "k", "1")), "E_NO_SCOPE");
  EXPECT_EQ(codeOf(file.writer.enter(zone, f, 10)), "");
  EXPECT_EQ(codeOf(file.writer.leave(zone, 9)), "E_TIME_ORDER");
  EXPECT_EQ(codeOf(file.writer.enter(9, f, 10)), "E_UNKNOWN_ZONE");
  EXPECT_EQ(codeOf(file.writer.enter(0, f, 10)), "E_UNKNOWN_ZONE");
  EXPECT_EQ(codeOf(file.writer.timeStamp(zone, 10, "a b")), "E_BAD_NAME");
  EXPECT_EQ(codeOf(file.writer.timeStamp(zone, 10, "tick", "17")), "");
  EXPECT_EQ(codeOf(file.writer.mark(zone, 10, "phase 1")), "");
  EXPECT_EQ(codeOf(file.writer.appendData(zone, 10, "k", "{\"a\":1}")), "");
  EXPECT_EQ(codeOf(file.writer.appendData(zone, 10, "k", "oops")), "E_BAD_TEXT");
  const Arg flow[] = {Arg::flowId(1), Arg::flowId(0), Arg::ascii("fl"), Arg::null(ArgType::Any)};
  EXPECT_EQ(codeOf(file.writer.event(zone, wireIdOf(Role::FlowBranch), 10, flow)), "");
  EXPECT_EQ(codeOf(file.writer.enter(zone, f, kMaxTime + 1)), "E_TIME_OVERFLOW");
  EXPECT_EQ(codeOf(file.writer.leave(zone, 11)), "");
  EXPECT_EQ(codeOf(file.writer.leave(zone, 12)), "");
  EXPECT_EQ(file.writer.statistics().strayLeaves, 1u);
  EXPECT_EQ(file.writer.statistics().deepest, 1u);
  ASSERT_TRUE(file.writer.finish());
  const Tree tree = readTree(bytesOf(file.bytes));
  EXPECT_EQ(tree.zones[0].zone.strayLeaves, 1u);
  EXPECT_EQ(toJson(tree.zones[0])["tree"][0]["appended"], Json({{"k", {{"a", 1}}}}));
}

} // namespace
