// Reads types from trees and writes them as text.
#include "type_layout.h"

#include <map>

namespace ada::pass {

namespace {

/// The size of TYPE in bits; 0 if that is not constant.
unsigned HOST_WIDE_INT bitsOf(tree type) {
  tree size = TYPE_SIZE(type);
  return size && TREE_CODE(size) == INTEGER_CST && tree_fits_uhwi_p(size) ? tree_to_uhwi(size) : 0;
}

bool isCxx() { return startswith(lang_hooks.name, "GNU C++"); }

/// A member function's pointer has the form of a struct.
bool isMemberPointer(tree type) {
  tree field = TREE_CODE(type) == RECORD_TYPE ? TYPE_FIELDS(type) : NULL_TREE;
  return TREE_CODE(type) == OFFSET_TYPE || (field && TREE_CODE(field) == FIELD_DECL && DECL_NAME(field) &&
                                            strcmp(IDENTIFIER_POINTER(DECL_NAME(field)), "__pfn") == 0);
}

std::string unknown(tree type) {
  return "?" + std::to_string(bitsOf(type)) + "(" + escaped(isMemberPointer(type) ? "" : typeName(type)) + ")";
}

/// A bit field that is only there for the layout.
bool isPadding(tree field) { return DECL_BIT_FIELD(field) && !DECL_NAME(field); }

/// Whether values of TYPE consist of anything.
bool hasData(tree type) {
  if (TREE_CODE(type) == ARRAY_TYPE)
    return bitsOf(type) > 0 && hasData(TREE_TYPE(type));
  if (!RECORD_OR_UNION_TYPE_P(type))
    return true;
  for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field))
    if (TREE_CODE(field) == FIELD_DECL && !isPadding(field) && hasData(TREE_TYPE(field)))
      return true;
  return !COMPLETE_TYPE_P(type);
}

/// The name of a namespace; "" for those that are inline or have none.
std::string visibleName(tree space) {
  const bool isInline = isCxx() && DECL_LANG_FLAG_0(space);
  return isInline || !DECL_NAME(space) ? "" : IDENTIFIER_POINTER(DECL_NAME(space));
}

/// The name of TYPE with the namespaces and classes that it is in, except inline and unnamed ones.
std::string qualifiedName(tree type) {
  std::string name = typeName(type);
  tree declaration = TYPE_NAME(type);
  tree scope = declaration && TREE_CODE(declaration) == TYPE_DECL ? DECL_CONTEXT(declaration) : NULL_TREE;
  for (; scope && TREE_CODE(scope) != TRANSLATION_UNIT_DECL && TREE_CODE(scope) != FUNCTION_DECL;
       scope = TYPE_P(scope) ? TYPE_CONTEXT(scope) : DECL_CONTEXT(scope)) {
    const std::string outer = TYPE_P(scope)                        ? typeName(scope)
                              : TREE_CODE(scope) == NAMESPACE_DECL ? visibleName(scope)
                                                                   : "";
    if (!outer.empty() && outer != "::")
      name = outer + "::" + name;
  }
  return name;
}

/// How much of a struct behind a pointer is described. No more than that is recorded either.
constexpr unsigned HOST_WIDE_INT kMaxPointeeBytes = 256;
constexpr unsigned kMaxPointeeMembers = 32;

/// Whether FIELD of TYPE is a base class that is always in the same place.
bool isBase(tree type, tree field) {
  tree base;
  if (TYPE_BINFO(type) && DECL_ARTIFICIAL(field))
    for (unsigned i = 0; BINFO_BASE_ITERATE(TYPE_BINFO(type), i, base); ++i)
      if (TYPE_MAIN_VARIANT(BINFO_TYPE(base)) == TYPE_MAIN_VARIANT(TREE_TYPE(field)))
        return !BINFO_VIRTUAL_P(base);
  return false;
}

/// The element type of libstdc++'s std::vector, except that of bool; null for other types. It begins with a pointer to
/// the first element.
tree vectorElement(tree type) {
  if (TREE_CODE(type) != RECORD_TYPE || bitsOf(type) != 192 || !startswith(qualifiedName(type).c_str(), "std::vector<"))
    return NULL_TREE;
  for (unsigned depth = 0; depth < 8 && type && TREE_CODE(type) == RECORD_TYPE; ++depth) {
    tree found = NULL_TREE;
    for (tree field = TYPE_FIELDS(type); field && !found; field = DECL_CHAIN(field)) {
      if (TREE_CODE(field) != FIELD_DECL || is_empty_type(TREE_TYPE(field)))
        continue;
      const bool isStart = DECL_NAME(field) && strcmp(IDENTIFIER_POINTER(DECL_NAME(field)), "_M_start") == 0;
      if (isStart && POINTER_TYPE_P(TREE_TYPE(field)))
        return TYPE_MAIN_VARIANT(TREE_TYPE(TREE_TYPE(field)));
      found = TREE_TYPE(field);
    }
    type = found;
  }
  return NULL_TREE;
}

