// Remembers in a file which traces the database has confirmed.
#include "shipped.h"
#include "fleet/durable_file.h"
#include "trace/base/json_object.h"

#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>

namespace ada::cli {

namespace {

constexpr uint64_t kVersion = 2; // version 1 had only the time of confirmation
constexpr const char *kVersionKey = "version", *kTo = "to", *kPlan = "plan", *kConfirmed = "confirmed", *kAt = "at",
                     *kMark = "manifest_ns";

// What a file must have for its traces to count.
JsonMembers head(const std::string &to, const std::string &plan) {
  JsonMembers json;
  json.number(kVersionKey, kVersion).text(kTo, to).text(kPlan, plan);
  return json;
}

std::optional<uint64_t> numberOf(const std::string *json) {
  uint64_t number = 0;
  const char *const end = json ? json->data() + json->size() : nullptr;
  if (!json || std::from_chars(json->data(), end, number).ptr != end || json->empty())
    return std::nullopt;
  return number;
}

} // namespace

void Shipped::read(std::string &what) {
  std::ifstream in(file_, std::ios::binary);
  if (!in)
    return;
  std::ostringstream text;
  text << in.rdbuf();
  const JsonObject json(text.str()), mine(head(to_, plan_).object());
  const auto is = [&](const char *key, const std::string &wanted) {
    const std::string *const found = json.find(key);
    return found && *found == wanted;
  };
  if (is(kVersionKey, "1")) {
    what = file_ + " has an older version and is replaced: the server is asked which traces it has";
    return;
  }
  const std::string *const confirmed = json.find(kConfirmed);
  if (!is(kVersionKey, *mine.find(kVersionKey)) || !confirmed || !confirmed->starts_with('{')) {
    what = file_ + " can't be parsed and is replaced";
    return;
  }
  if (!is(kTo, *mine.find(kTo)) || !is(kPlan, *mine.find(kPlan))) {
    what = file_ + " belongs to another database or other options and is replaced";
    return;
  }
  const JsonObject units(*confirmed);
  for (const auto &[name, about] : units.members()) {
    const JsonObject when(about);
    const auto at = numberOf(when.find(kAt)), mark = numberOf(when.find(kMark));
    if (at && mark)
      units_[name] = {.atSeconds = *at, .mark = *mark};
  }
}

Expected<void> Shipped::write() const {
  JsonMembers json = head(to_, plan_);
  json.beginObject(kConfirmed);
  for (const auto &[name, when] : units_)
    json.beginObject(name).number(kAt, when.atSeconds).number(kMark, when.mark).endObject();
  json.endObject();
  return writeDurably(file_, json.object() + "\n");
}

const Confirmed *Shipped::find(const std::string &name, uint64_t mark) const {
  const auto found = units_.find(name);
  return found != units_.end() && found->second.mark == mark ? &found->second : nullptr;
}

bool Shipped::keepOnly(const std::set<std::string> &there) {
  return std::erase_if(units_, [&](const auto &unit) { return !there.contains(unit.first); }) > 0;
}

} // namespace ada::cli
