// Reads the fields of a manifest as shared/manifest_keys.h describes them.
#include "formats/native/manifest/manifest_fields.h"

#include "shared/manifest_keys.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace ada {

static std::optional<ManifestDeath> deathOf(const dom::object &fields) {
  ManifestDeath death;
  dom::element cause, found;
  if (fields[manifest::kCause].get(cause) || !take(cause, death.cause))
    return std::nullopt;
  const auto at = [&](std::string_view key, uint64_t &to) { return !fields[key].get(found) && take(found, to); };
  at(manifest::kTid, death.tid), at(manifest::kSenderPid, death.senderPid);
  at(manifest::kSenderUser, death.senderUser), at(manifest::kAddress, death.address);
  if (!fields[manifest::kForbiddenCounter].get(found))
    (void)take(found, death.readForbiddenCounter);
  dom::object registers;
  if (!fields[manifest::kRegisters].get(registers))
    for (const auto &[name, value] : registers)
      if (uint64_t number = 0; take(value, number))
        death.registers.emplace_back(name, number);
  return death;
}

// Either a word, such as "running", or an object that has one of the words as its key or in its field `how`:
// {"code": 3}, {"how": "signal", "value": 9}.
static bool take(dom::element value, ManifestExit &exit) {
  dom::object fields;
  if (value.get(fields))
    return take(value, exit.how);
  const auto at = [&](std::string_view key, auto &to) {
    dom::element found;
    return !fields[key].get(found) && take(found, to);
  };
  at(manifest::kHow, exit.how), at(manifest::kValue, exit.value);
  for (const std::string_view key :
       {manifest::kCode, manifest::kSignal, manifest::kExec, manifest::kRunning, manifest::kUnknown}) {
    if (exit.how.empty() && !fields[key].error())
      exit.how = key;
    if (exit.how == key && !exit.value)
      at(key, exit.value);
  }
  exit.death = deathOf(fields);
  return true;
}

const ManifestFields::List &ManifestFields::list() const {
  static const List kNone;
  return list_ ? *list_ : kNone;
}

// Equal lists are parsed once.
static bool take(dom::element value, ManifestFields &to) {
  static std::mutex mutex;
  static std::unordered_map<std::string, std::weak_ptr<const ManifestFields::List>> known;
  static size_t full = 1000; // then lists that nobody has any more are looked for; later if most are in use
  const std::lock_guard lock(mutex);
  if (known.size() >= full) {
    std::erase_if(known, [](const auto &entry) { return entry.second.expired(); });
    full = std::max(full, 2 * known.size());
  }
  auto &place = known[simdjson::minify(value)];
  std::shared_ptr<const ManifestFields::List> list = place.lock();
  if (!list) {
    ManifestFields::List read;
    if (!take(value, read))
      return false;
    list = std::make_shared<const ManifestFields::List>(std::move(read));
    place = list;
  }
  to = ManifestFields(std::move(list));
  return true;
}

namespace atf {

void readFields(const dom::object &root, Manifest &manifest) {
  (void)FieldReader::read(root, manifest, [](auto &f, auto &m) { manifest::manifestFields(f, m); });
  dom::object recovered;
  manifest.wasRecovered = !root[manifest::kRecovered].get(recovered);
  for (DetailWindow &window : manifest.windows)
    window.triggerCount = std::max<uint64_t>(window.triggerCount, window.triggers.size());
}

// Windows only grow, and those that touch become one: what lies in another is an older version of it.
static void takeWindow(std::vector<DetailWindow> &windows, const DetailWindow &late) {
  const auto first = std::ranges::lower_bound(windows, late.startNs, {}, &DetailWindow::endNs);
  const auto last = std::find_if(first, windows.end(), [&](const auto &w) { return w.startNs > late.endNs; });
  if (last - first == 1 && first->startNs <= late.startNs && late.endNs <= first->endNs &&
      late.triggerCount <= first->triggerCount) {
    if (late.startNs == first->startNs && late.endNs == first->endNs && late.triggerCount == first->triggerCount)
      first->preRollAvailableMs = late.preRollAvailableMs;
    return;
  }
  windows.insert(windows.erase(first, last), late);
}

// Functions are switched off once, and may be switched on again once.
static void takeSwitchedOff(std::vector<SwitchedOffFunction> &all, const SwitchedOffFunction &late) {
  const auto known = std::ranges::find(all, late.functionId, &SwitchedOffFunction::functionId);
  if (known == all.end())
    all.push_back(late);
  else if (!known->onNs && late.estimatedCalls >= known->estimatedCalls)
    *known = late;
}

void takeLateFields(const dom::object &line, Manifest &manifest) {
  Manifest late = Manifest::empty();
  readFields(line, late);
  for (const DetailWindow &window : late.windows)
    takeWindow(manifest.windows, window);
  for (const SwitchedOffFunction &off : late.switchedOff)
    takeSwitchedOff(manifest.switchedOff, off);
}

bool readThread(const dom::object &object, ManifestThread &thread) {
  // An id must be an integer, because it becomes part of a path.
  if (object[manifest::kId].get(thread.id) || thread.id > UINT32_MAX)
    return false;
  (void)FieldReader::read(object, thread, [](auto &f, auto &t) { manifest::threadFields(f, t); });
  std::erase_if(thread.gaps, [](const LossGap &gap) { return gap.fromNs > gap.toNs; });
  std::ranges::stable_sort(thread.gaps, {}, &LossGap::fromNs);
  return true;
}

} // namespace atf
} // namespace ada
