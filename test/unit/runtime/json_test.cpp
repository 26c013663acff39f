// The runtime's JSON writer: what it writes can be read back, whatever bytes a name has.
#include "core/json.h"

#include <gtest/gtest.h>
#include <random>
#include <simdjson.h>
#include <string>
#include <unistd.h>

namespace {

std::string released(ada::JsonWriter &json) {
  std::size_t bytes = 0;
  char *memory = json.release(bytes);
  std::string text(memory, bytes);
  ada::sys::unmap(memory, bytes);
  return text;
}

std::string written(const char *value) {
  ada::JsonWriter json;
  json.text(nullptr, value);
  return released(json);
}

TEST(JsonWriter, Escapes) {
  EXPECT_EQ(written("plain"), R"("plain")");
  EXPECT_EQ(written(R"(say "hi" \ there)"), R"("say \"hi\" \\ there")");
  EXPECT_EQ(written("a\nb\tc\x01\x1f\x7f"), "\"a\\u000ab\\u0009c\\u0001\\u001f\x7f\"");
  EXPECT_EQ(written("äö€𝄞"), "\"äö€𝄞\"");
}

TEST(JsonWriter, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(written("\xff"), R"("\ufffd")");
  EXPECT_EQ(written("a\x80z"), R"("a\ufffdz")");
  EXPECT_EQ(written("\xc3"), R"("\ufffd")");                      // cut off
  EXPECT_EQ(written("\xc0\xaf"), R"("\ufffd\ufffd")");            // overlong
  EXPECT_EQ(written("\xe0\x80\x80"), R"("\ufffd\ufffd\ufffd")");  // overlong
  EXPECT_EQ(written("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");  // a surrogate
  EXPECT_EQ(written("\xf4\x90\x80\x80"), R"("\ufffd\ufffd\ufffd\ufffd")");
  EXPECT_EQ(written("\xe2\x82x"), R"("\ufffd\ufffdx")");
}

TEST(JsonWriter, Structure) {
  ada::JsonWriter json;
  json.beginObject().text("a", "b").number("n", 18446744073709551615u).boolean("t", true).boolean("f", false);
  json.hex("h", 0x1f, 4).beginArray("list").number(nullptr, 1).number(nullptr, 2).endArray();
  json.beginArray("empty").endArray().beginObject("o").endObject();
  json.raw("\"r\":1", 5).raw("", 0).line().text("last", "").endObject();
  EXPECT_EQ(released(json), "{\"a\":\"b\",\"n\":18446744073709551615,\"t\":true,\"f\":false,\"h\":\"0x001f\",\"list\":[1,2],"
                            "\"empty\":[],\"o\":{},\"r\":1,\n\"last\":\"\"}");
}

TEST(JsonWriter, ToAFileAsToMemory) {
  char path[] = "/tmp/ada-json-XXXXXX";
  int fd = mkstemp(path);
  ASSERT_GE(fd, 0);
  ada::JsonWriter file(fd), memory;
  for (ada::JsonWriter *json : {&file, &memory}) { // longer than the buffer
    json->beginArray();
    for (std::uint64_t i = 0; i < 5000; ++i)
      json->text(nullptr, "some text").number(nullptr, i);
    json->endArray();
  }
  EXPECT_EQ(file.finish(), 0);
  std::string expected = released(memory) + "\n", found(expected.size() + 1, 0);
  EXPECT_EQ(pread(fd, found.data(), found.size(), 0), (long)expected.size());
  found.resize(expected.size());
  EXPECT_EQ(found, expected);
  close(fd);
  unlink(path);
}

TEST(JsonWriter, SaysWhenTheFileCannotBeWritten) {
  int fd = open("/dev/full", O_WRONLY);
  ASSERT_GE(fd, 0);
  ada::JsonWriter json(fd);
  json.text(nullptr, "x");
  EXPECT_EQ(json.finish(), -ENOSPC);
  close(fd);
}

TEST(JsonWriter, AnyBytesMakeReadableJson) {
  std::mt19937 random(5);
  simdjson::dom::parser parser;
  for (int i = 0; i < 3000; ++i) {
    std::string bytes(random() % 40, 0);
    for (char &c : bytes)
      c = (char)(random() % 3 ? 0x78 + random() % 0x88 : 1 + random() % 255);
    ada::JsonWriter json;
    json.beginObject().text("text", bytes.c_str()).endObject();
    std::string text = released(json);
    simdjson::dom::element document;
    ASSERT_EQ(parser.parse(text).get(document), simdjson::SUCCESS) << text;
  }
}

} // namespace
