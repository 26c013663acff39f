// What was confirmed by the database, kept in a file.
#include "shipped.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace ada::cli {

namespace {

constexpr unsigned kVersion = 1;
constexpr const char *kVersionKey = "version", *kTo = "to", *kPlan = "plan", *kConfirmed = "confirmed";

Error failure(const std::string &file) { return {.code = "E_IO", .message = std::strerror(errno), .file = file}; }

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
  if (!is(kVersionKey, kVersion) || !json.contains(kConfirmed) || !json[kConfirmed].is_object()) {
    what = file_ + " can't be understood, and is begun anew";
    return;
  }
  if (!is(kTo, to_) || !is(kPlan, plan_)) {
    what = file_ + " is about another database or other options, and is begun anew";
    return;
  }
  for (const auto &[name, when] : json[kConfirmed].items())
    if (when.is_number_unsigned())
      units_[name] = when.get<std::uint64_t>();
}

Expected<void> Shipped::write() const {
  nlohmann::json confirmed = nlohmann::json::object();
  for (const auto &[name, when] : units_)
    confirmed[name] = when;
  const nlohmann::json json = {{kVersionKey, kVersion}, {kTo, to_}, {kPlan, plan_}, {kConfirmed, confirmed}};
  const std::string text = json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  const std::string next = file_ + ".new";
  const int file = ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0)
    return failure(next);
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(file, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    done += static_cast<std::size_t>(n);
  }
  const bool isWhole = done == text.size() && ::fsync(file) == 0;
  const Error problem = failure(next);
  ::close(file);
  if (!isWhole) {
    ::unlink(next.c_str());
    return problem;
  }
  return ::rename(next.c_str(), file_.c_str()) == 0 ? Expected<void>() : failure(file_);
}

std::uint64_t Shipped::confirmedAt(const std::string &name) const {
  const auto found = units_.find(name);
  return found == units_.end() ? 0 : found->second;
}

bool Shipped::keepOnly(const std::set<std::string> &there) {
  return std::erase_if(units_, [&](const auto &unit) { return !there.contains(unit.first); }) > 0;
}

} // namespace ada::cli
