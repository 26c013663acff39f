// Messages about processes, of which a session may have ten thousand alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace ada::cli {

/// Says messages one by one while they are few, and later only the first of each kind. Messages of one kind differ only
/// in paths and numbers.
class FoldedMessages {
public:
  /// `all`: what shows every message, like "--each"; empty: every message is said.
  FoldedMessages(std::string all, std::function<void(const std::string &)> say)
      : all_(std::move(all)), say_(std::move(say)) {}
  FoldedMessages(FoldedMessages &&) = default;
  FoldedMessages &operator=(FoldedMessages &&) = default;
  ~FoldedMessages() { finish(); }

  void add(const std::string &text);
  /// Says how many more there were of each kind, since the start or the last call.
  void finish();

private:
  struct Kind {
    std::string first;
    uint64_t unsaid = 0;
  };
  std::string all_;
  std::function<void(const std::string &)> say_;
  size_t said_ = 0;
  std::map<std::string, Kind> kinds_;
};

/// What shows everything that is wrong with a trace, for FoldedMessages: "`adatrace verify --each PATH`".
std::string verifyEach(const std::string &path);

} // namespace ada::cli
