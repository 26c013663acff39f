// Zones and scopes: which zone an event is in, how leaves pair with enters, and what happens to unmatched ones.
#include "content.h"

#include <gtest/gtest.h>

namespace {

using namespace ada::wtf;
using namespace wtftest;

HandMade withScopes() { return HandMade().header().builtIns().define(20, 1, 0, "f").define(21, 0, 0, "i"); }

/// "zone: f[1-2 i@3] ...", with brackets around the content of a scope, and "?" for a scope without leave.
std::string shape(const ZoneTree &zone, uint32_t first) {
  std::string out;
  for (uint32_t at = first; at != kNoNode; at = zone.nodes[at].next) {
    const Node &node = zone.nodes[at];
    out += out.empty() ? "" : " ";
    out += std::string(node.name) + '@' + std::to_string(node.timeUs);
    if (node.kind == Node::Kind::Scope)
      out += '-' + (node.closed ? "" : "?" + std::string()) + std::to_string(node.leaveUs) + '[' +
             shape(zone, node.firstChild) + ']';
  }
  return out;
}

std::string shapeOf(const std::string &file) {
  const Tree tree = readTree(bytesOf(file));
  std::string out;
  for (const ZoneTree &zone : tree.zones)
    out += zone.zone.name + ": " + shape(zone, zone.first) + '\n';
  for (const ada::Warning &warning : tree.warnings)
    out += warning.code + '\n';
  if (tree.error)
    out += tree.error->code + '\n';
  return out;
}

TEST(WtfTimeline, noZoneAtAllIsOneWithoutName) {
  EXPECT_EQ(shapeOf(withScopes().record(20, 1).record(8, 2).str()), ": f@1-2[]\n");
  EXPECT_EQ(shapeOf(withScopes().str()), ": \n");
  EXPECT_FALSE(readTree(bytesOf(withScopes().str())).zones.at(0).zone.id);
}

TEST(WtfTimeline, earlyEventsBelongToTheFirstZoneCreated) {
  EXPECT_EQ(shapeOf(withScopes().record(21, 1).zone(7, "a").zone(8, "b").record(21, 2).set(8).record(21, 3).str()),
            "a: i@1 i@2\nb: i@3\n");
}

TEST(WtfTimeline, leavesCloseTheInnermostScopeOfTheirZone) {
  HandMade file =
      withScopes().zone(1, "a").zone(2, "b").set(1).record(20, 1).set(2).record(20, 2).record(8, 3).record(8, 4);
  file.set(1).record(20, 5).record(21, 6).record(8, 7).set(65535).str();
  EXPECT_EQ(shapeOf(file.str()), "a: f@1-?7[f@5-7[i@6]]\nb: f@2-3[]\n: \nW_UNKNOWN_ZONE\n");
  EXPECT_EQ(readTree(bytesOf(file.str())).zones[1].zone.strayLeaves, 1u);
}

TEST(WtfTimeline, zoneEventsActOnlyIfBuiltIn) {
  HandMade file = HandMade().header().define(3, 0, 0, "wtf.zone#create", std::string(builtIns()[2].args));
  file.define(5, 0, 8, "wtf.zone#set", "uint16 zoneId").define(8, 0, 0, "wtf.scope#leave").define(20, 1, 0, "f");
  file.zone(1, "a").set(1).record(20, 1).record(8, 2);
  EXPECT_EQ(shapeOf(file.str()), ": wtf.zone#create@0 wtf.zone#set@0 f@1-2[]\n");
}

TEST(WtfTimeline, zoneEventsWithoutNumberAreOrdinary) {
  EXPECT_EQ(shapeOf(HandMade().header().define(5, 0, 40, "wtf.zone#set", "ascii zoneId").record(5, 1).ascii("x").str()),
            ": wtf.zone#set@1\nW_BUILTIN_ARGS\n");
}

TEST(WtfTimeline, sameNumberAgainIsTheSameZoneOrANewOne) {
  HandMade file = withScopes().zone(1, "a").set(1).record(21, 1).zone(1, "a").record(21, 2).zone(1, "b").record(21, 3);
  file.set(1).record(21, 4);
  EXPECT_EQ(shapeOf(file.str()), "a: i@1 i@2 i@3\nb: i@4\n");
}

TEST(WtfTimeline, twinZonesStayApart) {
  HandMade file =
      withScopes().zone(1, "a", "x").zone(2, "a", "x").zone(3, "a", "y").set(1).record(20, 1).set(2).record(20, 2);
  file.set(1).record(8, 3).set(2).record(8, 4);
  EXPECT_EQ(shapeOf(file.str()), "a: f@1-3[]\na: f@2-4[]\na: \nW_SAME_ZONE\n");
}

TEST(WtfTimeline, unknownZoneGetsItsNameLater) {
  EXPECT_EQ(shapeOf(withScopes().zone(1, "a").set(9).record(21, 1).zone(9, "late").record(21, 2).str()),
            "a: \nlate: i@1 i@2\nW_UNKNOWN_ZONE\n");
}

TEST(WtfTimeline, sortsZonesThatAreOutOfOrderAndKeepsTies) {
  HandMade file = withScopes().zone(1, "a").zone(2, "b").set(1);
  file.record(21, 9).record(20, 5).record(20, 5).record(8, 5).record(8, 5).record(20, 1).record(8, 2);
  file.set(2).record(21, 3); // earlier than in the other zone, which is fine
  EXPECT_EQ(shapeOf(file.str()), "a: f@1-2[] f@5-5[f@5-5[]] i@9\nb: i@3\n");
  const Tree tree = readTree(bytesOf(file.str()));
  EXPECT_TRUE(tree.zones[0].zone.outOfOrder);
  EXPECT_FALSE(tree.zones[1].zone.outOfOrder);
}

TEST(WtfTimeline, dataGoesToTheInnermostScope) {
  HandMade file = withScopes().define(30, 0, 16, "user#data", "int32 n, ascii s");
  file.record(9, 0).ascii("lost").u16(0);
  file.record(20, 1).record(20, 2).record(9, 3).ascii("k").u16(2).u16(2).raw("12").record(30, 4).u32(7).ascii("x");
  file.record(8, 5).record(9, 6).ascii("outer").u16(0).record(8, 7);
  const Tree tree = readTree(bytesOf(file.str()));
  const Json zone = toJson(tree.zones[0]);
  EXPECT_EQ(zone["tree"][0]["appended"], Json({{"outer", nullptr}}));
  EXPECT_EQ(zone["tree"][0]["children"][0]["appended"], Json({{"k", 12}, {"n", 7}, {"s", "x"}}));
  EXPECT_EQ(zone["tree"][0]["children"].size(), 1u);
  EXPECT_EQ(tree.zones[0].zone.lostData, 1u);
}

TEST(WtfTimeline, scopesNamedByTheirArgument) {
  HandMade file = withScopes().record(6, 1).ascii("dyn").record(6, 2).ascii("").record(8, 3).record(8, 4);
  EXPECT_EQ(shapeOf(file.str()), ": dyn@1-4[wtf.scope#enter@2-3[]]\n");
}

TEST(WtfTimeline, earlyMarksWithoutValueAreRead) {
  HandMade file = HandMade().header().define(14, 0, 0, "wtf.trace#mark", "ascii name").record(14, 5).ascii("phase");
  const Json zone = toJson(readTree(bytesOf(file.str())).zones[0]);
  EXPECT_EQ(zone["tree"], Json::parse(R"([{"kind":"mark","name":"phase","timeUs":5,"value":null}])"));
}

/// Items in the order in which they stream out, one word each.
struct Words : TimelineVisitor {
  std::string text;
  void onZone(const Zone &zone) override { text += "zone(" + zone.name + ") "; }
  void onItem(const Item &item) override {
    static constexpr const char *kKinds[] = {"enter",    "leave", "unclosed", "stray",
                                             "instance", "mark",  "stamp",    "data"};
    text += kKinds[static_cast<int>(item.kind)];
    text += ':' + std::string(item.name) + '@' + std::to_string(item.timeUs) + '/' + std::to_string(item.depth);
    if (item.kind == ItemKind::Leave || item.kind == ItemKind::Unclosed)
      text += '<' + std::to_string(item.enterUs);
    text += ' ';
  }
};

TEST(WtfTimeline, streamsItemsInFileOrderAndClosesAtTheEnd) {
  HandMade file = withScopes().zone(1, "a").zone(2, "b").set(1).record(8, 0).record(20, 1).record(6, 2).ascii("dyn");
  file.record(21, 3).record(9, 4).ascii("k").u16(0).record(8, 5).record(20, 6).set(2).record(14, 9).ascii("m").u16(0);
  file.record(15, 3).ascii("t").u16(0);
  Words words;
  Timeline timeline(words);
  Decoder decoder(timeline);
  ASSERT_TRUE(decoder.push(bytesOf(file.str())));
  ASSERT_TRUE(decoder.finish());
  timeline.finish();
  EXPECT_EQ(words.text, "zone(a) zone(b) stray:wtf.scope#leave@0/0 enter:f@1/0 "
                        "enter:dyn@2/1 instance:i@3/2 data:k@4/2 "
                        "leave:dyn@5/1<2 enter:f@6/1 mark:m@9/0 stamp:t@3/0 "
                        "unclosed:f@9/1<6 unclosed:f@9/0<1 ");
  EXPECT_TRUE(timeline.zone(1).outOfOrder);
}

TEST(WtfTimeline, depthHasNoLimit) {
  HandMade file = withScopes();
  constexpr int kDepth = 200000;
  for (int i = 0; i < kDepth; ++i)
    file.record(20, 1);
  const Tree tree = readTree(bytesOf(file.str()));
  EXPECT_EQ(tree.zones[0].unclosed.size(), static_cast<size_t>(kDepth));
  EXPECT_EQ(tree.zones[0].nodes.back().depth, static_cast<uint32_t>(kDepth - 1));
}

} // namespace
