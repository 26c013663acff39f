// Takes the names that GCC writes into debug information, and leaves out those that may be wrong.
//
// GCC makes the symbol "_i_Counter_Sums_add_to_" of -[Counter(Sums) add:to:], and the name of the symbol again: each
// '_' may be a ':', a border, or a '_' in the source. It guesses, so what it says is compared with what is known.
#include "objc_names.h"

#include <algorithm>

// Only in the compilers of Objective-C and Objective-C++: the class of that name, null if there is none.
// NOLINTNEXTLINE(readability-identifier-naming)
__attribute__((weak)) tree lookup_interface(tree name);

namespace ada::pass {

namespace {

bool isClass(const std::string &name) { return lookup_interface(get_identifier(name.c_str())); }

/// The class that the type of METHOD's parameter `self` names; "" if it names none, as in methods of classes.
std::string classOfSelf(tree method) {
  tree type = TREE_TYPE(DECL_ARGUMENTS(method));
  tree name = POINTER_TYPE_P(type) ? TYPE_NAME(TYPE_MAIN_VARIANT(TREE_TYPE(type))) : NULL_TREE;
  if (name && TREE_CODE(name) == TYPE_DECL)
    name = DECL_NAME(name);
  return name ? IDENTIFIER_POINTER(name) : "";
}

} // namespace

std::string methodName(tree function) {
  if (!lookup_interface)
    return "";
  const tree method = DECL_ORIGIN(function);
  if (!DECL_ARGUMENTS(method))
    return "";
  const std::string name = lang_hooks.decl_printable_name(method, 1);
  const size_t classEnd = name.find_first_of("( "), selector = name.find(' ');
  if (name.size() < 2 || name[1] != '[' || selector == std::string::npos)
    return "";
  const std::string className = name.substr(2, classEnd - 2);
  const bool isOfInstance = name[0] == '-', hasCategory = name[classEnd] == '(';
  if (isOfInstance ? className != classOfSelf(method) : !isClass(className))
    return "";
  // +[My(Class) _make] may be +[My_Class make]
  if (hasCategory && isClass(className + "_" + name.substr(classEnd + 1, selector - classEnd - 2)))
    return "";
  const auto arguments = list_length(DECL_ARGUMENTS(method)) - 2; // without self and _cmd
  return std::count(name.begin(), name.end(), ':') == arguments ? name : "";
}

} // namespace ada::pass
