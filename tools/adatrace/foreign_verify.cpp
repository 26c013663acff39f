//===- foreign_verify.cpp - adatrace verify for other formats -------------===//
#include "exit_codes.h"
#include "foreign_file.h"
#include "quantities.h"
#include "wtf_follower.h"

#include "ada/trace/atf_detail.h"
#include "ada/trace/dial9/gzip.h"

#include <unordered_set>

namespace ada::cli {

namespace {

// What was found, and the closing line.
struct Findings {
  std::vector<std::string> problems, notes;
  std::string contents; ///< "1,234 events"
};

// Pool ids that no frame of their segment defines. Not an error of the stream.
class Dial9Check : public dial9::Visitor {
public:
  void onSegment(uint64_t) override {
    finish();
    ++segments;
  }
  void onSchema(const dial9::Schema &, uint64_t) override { ++schemas; }
  void onEvent(const dial9::EventView &event) override {
    ++events;
    for (const dial9::Value &value : event.values)
      if (value.type() == dial9::FieldType::PooledString)
        usedStrings.insert(value.poolId());
      else if (value.type() == dial9::FieldType::PooledStackFrames)
        usedStacks.insert(value.poolId());
  }
  void onStringPool(dial9::StringPoolView entries, uint64_t) override {
    for (const dial9::StringPoolEntry entry : entries)
      strings.insert(entry.id);
  }
  void onStackPool(dial9::StackPoolView entries, uint64_t) override {
    for (const dial9::StackPoolEntry entry : entries)
      stacks.insert(entry.id);
  }
  void finish() {
    for (const uint32_t id : usedStrings)
      undefined += !strings.contains(id);
    for (const uint32_t id : usedStacks)
      undefined += !stacks.contains(id);
    usedStrings.clear();
    usedStacks.clear();
    strings.clear();
    stacks.clear();
  }

  uint64_t events = 0, schemas = 0, segments = 1, undefined = 0;

private:
  std::unordered_set<uint32_t> usedStrings, usedStacks, strings, stacks;
};

Expected<Findings> verifyDial9(model::ByteInput &input) {
  Dial9Check check;
  dial9::UnzippingDecoder decoder(check);
  const auto read = pushAll(input, [&](std::span<const std::byte> bytes) {
    return decoder.push(
        {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  });
  if (!read)
    return read.error();
  check.finish();
  Findings found;
  if (const dial9::DecodeStatus status = decoder.status(); !status.ok()) {
    Error error = status.toError();
    error.file = input.name();
    found.problems.push_back(error.text());
  }
  if (check.undefined)
    found.notes.push_back(
        fmt::format("{}: {} ids of pooled strings and stacks are used, but "
                    "never defined",
                    input.name(), formatCount(check.undefined)));
  found.contents =
      fmt::format("{} events, {} schemas, {} segment{}",
                  formatCount(check.events), formatCount(check.schemas),
                  formatCount(check.segments), check.segments == 1 ? "" : "s");
  return found;
}

class WtfCheck : public WtfFollower {
public:
  uint64_t unclosed = 0;
  std::vector<std::string> problems;
  const wtf::Timeline &lines() const { return timeline; }

private:
  void takeRecord(const wtf::Record &, std::optional<wtf::ItemKind>, size_t,
                  const wtf::Zone &) override {}
  void takeUnclosed(const wtf::Item &) override { ++unclosed; }
  void takeWarning(const Warning &flaw) override {
    problems.push_back(fmt::format("{} [{}]", flaw.message, flaw.code));
  }
};

Expected<Findings> verifyWtf(model::ByteInput &input) {
  WtfCheck check;
  wtf::Decoder decoder(check);
  Expected<void> decoded;
  const auto read = pushAll(input, [&](std::span<const std::byte> bytes) {
    decoded = decoder.push(bytes);
    return bool(decoded);
  });
  if (!read)
    return read.error();
  if (decoded)
    decoded = decoder.finish();
  check.finish();
  Findings found;
  for (const std::string &problem : check.problems)
    found.problems.push_back(input.name() + ": " + problem);
  if (!decoded) {
    Error error = decoded.error();
    error.file = input.name();
    found.problems.push_back(error.text());
  }
  uint64_t strays = 0, lost = 0;
  for (size_t i = 0; i < check.lines().zoneCount(); ++i) {
    strays += check.lines().zone(i).strayLeaves;
    lost += check.lines().zone(i).lostData;
  }
  const auto note = [&](uint64_t count, const char *text) {
    if (count)
      found.notes.push_back(
          fmt::format("{}: {} {}", input.name(), formatCount(count), text));
  };
  note(strays, "scopes end that did not begin in the trace");
  note(check.unclosed, "scopes do not end");
  note(lost, "values are added outside of any scope");
  found.contents = fmt::format(
      "{} records, {} zone{}", formatCount(decoder.records()),
      check.lines().zoneCount(), check.lines().zoneCount() == 1 ? "" : "s");
  return found;
}

Expected<Findings> verifyDetail(model::ByteInput &input) {
  if (auto kept = input.spool(); !kept)
    return kept.error();
  auto reader = atf::DetailReader::open(input.path());
  Findings found;
  if (!reader) {
    if (reader.error().code == "E_IO")
      return reader.error();
    found.problems.push_back(reader.error().text());
    found.contents = "no events";
    return found;
  }
  for (const Warning &flaw : reader->warnings())
    found.problems.push_back(
        fmt::format("{}: {} [{}]", input.name(), flaw.message, flaw.code));
  found.contents = fmt::format("{} detail events", formatCount(reader->size()));
  return found;
}

} // namespace

int verifyForeign(ForeignFile file, Output &out, const Palette &palette,
                  bool quiet) {
  Expected<Findings> found =
      file.format == model::Format::Wtf         ? verifyWtf(file.input)
      : file.format == model::Format::AtfDetail ? verifyDetail(file.input)
                                                : verifyDial9(file.input);
  if (!found)
    return fail(kCantRead, "{}", found.error().text());
  for (const std::string &problem : found->problems)
    out.print("{}problem:{} {}\n", palette.error, palette.reset, problem);
  for (const std::string &note : found->notes)
    out.print("{}note:{} {}\n", palette.warn, palette.reset, note);
  const size_t problems = found->problems.size();
  if (!quiet) {
    if (problems == 0)
      out.print("{}ok:{} ", palette.good, palette.reset);
    else
      out.print("{} problem{} in {}: ", problems, problems == 1 ? "" : "s",
                file.input.name());
    out.print("{}\n", found->contents);
  }
  return problems ? kProblemsFound : kOk;
}

} // namespace ada::cli