std::string pointee(tree type) {
  std::string text = TYPE_READONLY(type) ? "const " : "";
  if (VOID_TYPE_P(type))
    return text + "void";
  if (FUNC_OR_METHOD_TYPE_P(type))
    return "function";
  if (const std::string name = stringName(TYPE_MAIN_VARIANT(type)); !name.empty())
    return text + name;
  if (const std::string name = qualifiedName(type); !name.empty())
    return text + name;
  return text + (POINTER_TYPE_P(type) ? pointee(TREE_TYPE(type)) + " *" : "?");
}

} // namespace

std::string typeName(tree type) {
  tree name = TYPE_NAME(type);
  if (!name)
    return "";
  std::string text;
  if (TREE_CODE(name) == IDENTIFIER_NODE) {
    text = IDENTIFIER_POINTER(name);
  } else if (in_lto_p && DECL_ASSEMBLER_NAME_SET_P(name) &&
             strcmp(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(name)),
                    "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE") == 0) {
    // Only mangled names still have the arguments of templates. Readers know this class.
    text = "basic_string<char, std::char_traits<char>, std::allocator<char> >";
  } else if (DECL_NAME(name)) { // with -flto, unnamed types have none
    const char *known = lang_hooks.dwarf_name(name, 2);
    text = known ? known : "";
  }
  static const std::map<std::string, const char *> plain = {{"unsigned int", "unsigned int"},
                                                            {"long int", "long"},
                                                            {"long unsigned int", "unsigned long"},
                                                            {"short int", "short"},
                                                            {"short unsigned int", "unsigned short"},
                                                            {"long long int", "long long"},
                                                            {"long long unsigned int", "unsigned long long"}};
  const auto found = plain.find(text);
  return found == plain.end() ? text : found->second;
}

std::string stringName(tree type) {
  tree name = TREE_CODE(type) == RECORD_TYPE && (isCxx() || in_lto_p) ? TYPE_NAME(type) : NULL_TREE;
  tree space = name && TREE_CODE(name) == TYPE_DECL ? DECL_CONTEXT(name) : NULL_TREE;
  if (!space || TREE_CODE(space) != NAMESPACE_DECL || !DECL_NAME(name) ||
      strcmp(IDENTIFIER_POINTER(DECL_NAME(name)), "basic_string") != 0)
    return "";
  const std::string text = typeName(type);
  const auto isBasicString = [&](const std::string &library) {
    return text == "basic_string<char, " + library + "::char_traits<char>, " + library + "::allocator<char> >";
  };
  const char *inner = DECL_NAME(space) ? IDENTIFIER_POINTER(DECL_NAME(space)) : "";
  tree outer = DECL_CONTEXT(space);
  const bool isInStd = outer && TREE_CODE(outer) == NAMESPACE_DECL && visibleName(outer) == "std";
  if (isBasicString("std"))
    return isInStd && strcmp(inner, "__cxx11") == 0 ? kStdString : qualifiedName(type);
  return isInStd && DECL_LANG_FLAG_0(space) && isBasicString(std::string("std::") + inner) ? kLibcxxString : "";
}

bool LoadedBytes::covers(tree type) const {
  return isAll || (!AGGREGATE_TYPE_P(type) && std::find(sets.begin(), sets.end(), get_alias_set(type)) != sets.end());
}

bool LoadedBytes::covers(tree type, HOST_WIDE_INT offset) const {
  const HOST_WIDE_INT end = offset + bitsOf(type) / 8;
  return covers(type) || std::any_of(ranges.begin(), ranges.end(), [&](const auto &range) {
           return range.first <= offset && end <= range.first + range.second;
         });
}

void LoadedBytes::intersect(const LoadedBytes &other) {
  const bool isDeepInBoth = isDeep && other.isDeep, isNothingInOne = isNothing || other.isNothing;
  LoadedBytes both;
  for (const auto &[begin, bytes] : ranges)
    for (const auto &[otherBegin, otherBytes] : other.ranges) {
      const HOST_WIDE_INT from = std::max(begin, otherBegin), to = std::min(begin + bytes, otherBegin + otherBytes);
      if (from < to)
        both.ranges.emplace_back(from, to - from);
    }
  for (alias_set_type set : sets)
    if (std::find(other.sets.begin(), other.sets.end(), set) != other.sets.end())
      both.sets.push_back(set);
  if (!other.isAll)
    *this = isAll ? other : both;
  isDeep = isDeepInBoth;
  isNothing = isNothingInOne;
}

