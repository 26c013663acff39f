// Which module is where in the memory of a program.
#ifndef ADA_LIB_FORMATS_UFTRACE_MAPPINGS_H
#define ADA_LIB_FORMATS_UFTRACE_MAPPINGS_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ada::model::uftrace {

struct Module;

struct Mapping {
  uint64_t begin = 0, end = 0;
  std::shared_ptr<const Module> module = {};
  uint64_t sinceNs = 0; ///< for a library that was loaded later
};

/// Any number of mappings. If they overlap, the one that was added last counts.
class Mappings {
public:
  void add(Mapping mapping) { all_.push_back(std::move(mapping)); }
  bool empty() const { return all_.empty(); }
  Mapping &back() { return all_.back(); }
  /// Call after the last mapping was added. Takes n log n steps; find() takes log² n.
  void settle();
  const Mapping *find(uint64_t address, uint64_t timeNs) const;

private:
  std::vector<Mapping> all_;
  // A segment tree. Its leaves are the ranges between bounds_, and each node has the mappings that cover all of it, as
  // their places in all_. The later one of two mappings also begins later, or the first would never count.
  std::vector<uint64_t> bounds_;
  std::vector<std::vector<uint32_t>> nodes_;
};

} // namespace ada::model::uftrace

#endif // ADA_LIB_FORMATS_UFTRACE_MAPPINGS_H
