// Matches the parameters of the source with those of the code.
#include "type_text.h"
#include "argument_registers.h"
#include "common/thunk_names.h"
#include "coroutines.h"
#include "library_calls.h"
#include "source_text.h"
#include "type_layout.h"

namespace ada::pass {

namespace {

/// A function as in the source.
struct Source {
  tree result;
  std::vector<tree> parameters;
};
std::unordered_map<unsigned, Source> sources; // by DECL_UID
/// What was known before of the loads of functions, by DECL_UID, for each parameter.
std::unordered_map<unsigned, std::vector<LoadedBytes>> earlierLoads;

/// What is in `sources`, for the garbage collector.
tree keptParameters = NULL_TREE;
ggc_root_tab parameterRoots[] = {
    {&keptParameters, 1, sizeof keptParameters, &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node}, LAST_GGC_ROOT_TAB};

Source readSource(tree function) {
  Source source = {TREE_TYPE(TREE_TYPE(function)), {}};
  for (tree parameter = DECL_ARGUMENTS(function); parameter; parameter = DECL_CHAIN(parameter))
    source.parameters.push_back(parameter);
  return source;
}

/// What FUNCTION is in the source; null if that is not known.
const Source *sourceOf(tree function, bool isThunk) {
  tree original = sourceFunction(function);
  // When the program is linked, only functions that were not copied can be read. Thunks get their bodies late.
  if ((in_lto_p && original == function) || wrappedCallee(function) || isThunk)
    sources.emplace(DECL_UID(function), readSource(function));
  const auto known = sources.find(DECL_UID(original));
  return known == sources.end() ? nullptr : &known->second;
}

/// Constructors of classes with virtual bases get a table of where these are, as a parameter that no source has.
bool isHidden(tree parameter) {
  return DECL_ARTIFICIAL(parameter) && DECL_NAME(parameter) &&
         strcmp(IDENTIFIER_POINTER(DECL_NAME(parameter)), "__vtt_parm") == 0;
}

/// What FUNCTION may read of the memory that its parameter NUMBER points to, by GCC's summary of its loads. Callers
/// that know the summary need not have stored anything else.
LoadedBytes loadedBytes(tree function, unsigned number) {
  LoadedBytes loaded;
  cgraph_node *node = cgraph_node::get(function);
  modref_summary *summary = node ? get_modref_function_summary(node) : nullptr;
  loaded.isAll = !TREE_READONLY(function) && (!summary || !summary->loads || summary->loads->every_base);
  const int flags = summary && number < summary->arg_flags.length() ? summary->arg_flags[number] : 0;
  if (flags & (EAF_UNUSED | EAF_NO_DIRECT_READ)) {
    LoadedBytes nothing;
    nothing.isNothing = true;
    return nothing;
  }
  loaded.isDeep = !(flags & EAF_NO_INDIRECT_READ);
  if (loaded.isAll || TREE_READONLY(function))
    return loaded;
  modref_base_node<alias_set_type> *base;
  modref_ref_node<alias_set_type> *reference;
  modref_access_node *access;
  size_t i, j, k;
  FOR_EACH_VEC_SAFE_ELT (summary->loads->bases, i, base) {
    loaded.isAll |= base->every_ref && base->base == 0;
    FOR_EACH_VEC_SAFE_ELT (base->refs, j, reference) {
      // Loads of another type, or of a member of another struct, don't read what was stored as this one. Set 0 has
      // characters, which are of every type, unless they are members of something.
      const auto addAll = [&] {
        const bool isMember = base->base != 0 && base->base != reference->ref;
        if (reference->ref && !isMember &&
            !in_lto_p) // before linking, the types of C++ were told apart, and callers left out more
          loaded.sets.push_back(reference->ref);
        loaded.isAll |= reference->ref == 0 && base->base == 0;
      };
      if (reference->every_access)
        addAll();
      FOR_EACH_VEC_SAFE_ELT (reference->accesses, k, access) {
        const bool isPlaced = access->parm_offset_known && known_ge(access->max_size, 0) &&
                              access->parm_offset.is_constant() && access->offset.is_constant() &&
                              access->max_size.is_constant();
        if (access->parm_index == static_cast<int>(number) && isPlaced)
          loaded.ranges.emplace_back(access->parm_offset.to_constant() + access->offset.to_constant() / 8,
                                     access->max_size.to_constant() / 8);
        else if (access->parm_index == static_cast<int>(number) || access->parm_index == MODREF_UNKNOWN_PARM)
          addAll();
      }
    }
  }
  return loaded;
}

/// Takes from LOADED what was not sure before of a function's parameter.
void intersectEarlier(LoadedBytes &loaded, tree function, size_t parameter) {
  const auto earlier = earlierLoads.find(DECL_UID(function));
  if (earlier != earlierLoads.end() && parameter < earlier->second.size())
    loaded.intersect(earlier->second[parameter]);
}

std::string placeOf(const std::vector<ValuePiece> &pieces) { return placeText(pieces.data(), pieces.size()); }

std::string resultPlace(tree function, tree type) {
  tree result = DECL_RESULT(function);
  if (VOID_TYPE_P(type))
    return "-";
  if (VOID_TYPE_P(TREE_TYPE(result)))
    return "!"; // no caller uses it
  std::vector<ValuePiece> pieces;
  if (const unsigned bytes = resultBytesInMemory(function)) {
    for (unsigned i = 0; i < bytes; i += 16)
      pieces.push_back({ValuePiece::Where::Vector, i / 16, std::min(16u, bytes - i)});
    return placeOf(pieces);
  }
  if (DECL_BY_REFERENCE(result) || !isResultInRegisters(function) ||
      TYPE_MAIN_VARIANT(TREE_TYPE(result)) != TYPE_MAIN_VARIANT(type))
    return "-";
  ArgumentRegisters().place(TYPE_MAIN_VARIANT(type), &pieces);
  return placeOf(pieces);
}

/// What of LOADED is sure for an object that was made for a call of FUNCTION alone. GCC follows such objects, and
/// stores only what it knows to be read, by more than the summary says.
LoadedBytes loadedOfObject(tree function, const LoadedBytes &loaded) {
  if (!opt_for_fn(function, optimize))
    return loaded;
  LoadedBytes sure;
  if (sourceFunction(function) == function)
    sure.ranges = loaded.ranges;
  return sure;
}

/// The place of a value of TYPE at the address that PIECES hold.
std::string memoryPlace(tree type, const std::vector<ValuePiece> &pieces) {
  const HOST_WIDE_INT bytes = int_size_in_bytes(type);
  if (pieces.size() != 1 || pieces[0].where != ValuePiece::Where::General || bytes <= 0)
    return "-";
  const ValuePiece there = {ValuePiece::Where::Memory, pieces[0].number,
                            static_cast<unsigned>(std::min<HOST_WIDE_INT>(bytes, kMaxShownBytes))};
  return placeText(&there, 1);
}

/// Whether the address of a copy is passed for PARAMETER. In Fortran it is that of the value itself, which is shown as
/// a reference.
bool isCopied(tree parameter) {
  const_tree unit = in_lto_p ? get_ultimate_context(parameter) : NULL_TREE;
  const char *language = unit && TRANSLATION_UNIT_LANGUAGE(unit) ? TRANSLATION_UNIT_LANGUAGE(unit) : lang_hooks.name;
  return DECL_BY_REFERENCE(parameter) && startswith(language, "GNU C++");
}

/// The type of PARAMETER's value in the source.
tree sourceType(tree parameter) { return isCopied(parameter) ? TREE_TYPE(TREE_TYPE(parameter)) : TREE_TYPE(parameter); }

} // namespace

void rememberLoads() {
  cgraph_node *node;
  FOR_EACH_FUNCTION_WITH_GIMPLE_BODY (node) {
    if (!get_modref_function_summary(node))
      continue;
    const unsigned count =
        std::max(list_length(DECL_ARGUMENTS(node->decl)), list_length(TYPE_ARG_TYPES(TREE_TYPE(node->decl))));
    std::vector<LoadedBytes> &loads = earlierLoads[DECL_UID(node->decl)];
    for (unsigned i = 0; i < count; ++i)
      if (const LoadedBytes loaded = loadedBytes(node->decl, i); i < loads.size())
        loads[i].intersect(loaded);
      else
        loads.push_back(loaded);
  }
}

void rememberParameters() {
  static bool isRegistered = false;
  if (!isRegistered)
    ggc_register_root_tab(parameterRoots);
  isRegistered = true;
  const auto remember = [](tree function) {
    const Source &source = sources[DECL_UID(function)] = readSource(function);
    for (tree parameter : source.parameters)
      keptParameters = tree_cons(NULL_TREE, parameter, keptParameters);
  };
  cgraph_node *node;
  if (!in_lto_p) {
    FOR_EACH_FUNCTION_WITH_GIMPLE_BODY (node)
      remember(node->decl);
  } else if (!flag_wpa) {
    // Parameters are read with the body, which may be there only for its copies.
    FOR_EACH_FUNCTION(node)
    if (node->clones && !node->clone_of && node->lto_file_data) {
      node->get_untransformed_body();
      remember(node->decl);
    }
  }
}

std::string typesText(tree function, bool pointees) {
  if (!coroutinePart(function).empty()) // as the hooks are given them
    return std::string("i0:p(void);frame:i0:p(void)") + (resumeIndex(function) ? ";index:i1:u16" : "");
  const std::string symbol = symbolName(function), targetSymbol = thunkTarget(symbol);
  const Source *known = sourceOf(function, !targetSymbol.empty());
  if (!known)
    return "";
  const Source &source = *known;
  struct Found {
    std::string place;
    LoadedBytes loaded;
    std::vector<ValuePiece> pieces;
    ArgumentPlace kind = ArgumentPlace::Elsewhere;
  };
  // In a thunk, `this` and a result that it moves are addresses of other objects.
  const symtab_node *target =
      targetSymbol.empty() ? nullptr : symtab_node::get_for_asmname(get_identifier(targetSymbol.c_str()));
  std::unordered_map<unsigned, Found> found;
  bool isOther = false; // has parameters that are not the source's
  ArgumentRegisters registers(function);
  unsigned number = 0;
  for (tree parameter = DECL_ARGUMENTS(function); parameter; parameter = DECL_CHAIN(parameter), ++number) {
    std::vector<ValuePiece> pieces;
    const ArgumentPlace place = registers.place(TYPE_MAIN_VARIANT(TREE_TYPE(parameter)), &pieces);
    const unsigned origin = DECL_UID(DECL_ORIGIN(parameter));
    const bool isKnown = place == ArgumentPlace::Registers || place == ArgumentPlace::Stack;
    const auto same = std::find_if(source.parameters.begin(), source.parameters.end(), [&](tree each) {
      return DECL_UID(DECL_ORIGIN(each)) == origin &&
             TYPE_MAIN_VARIANT(TREE_TYPE(each)) == TYPE_MAIN_VARIANT(TREE_TYPE(parameter));
    });
    if (same == source.parameters.end()) {
      isOther = true;
      continue;
    }
    LoadedBytes loaded = loadedBytes(function, number);
    intersectEarlier(loaded, function, number);
    intersectEarlier(loaded, sourceFunction(function), same - source.parameters.begin());
    if (target)
      intersectEarlier(loaded, target->decl, same - source.parameters.begin());
    found[origin] = {isKnown ? placeOf(pieces) : "-", loaded, pieces, place};
  }
  TypeLayout layout(pointees);
  const bool isMoved = !targetSymbol.empty() && movesResult(symbol);
  std::string text = resultPlace(function, source.result) + ":" + (isMoved ? "p(void)" : layout.write(source.result));
  for (tree parameter : source.parameters) {
    if (isHidden(parameter))
      continue;
    tree type = sourceType(parameter);
    const auto at = found.find(DECL_UID(DECL_ORIGIN(parameter)));
    std::string place = at != found.end() ? at->second.place : isOther ? "-" : "!";
    const LoadedBytes loaded = at != found.end() ? at->second.loaded : LoadedBytes();
    const bool isMovedThis = !targetSymbol.empty() && parameter == source.parameters.front();
    std::string written = isMovedThis ? "p(void)" : layout.write(type, &loaded);
    if (isCopied(parameter)) {
      // The place of a std::string by value holds its address; for other types the register does not hold the value.
      const std::string string = stringName(TYPE_MAIN_VARIANT(type));
      if (string == kStdString || string == kLibcxxString) {
        written = "r(" + escaped(string) + ")";
      } else if (place != "!") {
        const bool hasAddress = at != found.end() && at->second.kind == ArgumentPlace::Registers;
        const std::string object =
            hasAddress ? layout.writeObject(TYPE_MAIN_VARIANT(type), loadedOfObject(function, loaded)) : "";
        // What a library function uses is never known.
        const bool isUnused = hasAddress && loaded.isNothing && !wrappedCallee(function);
        place = isUnused ? "!" : object.empty() ? "-" : memoryPlace(type, at->second.pieces);
        written = object.empty() ? layout.write(type) : object;
      }
    } else if (at != found.end() && at->second.kind == ArgumentPlace::Address) {
      place = memoryPlace(type, at->second.pieces);
    }
    if (!loaded.isAll && place[0] != '@' && !TypeLayout::hasTarget(written))
      written = withoutContents(written);
    text += ";" + escaped(DECL_NAME(parameter) ? IDENTIFIER_POINTER(DECL_NAME(parameter)) : "") + ":" + place + ":" +
            written;
  }
  if (stdarg_p(TREE_TYPE(function)))
    text += ";...:-:v";
  return text;
}

namespace {

/// Writes types in C++ syntax, as deep as they are.
class TypeWriter {
public:
  std::string write(tree type) {
    if (!type || depth_ == 24)
      return type ? "..." : "void";
    ++depth_;
    std::string text = inner(type);
    --depth_;
    return text;
  }

