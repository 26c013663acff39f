// Types by their layout, written as docs/reference/types.md says, from GCC's trees.
#pragma once

#include "gcc_headers.h"

#include "common/type_grammar.h"

namespace ada::pass {

/// The name of TYPE as in the source; "" if it has none. Numbers have the names that clang gives them.
std::string typeName(tree type);
/// If TYPE is the class behind std::string: kStdString, kLibcxxString, or the name of the class for other libraries and
/// versions. Otherwise "".
std::string stringName(tree type);

/// What a function may read of the memory that an address points to.
struct LoadedBytes {
  bool isAll = false;
  bool isNothing = false;                                      // GCC proved that; else, it may read more than is here
  bool isDeep = false;                                         // also of the memory that addresses in it point to
  std::vector<std::pair<HOST_WIDE_INT, HOST_WIDE_INT>> ranges; // (offset, bytes)
  std::vector<alias_set_type> sets;                            // values of these types, wherever they are

  /// Whether values of TYPE may be read everywhere.
  bool covers(tree type) const;
  /// Whether a value of TYPE that is OFFSET bytes after the address may be read.
  bool covers(tree type, HOST_WIDE_INT offset) const;
  /// Keeps what OTHER has as well.
  void intersect(const LoadedBytes &other);
};

/// Writes types. A function has one for all its types, which limits how many enumerators are named.
class TypeLayout {
public:
  /// POINTEES: with the layout of what a pointer or a reference points to, where that is a value of its own.
  explicit TypeLayout(bool pointees) : pointees_(pointees) {}

  /// LOADED: what the function may read of the memory that a parameter of this TYPE points to; null: all of it.
  std::string write(tree type, const LoadedBytes *loaded = nullptr);
  /// TYPE, of an object that is passed by its address: as much of it as LOADED says that the function may read; "" if
  /// that is nothing.
  std::string writeObject(tree type, const LoadedBytes &loaded);
  /// Whether TEXT, of a pointer or reference, describes what it points to.
  static bool hasTarget(const std::string &text);

private:
  struct Members {
    std::string text;
    unsigned HOST_WIDE_INT bytes = 0; // up to the end of the last one
    unsigned count = 0;
  };
  bool pointees_;
  const LoadedBytes *loaded_ = nullptr;
  unsigned depth_ = 0, enumerators_ = 0;

  /// What the address in a parameter or result of type POINTER points to, if that is to be described; else "".
  std::string target(tree pointer);
  /// TYPE if it is a number, an enumeration or an address, which readers can show one by one; else "".
  std::string element(tree type);
  /// Adds the members of TYPE, which begins OFFSET bytes after the address that a pointer holds, as far as readers can
  /// show them. Members of its base classes count as its own.
  void addMembers(tree type, unsigned HOST_WIDE_INT offset, Members &found);

  std::string writePlain(tree type);
  std::string writeEnumeration(tree type);
  std::string writeStruct(tree type);
  std::string array(tree each, tree type);
};

} // namespace ada::pass
