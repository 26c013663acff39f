// What is written into an archive is found again.
// Hostile members are refused by name, and whatever damage there is, the rest is read.
#include "trace/base/archive.h"

#include "ada/trace/session.h"
#include "formats/native/index/index_writer.h"
#include "scratch_directory.h"
#include "trace/base/archive_writer.h"
#include "trace/base/file_bytes.h"
#include "trace/base/file_tree.h"
#include "trace/base/tar_format.h"
#include "trace/base/zstd_frame.h"

#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace ada;
using ada::test::ScratchDirectory;

namespace {

std::span<const std::byte> bytesOf(const std::string &text) { return std::as_bytes(std::span(text)); }

class ArchiveText {
public:
  ArchiveText(const ArchiveText &) = delete;
  ArchiveText()
      : writer_([this](std::span<const std::byte> bytes) {
          text_.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
          return true;
        }) {}
  ArchiveText &file(const std::string &name, const std::string &contents) {
    EXPECT_TRUE(writer_.addFile(name, bytesOf(contents), 1'700'000'000));
    return *this;
  }
  ArchiveText &compressed(const std::string &name, const std::string &contents) {
    EXPECT_TRUE(writer_.addCompressed(name, bytesOf(contents), 0));
    return *this;
  }
  ArchiveText &directory(const std::string &name) {
    EXPECT_TRUE(writer_.addDirectory(name, 0));
    return *this;
  }
  /// A member of any type, with a right checksum.
  ArchiveText &member(const std::string &name, char type, const std::string &size = "00000000000") {
    std::string header = tar::headersOf(name, 0, 0);
    header[offsetof(tar::Header, type)] = type;
    std::memcpy(&header[offsetof(tar::Header, size)], size.data(), std::min<size_t>(size.size(), 12));
    tar::Header raw;
    std::memcpy(&raw, header.data(), sizeof raw);
    const unsigned sum = tar::checksumOf(raw);
    std::snprintf(&header[offsetof(tar::Header, checksum)], 7, "%06o", sum);
    text_ += header;
    return *this;
  }
  std::string finish() {
    EXPECT_TRUE(writer_.finish());
    return text_;
  }
  const std::string &open() const { return text_; }

private:
  std::string text_;
  ArchiveWriter writer_;
};

// With a harmless member in front.
struct After : ArchiveText {
  After() { file("t/a", "1"); }
};

std::string contentsOf(const std::string &path) {
  const auto file = FileBytes::open(path);
  return file ? std::string(reinterpret_cast<const char *>(file->bytes().data()), file->bytes().size())
              : file.error().text();
}

TEST(Archive, WhatIsWrittenIsFound) {
  const ScratchDirectory scratch;
  std::map<std::string, std::string> files = {
      {"empty", ""}, {"a/b/c", "abc"}, {"a-b", "x"}, {"a/x.zst", "not a frame"}};
  for (const size_t length : {99, 100, 101, 155, 156, 255, 256, 257, 300, 1000}) {
    files["d/" + std::string(length - 2, 'n')] = std::string(length, 'c'); // one long part
    std::string parts;
    while (parts.size() < length)
      parts += "part/";
    files[parts + "e" + std::to_string(length)] = std::to_string(length);
  }
  ArchiveText text;
  for (const auto &[name, contents] : files)
    text.file("top/" + name, contents);
  text.compressed("top/manifest.json", std::string(100'000, 'm')).directory("top/nothing/in/it");
  const std::string path = scratch.write("x.adatrace", text.finish());
  for (const auto &[name, contents] : files) {
    EXPECT_EQ(fileKind(path + "/" + name), FileKind::File) << name;
    EXPECT_EQ(contentsOf(path + "/" + name), contents) << name;
  }
  EXPECT_EQ(contentsOf(path + "/manifest.json").size(), zstd::canCompress() ? 100'000 : 0);
  EXPECT_EQ(fileKind(path + "/nothing/in/it"), FileKind::Directory);
  EXPECT_EQ(fileKind(path + "/a/b"), FileKind::Directory);
  EXPECT_EQ(fileKind(path + "/a/b/c/d"), FileKind::None);
  EXPECT_EQ(fileKind(path + "/"), FileKind::Directory);
  EXPECT_FALSE(fileExists(path + "/a/c"));
  EXPECT_EQ(FileBytes::open(path + "/a/c").error().code, "E_IO");
  EXPECT_EQ(FileBytes::open(path + "/a/b").error().message, "is a directory, but a file was expected");
  std::string names;
  for (const auto &[name, isDirectory] : directoryEntries(path))
    names += name + (isDirectory ? "/ " : " ");
  EXPECT_EQ(names, "a/ a-b d/ empty manifest.json nothing/ part/ ");
}

TEST(Archive, AnArchiveThatWasReplacedIsReadAgain) {
  const ScratchDirectory scratch;
  const std::string path = scratch.write("x", ArchiveText().file("t/a", "one").finish());
  const auto held = FileBytes::open(path + "/a");
  ASSERT_TRUE(held);
  const std::string next = scratch.write("next", ArchiveText().file("t/a", "two, longer").finish());
  std::filesystem::rename(next, path);
  EXPECT_EQ(contentsOf(path + "/a"), "two, longer");
  EXPECT_EQ(std::string_view(reinterpret_cast<const char *>(held->bytes().data()), 3), "one");
}

TEST(Archive, LargeSizesAndForeignHeaders) {
  const std::string large = tar::headersOf("a", uint64_t{1} << 40, 0);
  auto parsed = Archive::parse(bytesOf(large + std::string(512, 'x')), "x");
  ASSERT_TRUE(parsed);
  ASSERT_TRUE(parsed->find("a"));
  EXPECT_TRUE(parsed->find("a")->isCut);
  EXPECT_EQ(parsed->find("a")->bytes, 512u);
  ASSERT_TRUE(parsed->damage());
  EXPECT_NE(parsed->damage()->text().find("should have 1099511627776 bytes and has 512"), std::string::npos);

  const std::string longName = std::string(150, 'l') + std::string(1, '\0');
  std::string gnu = ArchiveText().member("././@LongLink", 'L', "00000000227").open() + longName;
  gnu.resize(tar::padded(gnu.size()));
  gnu += ArchiveText().file("cut", "c").member("comment", 'g').finish();
  parsed = Archive::parse(bytesOf(gnu), "x");
  ASSERT_TRUE(parsed);
  EXPECT_FALSE(parsed->damage());
  EXPECT_TRUE(parsed->find(std::string(150, 'l')));
}

TEST(Archive, HostileMembersAreRefusedByName) {
  const auto refusal = [](const std::string &text) {
    const auto parsed = Archive::parse(bytesOf(text), "x.adatrace");
    return parsed ? "accepted" : parsed.error().text();
  };
  const auto expect = [&](const std::string &text, const std::string &member, const std::string &why) {
    const std::string said = refusal(text);
    EXPECT_EQ(said, "x.adatrace: at byte 1024: the member '" + member + "' " + why +
                        "; the archive is not read [E_BAD_ARCHIVE]");
  };
  expect(After().file("../a", "").finish(), "../a", "leads out of the archive");
  expect(After().file("t/../../a", "").finish(), "t/../../a", "leads out of the archive");
  expect(After().file("t/..", "").finish(), "t/..", "leads out of the archive");
  expect(After().file("a\n\x1b[2J", "").finish(), "a??[2J", "has a control character in its name");
  expect(After().file("/etc/passwd", "").finish(), "/etc/passwd", "has an absolute path");
  expect(After().file("t/a", "2").finish(), "t/a", "is there twice");
  expect(After().file("t/./a", "2").finish(), "t/./a", "is there twice");
  expect(After().member("t/a.zst", '0').finish(), "t/a.zst", "is there twice");
  expect(After().directory("t/a").finish(), "t/a/", "is there twice");
  expect(After().member("t/l", '1').finish(), "t/l", "is a link");
  expect(After().member("t/l", '2').finish(), "t/l", "is a link");
  expect(After().member("t/d", '3').finish(), "t/d", "is neither a file nor a directory");
  expect(After().member("t/p", '6').finish(), "t/p", "is neither a file nor a directory");
  expect(After().member("t/s", 'S').finish(), "t/s", "is a sparse file in a form that only tar reads");
  expect(After().member("t/n", '0', "12x").finish(), "t/n", "has a size that is not a number");
  expect(After().member("t/n", '0', "\xff\xff\xff\xff").finish(), "t/n", "has a size that is not a number");
  EXPECT_NE(refusal(After().file("t/a/b", "2").finish()).find("the member 't/a/b' lies in a file"), std::string::npos)
      << "found when all members are known";
  EXPECT_NE(refusal(After().file(std::string(5000, 'n'), "").finish()).find("has too long a name"), std::string::npos);

  // Readers say so, too, whatever they look for.
  const ScratchDirectory scratch;
  const std::string path = scratch.write("x", After().file("../a", "").finish());
  EXPECT_EQ(FileBytes::open(path + "/a").error().code, "E_BAD_ARCHIVE");
  EXPECT_EQ(atf::Session::open(path).error().code, "E_BAD_ARCHIVE");
  EXPECT_EQ(fileKind(path + "/a"), FileKind::None);
}

TEST(Archive, FramesAreOnlyUnpackedIfTheyAreSmall) {
  if (!zstd::canCompress())
    GTEST_SKIP() << "built without zstd";
  // A megabyte of zeros is a frame of some fifty bytes: more than a thousand times its size.
  const std::string zeros(1 << 20, '\0');
  const auto frame = zstd::compressed({reinterpret_cast<const unsigned char *>(zeros.data()), zeros.size()});
  ASSERT_LT(frame.size() * Archive::kMaxRatio, zeros.size());
  const ScratchDirectory scratch;
  ArchiveText text;
  text.compressed("t/kept", zeros);
  const std::string bomb(frame.begin(), frame.end());
  std::string whole = text.open() + tar::headersOf("t/bomb.zst", bomb.size(), 0) + bomb;
  whole.resize(tar::padded(whole.size()) + tar::kEndBytes);
  const std::string path = scratch.write("x", whole);
  EXPECT_EQ(contentsOf(path + "/kept"), zeros) << "the writer left it as it was";
  EXPECT_EQ(FileBytes::open(path + "/bomb").error().code, "E_BAD_ARCHIVE");
}

// A session, packed by hand.
class PackedSession : public testing::Test {
protected:
  void SetUp() override {
    const std::string index = scratch_ / "index.atp";
    auto writer = atf::IndexWriter::create(index, {.packed = true, .threadId = 7});
    ASSERT_TRUE(writer);
    for (uint64_t i = 0; i < 100; ++i)
      ASSERT_TRUE(writer->append({.timestampNs = i, .functionId = 7, .kind = EventKind{1 + i % 2 == 1 ? 1u : 2u}}));
    ASSERT_TRUE(writer->finish());
    const std::string events = contentsOf(index);
    ArchiveText text;
    for (const char *process : {"s/pid_1", "s/pid_2"}) {
      text.compressed(process + std::string("/manifest.json"),
                      R"({"process": {"pid": 99}, "threads": [{"id": 0}, {"id": 1}], "symbols": [)"
                      R"({"module_id": 0, "symbol_index": 7, "name": "_Z1fv"}]})" +
                          std::string(2000, ' '));
      text.file(process + std::string("/thread_0/index.atp"), events);
      text.file(process + std::string("/thread_1/index.atp"), events);
    }
    whole_ = text.finish();
  }
  // Opens the session and reads what it says is there. Returns the number of events.
  uint64_t use(const std::string &text) {
    const std::string path = scratch_.write("used", text);
    uint64_t events = 0;
    if (const auto session = atf::Session::open(path))
      for (const atf::ProcessTrace &process : session->processes())
        for (const atf::ThreadTrace &thread : process.threads())
          if (thread.index)
            thread.index->forEach([&](uint64_t, const atf::IndexEvent &event) { events += event.functionId == 7; });
    std::filesystem::remove(path);
    return events;
  }

  ScratchDirectory scratch_;
  std::string whole_;
};

TEST_F(PackedSession, CutAnywhereTheRestIsRead) {
  EXPECT_EQ(use(whole_), 400u);
  uint64_t before = 0;
  for (size_t size = 0; size <= whole_.size(); size += 64) {
    const std::string cut = whole_.substr(0, size);
    const uint64_t events = use(cut);
    EXPECT_GE(events, before) << size;
    before = events;
    if (size < tar::kBlockBytes)
      continue;
    const auto parsed = Archive::parse(bytesOf(cut), "x");
    ASSERT_TRUE(parsed) << parsed.error().text();
    EXPECT_EQ(parsed->damage().has_value(), size < whole_.size() - tar::kBlockBytes) << size;
  }
  EXPECT_EQ(before, 400u);
}

TEST_F(PackedSession, ADamagedHeaderCostsOneMember) {
  for (size_t at = 0; at + tar::kEndBytes < whole_.size(); at += tar::kBlockBytes) {
    if (!tar::isArchive(bytesOf(whole_).subspan(at)))
      continue;
    std::string damaged = whole_;
    damaged[at + 3] ^= 1;
    const auto all = Archive::parse(bytesOf(whole_), "x"), parsed = Archive::parse(bytesOf(damaged), "x");
    ASSERT_TRUE(all && parsed);
    ASSERT_TRUE(parsed->damage());
    EXPECT_EQ(parsed->damage()->offset, at);
    EXPECT_EQ(parsed->members().size() + 1, all->members().size());
  }
}

TEST_F(PackedSession, AThousandMutationsAreRead) {
  std::mt19937 random(27);
  const auto below = [&](size_t most) { return std::uniform_int_distribution<size_t>(0, most - 1)(random); };
  unsigned opened = 0;
  for (int turn = 0; turn < 1000; ++turn) {
    std::string text = whole_;
    for (size_t n = 1 + below(4); n > 0; --n)
      switch (below(4)) {
      case 0:
        text[below(text.size())] = static_cast<char>(below(256));
        break;
      case 1:
        text.resize(1 + below(text.size()));
        break;
      case 2: { // a block goes to another place
        const size_t from = below(text.size()) / 512 * 512, to = below(text.size()) / 512 * 512;
        text.replace(to, 512, text.substr(from, 512));
        break;
      }
      default: { // a field of a header, whose checksum is right afterwards
        const size_t at = below(text.size()) / 512 * 512;
        if (at + 512 > text.size() || !tar::isArchive(bytesOf(text).subspan(at)))
          break;
        text[at + below(512)] = "0157/.x\xff"[below(8)];
        tar::Header header;
        std::memcpy(&header, &text[at], sizeof header);
        std::snprintf(&text[at + offsetof(tar::Header, checksum)], 7, "%06o", tar::checksumOf(header));
      }
      }
    const uint64_t events = use(text);
    opened += events > 0;
    EXPECT_LE(events, 1000u);
    const auto parsed = Archive::parse(bytesOf(text), "x");
    if (!parsed)
      continue;
    for (const auto &[name, member] : parsed->members()) {
      EXPECT_LE(member.offset, text.size());
      EXPECT_LE(member.bytes, text.size() - member.offset);
      EXPECT_FALSE(name.empty() || name.starts_with('/') || name.starts_with("../") || name.find("/../") != name.npos ||
                   name.ends_with("/.."));
    }
  }
  EXPECT_GT(opened, 500u) << "damage seldom costs everything";
}

} // namespace