  std::string parameters(tree type) {
    std::string text;
    for (tree each = TYPE_ARG_TYPES(type); each && each != void_list_node; each = TREE_CHAIN(each))
      if (!VOID_TYPE_P(TREE_VALUE(each)))
        text += (text.empty() ? "" : ", ") + write(TREE_VALUE(each));
    if (stdarg_p(type))
      text += text.empty() ? "..." : ", ...";
    return "(" + text + ")";
  }

private:
  unsigned depth_ = 0;

  std::string inner(tree type) {
    const bool isIndirect = POINTER_TYPE_P(type) && !TYPE_NAME(type);
    std::string text;
    if (isIndirect) {
      tree target = TREE_TYPE(type);
      const char *sign = TREE_CODE(type) == POINTER_TYPE ? "*" : TYPE_REF_IS_RVALUE(type) ? "&&" : "&";
      if (FUNC_OR_METHOD_TYPE_P(target)) {
        text = write(TREE_TYPE(target)) + " (" + sign + ")" + parameters(target);
      } else {
        text = write(target);
        text += (text.back() == '*' || text.back() == '&' ? "" : " ") + std::string(sign);
      }
    } else if (FUNC_OR_METHOD_TYPE_P(type)) {
      return write(TREE_TYPE(type)) + " " + parameters(type);
    } else {
      text = VOID_TYPE_P(type) ? "void" : typeName(type);
      if (text.empty())
        text = TREE_CODE(type) == ENUMERAL_TYPE ? "(anonymous enum)"
               : TREE_CODE(type) == UNION_TYPE  ? "(anonymous union)"
               : TREE_CODE(type) == RECORD_TYPE ? "(anonymous struct)"
                                                : "?";
    }
    const auto qualify = [&](bool isSet, const char *word) {
      if (isSet)
        text = isIndirect ? text + word : word + (" " + text);
    };
    qualify(TYPE_VOLATILE(type), "volatile");
    qualify(TYPE_READONLY(type), "const");
    return text;
  }
};

} // namespace

std::string signatureText(tree function) {
  if (!coroutinePart(function).empty())
    return "void (void *)";
  const Source *known = sourceOf(function, !thunkTarget(symbolName(function)).empty());
  if (!known)
    return "";
  TypeWriter writer;
  if (tree callee = wrappedCallee(function)) {
    const std::string text = librarySignature(callee);
    return text.empty() ? writer.write(TREE_TYPE(callee)) : text;
  }
  std::string text;
  for (tree parameter : known->parameters)
    if (!DECL_ARTIFICIAL(parameter))
      text += (text.empty() ? "" : ", ") + writer.write(sourceType(parameter));
  if (stdarg_p(TREE_TYPE(function)))
    text += text.empty() ? "..." : ", ...";
  return writer.write(known->result) + " (" + text + ")";
}

} // namespace ada::pass
