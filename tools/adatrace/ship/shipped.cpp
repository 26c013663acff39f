// Remembers in a file which traces the database has confirmed.
#include "shipped.h"
#include "fleet/durable_file.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

namespace ada::cli {

namespace {

constexpr unsigned kVersion = 2; // version 1 had only the time of confirmation
constexpr const char *kVersionKey = "version", *kTo = "to", *kPlan = "plan", *kConfirmed = "confirmed", *kAt = "at",
                     *kMark = "manifest_ns";

} // namespace

void Shipped::read(std::string &what) {
  std::ifstream in(file_, std::ios::binary);
  if (!in)
    return;
  std::ostringstream text;
  text << in.rdbuf();
  const auto json = nlohmann::json::parse(text.str(), nullptr, /*allow_exceptions=*/false);
  const auto is = [&](const char *key, const nlohmann::json &wanted) {
    return json.is_object() && json.contains(key) && json[key] == wanted;
  };
  if (is(kVersionKey, 1)) {
    what = file_ + " has an older version and is replaced: the server is asked which traces it has";
    return;
  }
  if (!is(kVersionKey, kVersion) || !json.contains(kConfirmed) || !json[kConfirmed].is_object()) {
    what = file_ + " can't be parsed and is replaced";
    return;
  }
  if (!is(kTo, to_) || !is(kPlan, plan_)) {
    what = file_ + " belongs to another database or other options and is replaced";
    return;
  }
  for (const auto &[name, when] : json[kConfirmed].items())
    if (when.is_object() && when.contains(kAt) && when[kAt].is_number_unsigned() && when.contains(kMark) &&
        when[kMark].is_number_unsigned())
      units_[name] = {.atSeconds = when[kAt].get<uint64_t>(), .mark = when[kMark].get<uint64_t>()};
}

Expected<void> Shipped::write() const {
  nlohmann::json confirmed = nlohmann::json::object();
  for (const auto &[name, when] : units_)
    confirmed[name] = {{kAt, when.atSeconds}, {kMark, when.mark}};
  const nlohmann::json json = {{kVersionKey, kVersion}, {kTo, to_}, {kPlan, plan_}, {kConfirmed, confirmed}};
  const std::string text = json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  return writeDurably(file_, text);
}

const Confirmed *Shipped::find(const std::string &name, uint64_t mark) const {
  const auto found = units_.find(name);
  return found != units_.end() && found->second.mark == mark ? &found->second : nullptr;
}

bool Shipped::keepOnly(const std::set<std::string> &there) {
  return std::erase_if(units_, [&](const auto &unit) { return !there.contains(unit.first); }) > 0;
}

} // namespace ada::cli
