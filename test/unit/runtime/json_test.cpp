// The runtime's JSON writer: its output can be read back, whatever bytes a name has.
#include "core/base/json.h"

#include <gtest/gtest.h>
#include <random>
#include <simdjson.h>
#include <string>
#include <unistd.h>

namespace {

std::string made(ada::runtime::JsonWriter &json) {
  ada::TextPiece text = json.made();
  return {text.data, text.size};
}

std::string written(const char *value) {
  ada::runtime::JsonWriter json;
  json.text(nullptr, value);
  return made(json);
}

TEST(JsonWriter, Escapes) {
  EXPECT_EQ(written("plain"), R"("plain")");
  EXPECT_EQ(written(R"(say "hi" \ there)"), R"("say \"hi\" \\ there")");
  EXPECT_EQ(written("a\nb\tc\x01\x1f\x7f"), R"("a\nb\tc\u0001\u001f\u007f")");
  EXPECT_EQ(written("äö€𝄞"), "\"äö€𝄞\"");
}

TEST(JsonWriter, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(written("\xff"), R"("�")");
  EXPECT_EQ(written("a\x80z"), R"("a�z")");
  EXPECT_EQ(written("\xc3"), R"("�")");           // cut off
  EXPECT_EQ(written("\xc0\xaf"), R"("��")");      // overlong
  EXPECT_EQ(written("\xe0\x80\x80"), R"("���")"); // overlong
  EXPECT_EQ(written("\xed\xa0\x80"), R"("���")"); // a surrogate
  EXPECT_EQ(written("\xf4\x90\x80\x80"), R"("����")");
  EXPECT_EQ(written("\xe2\x82x"), R"("��x")");
}

TEST(JsonWriter, Structure) {
  ada::runtime::JsonWriter json;
  json.beginObject().text("a", "b").number("n", 18446744073709551615u).boolean("t", true).boolean("f", false);
  json.hex("h", 0x1f, 4).beginArray("list").number(nullptr, 1).number(nullptr, 2).endArray();
  json.beginArray("empty").endArray().beginObject("o").endObject();
  json.raw("\"r\":1").raw("").line().text("last", "").endObject();
  EXPECT_EQ(made(json),
            "{\"a\":\"b\",\"n\":18446744073709551615,\"t\":true,\"f\":false,\"h\":\"0x001f\",\"list\":[1,2],"
            "\"empty\":[],\"o\":{},\"r\":1,\n\"last\":\"\"}");
}

TEST(JsonWriter, ToAFileAsToMemory) {
  char path[] = "/tmp/ada-json-XXXXXX";
  int fd = mkstemp(path);
  ASSERT_GE(fd, 0);
  ada::runtime::JsonWriter file(fd), memory;
  for (ada::runtime::JsonWriter *json : {&file, &memory}) { // longer than the buffer
    json->beginArray();
    for (uint64_t i = 0; i < 5000; ++i)
      json->text(nullptr, "some text").number(nullptr, i);
    json->endArray();
  }
  EXPECT_EQ(file.finish(), 0);
  std::string expected = made(memory) + "\n", found(expected.size() + 1, 0);
  EXPECT_EQ(pread(fd, found.data(), found.size(), 0), static_cast<long>(expected.size()));
  found.resize(expected.size());
  EXPECT_EQ(found, expected);
  close(fd);
  unlink(path);
}

TEST(JsonWriter, SaysWhenTheFileCannotBeWritten) {
  int fd = open("/dev/full", O_WRONLY);
  ASSERT_GE(fd, 0);
  ada::runtime::JsonWriter json(fd);
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
      c = static_cast<char>(random() % 3 ? 0x78 + random() % 0x88 : 1 + random() % 255);
    ada::runtime::JsonWriter json;
    json.beginObject().text("text", bytes.c_str()).endObject();
    std::string text = made(json);
    simdjson::dom::element document;
    ASSERT_EQ(parser.parse(text).get(document), simdjson::SUCCESS) << text;
  }
}

} // namespace