bool TypeLayout::hasTarget(const std::string &text) {
  size_t at = 0;
  while (at < text.size() && text[at] != ')')
    at += text[at] == '\\' ? 2 : 1;
  return (text[0] == 'p' || text[0] == 'r') && at + 1 < text.size();
}

std::string TypeLayout::write(tree type, const LoadedBytes *loaded) {
  if (depth_ == 0)
    loaded_ = loaded;
  if (!type || VOID_TYPE_P(type))
    return "v";
  if (depth_ == 6)
    return unknown(type);
  ++depth_;
  std::string text = writePlain(TYPE_MAIN_VARIANT(type));
  --depth_;
  return text;
}

std::string TypeLayout::writeObject(tree type, const LoadedBytes &loaded) {
  if (loaded.isAll)
    return write(type, &loaded);
  loaded_ = &loaded;
  Members found;
  ++depth_; // its members are not parameters
  if (TREE_CODE(type) == RECORD_TYPE && !isMemberPointer(type))
    addMembers(type, 0, found);
  --depth_;
  return found.count == 0 ? "" : "{" + escaped(typeName(type)) + found.text + "}";
}

std::string TypeLayout::writePlain(tree type) {
  const std::string bits = std::to_string(bitsOf(type));
  if (!hasData(type))
    return "{" + escaped(typeName(type)) + "}";
  switch (TREE_CODE(type)) {
  case NULLPTR_TYPE:
    return "p(void)";
  case BOOLEAN_TYPE:
    return bitsOf(type) == 8 ? "b" : "u" + bits;
  case INTEGER_TYPE:
    if (typeName(type) == "char")
      return "c";
    return (TYPE_UNSIGNED(type) ? "u" : "s") + bits;
  case ENUMERAL_TYPE:
    return writeEnumeration(type);
  case REAL_TYPE:
    if (DECIMAL_FLOAT_MODE_P(TYPE_MODE(type)))
      return unknown(type);
    if (strcmp(GET_MODE_NAME(TYPE_MODE(type)), "BF") == 0)
      return "g16";
    return TYPE_PRECISION(type) == 80 ? "f80" : "f" + bits;
  case POINTER_TYPE:
    return "p(" + escaped(pointee(TREE_TYPE(type))) + ")" + target(type);
  case REFERENCE_TYPE:
    return "r(" + escaped(pointee(TREE_TYPE(type))) + ")" + target(type);
  case ARRAY_TYPE:
  case VECTOR_TYPE:
    return array(TREE_TYPE(type), type);
  case RECORD_TYPE:
    return isMemberPointer(type) ? unknown(type) : writeStruct(type);
  default:
    return unknown(type);
  }
}

std::string TypeLayout::array(tree each, tree type) {
  const unsigned HOST_WIDE_INT whole = bitsOf(type);
  const std::string one = whole && whole <= 512 ? element(each) : "";
  return one.empty() ? unknown(type) : "a" + std::to_string(whole / bitsOf(each)) + "(" + one + ")";
}

std::string TypeLayout::element(tree type) {
  const unsigned HOST_WIDE_INT bits = bitsOf(type);
  if (bits == 0 || bits % 8 || bits > 128 || AGGREGATE_TYPE_P(type) || VECTOR_TYPE_P(type))
    return "";
  const std::string text = write(type);
  return text[0] == '?' ? "" : text;
}

std::string TypeLayout::target(tree pointer) {
  if (!pointees_ || depth_ != 1 || FUNC_OR_METHOD_TYPE_P(TREE_TYPE(pointer)) || VOID_TYPE_P(TREE_TYPE(pointer)))
    return "";
  tree type = TYPE_MAIN_VARIANT(TREE_TYPE(pointer));
  if (!COMPLETE_TYPE_P(type) || !stringName(type).empty() ||
      (TREE_CODE(pointer) == POINTER_TYPE && typeName(type) == "char")) // a text
    return "";
  tree vector = vectorElement(type);
  const std::string one = element(vector ? vector : type);
  const auto isRead = [&] {
    if (vector) // its first two pointers, and the elements
      return loaded_->isDeep && loaded_->covers(vector) && loaded_->covers(ptr_type_node, 0) &&
             loaded_->covers(ptr_type_node, 8);
    // How many elements there are is not known.
    return TREE_CODE(pointer) == REFERENCE_TYPE ? loaded_->covers(type, 0) : loaded_->covers(type);
  };
  if ((vector || !one.empty()) && loaded_ && !isRead())
    return "";
  if (vector || !one.empty())
    return one.empty() || (vector && one == "b")
               ? ""
               : (vector ? "#" : "*") + std::to_string(bitsOf(vector ? vector : type) / 8) + one;
  Members found;
  if (TREE_CODE(type) == RECORD_TYPE && !isMemberPointer(type))
    addMembers(type, 0, found);
  return found.count == 0 ? "" : "*" + std::to_string(found.bytes) + "{" + escaped(typeName(type)) + found.text + "}";
}

