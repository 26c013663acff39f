// Arguments as columns.
#include "formats/clickhouse/named_values.h"
#include "trace/base/nested_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using ada::cutNesting;
using ada::formats::NamedValues;
using ada::formats::numberIn;
using ada::formats::RowBinary;

namespace {

// "a=1:1 b=x:-", the form that put() makes.
std::string columnsOf(const NamedValues &values) {
  RowBinary row;
  values.put(row);
  const std::string &bytes = row.bytes();
  size_t at = 0;
  const auto length = [&] {
    size_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes.at(at++));
      value |= size_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80))
        return value;
    }
  };
  std::vector<std::string> columns[2];
  for (auto &column : columns)
    for (size_t left = length(); left > 0; --left) {
      const size_t size = length();
      column.push_back(bytes.substr(at, size));
      at += size;
    }
  EXPECT_EQ(columns[0].size(), columns[1].size());
  EXPECT_EQ(length(), columns[0].size());
  std::string all;
  for (size_t i = 0; i < columns[0].size(); ++i, at += 8) {
    double number;
    std::memcpy(&number, bytes.data() + at, 8);
    all += (all.empty() ? "" : " ") + columns[0][i] + "=" + columns[1][i] + ":";
    all += std::isnan(number) ? "-" : std::to_string(number).substr(0, std::to_string(number).find(".000000"));
  }
  EXPECT_EQ(at, bytes.size());
  return all;
}

std::string columnsOf(std::string_view json) {
  NamedValues values;
  values.add(json);
  return columnsOf(values);
}

std::string traceIdIn(std::string_view json) {
  NamedValues values;
  values.add(json);
  return std::string(values.traceId());
}

} // namespace

TEST(NamedValues, OfEachKind) {
  EXPECT_EQ(columnsOf(R"({"n":10,"b":true,"t":"a \"text\"","x":0.5,"p":"0x7f","none":null,"neg":-3})"),
            R"(n=10:10 b=true:1 t=a "text":- x=0.5:0.500000 p=0x7f:- none=:- neg=-3:-3)");
  EXPECT_EQ(columnsOf(R"({"big":18446744073709551615})").substr(0, 25), "big=18446744073709551615:");
  EXPECT_EQ(columnsOf(R"({"wide":-18446744073709551616})"), "wide=-1.8446744073709552e+19:-18446744073709551616");
  EXPECT_EQ(columnsOf(R"({"list":[1,2]})"), "list=[1,2]:-");
}

TEST(NamedValues, FieldsByTheirNames) {
  EXPECT_EQ(columnsOf(R"({"box":{"at":{"x":1,"y":2},"name":"n"},"z":3})"),
            "box.at.x=1:1 box.at.y=2:2 box.name=n:- z=3:3");
  EXPECT_EQ(columnsOf(R"({"empty":{}})"), "empty={}:-");
}

TEST(NamedValues, NothingOfWhatIsNoObject) {
  for (const char *text : {"", "{", "[1]", "5", "null", "{\"a\":}", "{}"})
    EXPECT_EQ(columnsOf(text), "") << text;
}

TEST(NamedValues, TextsWithAnyBytes) {
  EXPECT_EQ(columnsOf("{\"s\":\"a\xff\",\"n\":1}"), "s=a\ufffd:- n=1:1");
  EXPECT_EQ(columnsOf(R"({"s":"a\u0000b"})"), std::string("s=a\0b:-", 7));
}

TEST(NamedValues, NoMoreThanTheMost) {
  std::string json = "{";
  for (int i = 0; i < 1000; ++i)
    json += (i ? ",\"a" : "\"a") + std::to_string(i) + "\":1";
  const std::string columns = columnsOf(json + "}");
  EXPECT_EQ(static_cast<size_t>(std::count(columns.begin(), columns.end(), '=')), NamedValues::kMax);
  std::string deep;
  constexpr int kDeep = 500'000;
  for (int i = 0; i < kDeep; ++i)
    deep += "{\"a\":";
  deep += "1" + std::string(kDeep, '}');
  EXPECT_EQ(columnsOf(deep).substr(0, 20), "a.a.a.a.a.a.a.a.a={\"");
}

TEST(NamedValues, NestedBeyondReading) {
  for (const auto &[begin, end] : {std::pair{"[", "]"}, {"{\"x\":", "}"}}) {
    std::string text = "{\"a\":";
    for (int i = 0; i < 200'000; ++i)
      text += begin;
    text += "1";
    for (int i = 0; i < 200'000; ++i)
      text += end;
    EXPECT_NE(columnsOf(text + ",\"b\":2}").find("b=2"), std::string::npos) << begin;
  }
}

TEST(NamedValues, CutNesting) {
  EXPECT_EQ(cutNesting(R"({"a":[1,[2]],"b":"[{\"[","c":{}})", 2), R"({"a":[1,"…"],"b":"[{\"[","c":{}})");
  EXPECT_EQ(cutNesting(R"([{"\\":["]\""]},[3]])", 1), R"(["…","…"])");
  EXPECT_EQ(cutNesting("]]][", 1), "]]][");
}

TEST(NamedValues, TraceIds) {
  for (const char *name :
       {"trace_id", "traceId", "TRACE_ID", "request->trace_id", "ctx.trace.id", "h->traceid", "trace-id"})
    EXPECT_EQ(traceIdIn("{\"n\":1,\"" + std::string(name) + "\":\"4bf9\"}"), "4bf9") << name;
  EXPECT_EQ(traceIdIn(R"({"request":{"trace_id":77}})"), "77");
  for (const char *name : {"id", "trace", "trace_ids", "mytraceid", "trace_id_of", "retrace_id"})
    EXPECT_EQ(traceIdIn("{\"" + std::string(name) + "\":\"4bf9\"}"), "") << name;
}

TEST(NamedValues, NumbersInResults) {
  EXPECT_EQ(numberIn("55"), 55);
  EXPECT_EQ(numberIn("-1 (ENOENT)"), -1);
  EXPECT_EQ(numberIn("0.25"), 0.25);
  EXPECT_EQ(numberIn("true"), 1);
  EXPECT_EQ(numberIn("false"), 0);
  for (const char *text : {"", "0x7f", "nullptr", "\"5\"", "{x=1}", "5 apples", "Mode::Fast", "(unreadable)"})
    EXPECT_TRUE(std::isnan(numberIn(text))) << text;
}
