// What the wtf-trace tests compare: records and trees as JSON, and files put together by hand.
#pragma once

#include "ada/trace/wtf.h"
#include "tree.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace wtftest {

using Json = nlohmann::json;

std::span<const std::byte> bytesOf(const std::string &text);
std::string readFile(const std::string &path);

Json toJson(const ada::wtf::Arg &arg);
/// {name: value} of all arguments of a record.
Json argsOf(const ada::wtf::Record &record);
/// A zone in the form that the vectors use.
Json toJson(const ada::wtf::ZoneTree &zone);

/// Everything that a decoder reports about a file.
struct Content : ada::wtf::Visitor {
  std::optional<ada::wtf::FileHeader> header;
  Json records = Json::array(), types = Json::array();
  std::vector<uint64_t> offsets;
  std::vector<std::string> warnings;
  std::optional<ada::Error> error;

  void onHeader(const ada::wtf::FileHeader &value) override { header = value; }
  void onRecord(const ada::wtf::Record &record) override;
  void onDefinition(const ada::wtf::EventType &type, bool isNew) override;
  void onWarning(const ada::Warning &warning) override { warnings.push_back(warning.code); }

private:
  struct NoItems : ada::wtf::TimelineVisitor {
    void onItem(const ada::wtf::Item &) override {}
  } noItems_;
  ada::wtf::Timeline timeline_{noItems_};
};
/// Decodes a file that arrives in pieces of `piece` bytes; 0 is all at once.
void decode(const std::string &file, Content &content, size_t piece = 0, ada::wtf::DecoderOptions options = {});

/// Decodes a file and encodes it again.
ada::Expected<std::string> reencode(const std::string &file, std::optional<ada::wtf::Dialect> dialect = {});

/// A version 3 file, big-endian, from its first record on.
class HandMade {
public:
  explicit HandMade(bool big = true) : big_(big) {}
  HandMade &u8(unsigned value);
  HandMade &u16(unsigned value);
  HandMade &u32(uint32_t value);
  HandMade &ascii(const std::string &text);
  HandMade &raw(const std::string &bytes);
  HandMade &header(const std::string &context = R"({"contextType":"script"})", const std::string &metadata = "");
  HandMade &record(unsigned wireId, uint32_t time) { return u16(wireId).u32(time); }
  HandMade &define(unsigned wireId, unsigned eventClass, uint32_t flags, const std::string &name,
                   const std::string &args = "");
  /// Zone events and wtf.scope#leave under their usual numbers.
  HandMade &builtIns();
  HandMade &zone(unsigned id, const std::string &name, const std::string &location = "");
  HandMade &set(unsigned id, uint32_t time = 0) { return record(5, time).u16(id); }
  size_t size() const { return bytes_.size(); }
  const std::string &str() const { return bytes_; }

private:
  std::string bytes_;
  bool big_;
};

} // namespace wtftest