void TypeLayout::addMembers(tree type, unsigned HOST_WIDE_INT offset, Members &found) {
  for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field)) {
    if (TREE_CODE(field) != FIELD_DECL || DECL_BIT_FIELD_TYPE(field) || found.count == kMaxPointeeMembers ||
        TREE_CODE(byte_position(field)) != INTEGER_CST || int_bit_position(field) % 8)
      continue;
    tree memberType = TYPE_MAIN_VARIANT(TREE_TYPE(field));
    const unsigned HOST_WIDE_INT at = offset + tree_to_uhwi(byte_position(field)), bytes = bitsOf(memberType) / 8;
    const bool isClass = TREE_CODE(memberType) == RECORD_TYPE;
    if (isBase(type, field)) {
      if (depth_ < 6) {
        ++depth_;
        addMembers(memberType, at, found);
        --depth_;
      }
      continue;
    }
    const std::string name = DECL_NAME(field) ? IDENTIFIER_POINTER(DECL_NAME(field)) : "";
    const bool isOfCompiler = DECL_ARTIFICIAL(field) && (name.empty() || startswith(name.c_str(), "_vptr"));
    if (at + bytes > kMaxPointeeBytes || bytes == 0 || isOfCompiler || (loaded_ && !loaded_->covers(memberType, at)))
      continue;
    const std::string written = isClass && bytes > 16 ? "" : write(memberType);
    if (written.empty() || written[0] == '?')
      continue;
    ++found.count;
    found.bytes = std::max(found.bytes, at + bytes);
    found.text += (found.text.empty() ? "|" : ",") + escaped(name) + "@" + std::to_string(at) + ":" + written;
  }
}

std::string TypeLayout::writeEnumeration(tree type) {
  const std::string name = typeName(type);
  std::string text;
  for (tree each = TYPE_VALUES(type); each; each = TREE_CHAIN(each)) {
    tree value = TREE_VALUE(each);
    if (value && TREE_CODE(value) == CONST_DECL)
      value = DECL_INITIAL(value);
    if (!value || TREE_CODE(value) != INTEGER_CST || ++enumerators_ > 64) // the others are shown as numbers
      continue;
    const std::string enumerator = IDENTIFIER_POINTER(TREE_PURPOSE(each));
    text += text.empty() ? "|" : ",";
    text += escaped(ENUM_IS_SCOPED(type) ? name + "::" + enumerator : enumerator) + "=";
    text += TYPE_UNSIGNED(type) ? std::to_string(TREE_INT_CST_LOW(value))
                                : std::to_string(static_cast<HOST_WIDE_INT>(TREE_INT_CST_LOW(value)));
  }
  return "e" + std::to_string(bitsOf(type)) + (TYPE_UNSIGNED(type) ? "u" : "s") + "(" + escaped(name) + text + ")";
}

std::string TypeLayout::writeStruct(tree type) {
  if (bitsOf(type) > kMaxStructBits || !COMPLETE_TYPE_P(type))
    return unknown(type);
  std::string text;
  for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field)) {
    if (TREE_CODE(field) != FIELD_DECL || isPadding(field))
      continue;
    tree offset = byte_position(field);
    if (DECL_BIT_FIELD_TYPE(field) || TREE_CODE(offset) != INTEGER_CST || int_bit_position(field) % 8)
      return unknown(type);
    const std::string written = write(TREE_TYPE(field));
    // A base class without a description is shown as one value, which needs a name.
    const std::string name = DECL_NAME(field)    ? IDENTIFIER_POINTER(DECL_NAME(field))
                             : written[0] == '?' ? typeName(TREE_TYPE(field))
                                                 : "";
    text += text.empty() ? "|" : ",";
    text += escaped(name) + "@" + std::to_string(tree_to_uhwi(offset)) + ":" + written;
  }
  return "{" + escaped(typeName(type)) + text + "}";
}

} // namespace ada::pass
