// Types by their layout, written as docs/reference/types.md says, from GCC's trees.
#pragma once

#include "gcc_headers.h"

#include "common/type_grammar.h"

namespace ada {

/// The name of TYPE as in the source; "" if it has none. Numbers have the names that clang gives them.
std::string typeName(tree type);
/// If TYPE is the class behind std::string: kStdString, kLibcxxString, or the name of the class for other libraries and
/// versions. Otherwise "".
std::string stringName(tree type);

/// Writes types. A function has one for all its types, which limits how many enumerators are named.
class TypeLayout {
public:
  std::string write(tree type);

private:
  unsigned depth_ = 0, enumerators_ = 0;

  std::string writePlain(tree type);
  std::string writeEnumeration(tree type);
  std::string writeStruct(tree type);
  std::string array(tree element, tree type);
};

} // namespace ada
