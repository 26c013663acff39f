// The directories of the parts of a trace.
#include "parts.h"
#include "core/base/json.h"
#include "core/base/message.h"
#include "dump.h"
#include "shared/manifest_keys.h"

namespace ada::runtime {
namespace {

constexpr uint64_t kPauseNs = 1000000000;
constexpr uint64_t kMaxNumber = 10000000;

const char *lastName(const Path &path) {
  const char *name = path.c_str();
  for (const char *s = name; *s; ++s)
    if (*s == '/')
      name = s + 1;
  return name;
}

// The N of pid_P_N; 1 if there is none.
uint64_t numberOf(const char *name) {
  TextPiece rest = TextPiece(name).from(sizeof "pid_" - 1);
  uint64_t pid, number;
  if (!options::takeNumber(rest, pid) || rest.empty())
    return 1;
  rest = rest.from(1);
  return options::takeNumber(rest, number) ? number : 1;
}

} // namespace

void Parts::start(const Options &options, const char *directory) {
  limit_ = options.rotation();
  directory_.clear(), previousName_.clear();
  directory_ << directory;
  number_ = 1, directoryNumber_ = numberOf(lastName(directory_));
  begin(0, 0);
}

bool Parts::isInOwnSession() const {
  Path session(directory_);
  session.toParent();
  return TextPiece(lastName(session)).startsWith("session_");
}

void Parts::pause(int error) {
  error_ = error;
  retryNs_ = sys::nowNs() + kPauseNs;
}

int Parts::makeNextIn(const char *session) {
  moves_ = true;
  for (nextDirectoryNumber_ = 1;; ++nextDirectoryNumber_) {
    nextDirectory_.clear();
    nextDirectory_ << session << "/pid_" << sys::processId();
    if (nextDirectoryNumber_ > 1)
      nextDirectory_ << '_' << nextDirectoryNumber_;
    nextPlace_ = nextDirectory_;
    if (nextDirectory_.cut())
      return -ENAMETOOLONG;
    const int error = sys::makeDirectory(nextPlace_.c_str());
    if (error != -EEXIST || nextDirectoryNumber_ == kMaxNumber)
      return error;
  }
}

int Parts::makeNext() {
  moves_ = false;
  for (nextDirectoryNumber_ = directoryNumber_ + 1;; ++nextDirectoryNumber_) {
    Path name;
    name << "pid_" << sys::processId() << '_' << nextDirectoryNumber_;
    nextDirectory_ = directory_;
    nextDirectory_.toParent();
    nextDirectory_ << '/' << name.c_str();
    nextPlace_ = isInside_ ? Path("../") : nextDirectory_;
    if (isInside_)
      nextPlace_ << name.c_str();
    if (nextDirectory_.cut())
      return -ENAMETOOLONG;
    // Existing ones belong to programs that this process was before an exec, or to a process with the same number.
    const int error = sys::makeDirectory(nextPlace_.c_str());
    if (error != -EEXIST || nextDirectoryNumber_ == kMaxNumber)
      return error;
  }
}

int Parts::enterNext() {
  if (isInside_)
    if (int error = static_cast<int>(sys::call(SYS_chdir, nextPlace_.c_str())); error < 0)
      return error;
  previousName_.clear(), leftPlace_.clear();
  previousName_ << (moves_ ? "" : lastName(directory_));
  if (isInside_ && !moves_)
    leftPlace_ << "../" << previousName_.c_str();
  else
    leftPlace_ = directory_;
  directory_ = nextDirectory_;
  directoryNumber_ = nextDirectoryNumber_;
  number_ = moves_ ? 1 : number_ + 1;
  error_ = 0;
  return 0;
}

void Parts::dropNext() { removeProcessDirectory(nextPlace_.c_str()); }

void Parts::beginManifest(JsonWriter &json, Part part) const {
  const bool isNext = part == Part::Next;
  json.line().beginObject(manifest::kPart);
  json.number(manifest::kNumber, !isNext ? number_ : moves_ ? 1 : number_ + 1);
  json.number(manifest::kStartNs, isNext ? sys::nowNs() : beganNs_);
  if (isNext && !moves_)
    json.text(manifest::kPrevious, lastName(directory_));
  else if (isNext)
    ;
  else if (!previousName_.empty())
    json.text(manifest::kPrevious, previousName_.c_str());
  if (part == Part::Complete)
    json.text(manifest::kNext, lastName(nextDirectory_));
  else if (error_ < 0 && !isNext)
    json.text(manifest::kFailure, errorText(error_));
}

} // namespace ada::runtime
