// Which source files may be read because a trace names them, and their text.
//
// A trace may come from anybody, and its manifest may name any file of this machine. So what a trace names is not
// enough; docs/reference/commands/pack.md#which-source-files has the rule. Everything that shows or packs sources of a
// trace reads them here.
#pragma once

#include "ada/trace/error.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ada::formats {

struct SourceText {
  std::string text;
  int64_t modifiedSeconds = 0;
};

class SourceFiles {
public:
  /// Adds the source files that the program or library `path` names, if its build ID is `buildId`; else returns false.
  using NamedBy =
      std::function<bool(const std::string &path, const std::string &buildId, std::set<std::string, std::less<>> &)>;
  struct Rule {
    /// Directories whose source files may be read, from the user. The working directory is one, too, unless it is the
    /// user's home directory or "/".
    std::vector<std::string> roots;
    NamedBy namedBy;
    /// Files that have the name of a secret are taken for sources, too.
    bool secrets = false;
  };
  SourceFiles(std::string trace, Rule rule);

  /// The text of a function's source file: the copy packed with the trace or its session, or else the file on this
  /// machine. Thread-safe. Errors: E_IO (no such file), E_REFUSED (not allowed by the rule, or not text), E_TOO_LARGE;
  /// their messages can be shown to users.
  Expected<SourceText> read(const std::string &file);

  /// The trace has grown, perhaps by programs or libraries. Any thread.
  void lookAgain();

  static constexpr uint64_t kMaxBytes = uint64_t{16} << 20;

private:
  using Path = std::filesystem::path;
  // A directory as it was named, and without links.
  struct Root {
    Path named, real;
    bool isPublic = false; ///< only files that every user may read
  };
  // Where a file may be; `root` is null if a program of this machine names it.
  struct Candidate {
    Path path;
    const Root *root = nullptr;
  };

  std::optional<Expected<SourceText>> readPacked(const std::string &file) const;
  Expected<std::vector<Candidate>> candidates(const std::string &file);
  Expected<SourceText> readCandidate(const Candidate &candidate) const;
  bool isSource(const Path &path, bool isPublic) const;
  bool isWantedSecret(const Path &path) const;
  // Whether the trace's programs, as they are on this machine, name a file; nothing if some are not there.
  std::optional<bool> isNamedByProgram(const std::string &file);
  void addRoot(const Path &path, bool isPublic = false);
  void findNames();

  std::string trace_;
  Rule rule_;
  Path workingDirectory_;
  std::vector<Root> roots_;
  std::mutex mutex_; // protects the members below
  bool areNamesFound_ = false;
  std::set<std::string, std::less<>> names_;
  bool areAllNamesKnown_ = false;
};

/// Where in a trace the source file of that name is packed. Two names never have the same place.
std::string placeOfSource(const std::string &file);
/// Whether a file of a trace lies in such a place.
bool isPackedSource(std::string_view name);

} // namespace ada::formats
