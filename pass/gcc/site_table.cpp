// Writes ada_function entries, enable bytes and the image descriptor as assembly.
#include "site_table.h"
#include "coroutines.h"
#include "filter.h"
#include "hooks.h"
#include "library_calls.h"
#include "source_text.h"
#include "target.h"

#include <ada/abi.h>

namespace ada::pass {

namespace {

/// TEXT as the operand of .asciz.
std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (unsigned char c : text) {
    char octal[8];
    if (c == '"' || c == '\\' || c < 0x20 || c >= 0x7f) {
      snprintf(octal, sizeof octal, "\\%03o", c);
      result += octal;
    } else {
      result += static_cast<char>(c);
    }
  }
  return result + "\"";
}

constexpr const char *kImage = R"(
	.hidden	__start_ada_functions
	.hidden	__stop_ada_functions
	.hidden	__start_ada_enabled
	.hidden	__stop_ada_enabled
	.weak	__start_ada_functions
	.weak	__stop_ada_functions
	.weak	__start_ada_enabled
	.weak	__stop_ada_enabled
	.section	.data.rel.ro.__ada_image,"awG",@progbits,__ada_image,comdat
	.hidden	__ada_image
	.weak	__ada_image
	.type	__ada_image,@object
	.p2align	4
__ada_image:
	.long	%u
	.long	%u
	.quad	__start_ada_functions
	.quad	__stop_ada_functions
	.quad	__start_ada_enabled
	.quad	__stop_ada_enabled
	.size	__ada_image, 40
)";

// Priority 0, and first within it: this is the first constructor of the image, so that its static constructors are
// traced, and the last destructor.
constexpr const char *kCaller = R"(
	.section	.text.__ada_image_%1$s,"axG",@progbits,__ada_image,comdat
	.hidden	__ada_image_%1$s
	.weak	__ada_image_%1$s
	.p2align	4
	.type	__ada_image_%1$s,@function
__ada_image_%1$s:
	.cfi_startproc
)";
constexpr const char *kCallerEnd = R"(	.cfi_endproc
	.size	__ada_image_%1$s, .-__ada_image_%1$s
	.section	.%2$s_array.0,"awG",@%2$s_array,__ada_image,comdat
	.p2align	3
	.quad	__ada_image_%1$s
)";

} // namespace

Site &SiteTable::add(tree function) {
  const unsigned number = static_cast<unsigned>(sites_.size());
  Site &site = sites_.emplace_back();
  // These sections come before the unit's own of that priority: for equal ones, linkers keep the order of the file, or
  // go by the name.
  if (number == 0)
    for (const char *kind : {"init", "fini"})
      fprintf(asm_out_file, "\t.pushsection\t.%1$s_array.0,\"awG\",@%1$s_array,__ada_image,comdat\n\t.popsection\n",
              kind);
  site.number = number;
  site.entry = makeLabel("f", number, build_array_type_nelts(unsigned_char_type_node, sizeof(ada_function)));
  SET_DECL_ALIGN(site.entry, 128);
  TREE_READONLY(site.entry) = 1;
  site.enable = makeLabel("e", number, build_qualified_type(unsigned_char_type_node, TYPE_QUAL_VOLATILE));
  TREE_THIS_VOLATILE(site.enable) = 1;
  TREE_SIDE_EFFECTS(site.enable) = 1;

  site.symbol = symbolName(function);
  tree callee = wrappedCallee(function), described = callee ? callee : function;
  site.isWrapper = callee;
  site.name = callee ? libraryName(callee) : recordedName(function);
  if (tree group = DECL_COMDAT_GROUP(function))
    site.group = IDENTIFIER_POINTER(group);
  site.pretty = demangledName(function, site.name);
  site.file = sourcePath(described);
  if (site.file.empty() && !callee)
    site.file = unitPath(function);
  site.line = sourceLine(described);
  if (tree named = lookup_attribute(kAttrName, DECL_ATTRIBUTES(function)))
    if (tree text = TREE_VALUE(TREE_VALUE(named)); TREE_CODE(text) == STRING_CST)
      site.shown = TREE_STRING_POINTER(text);
  if (site.shown.empty() && !callee)
    site.shown = unreadableName(function, site.name);
  site.flags = (TREE_THIS_VOLATILE(function) ? ADA_FUNCTION_NORETURN : 0) |
               (TREE_PUBLIC(function) ? 0 : ADA_FUNCTION_INTERNAL) | (callee ? ADA_FUNCTION_EXTERNAL : 0) |
               (!coroutinePart(function).empty() || makesCoroutine(function) ? ADA_FUNCTION_COROUTINE : 0);
  return site;
}

unsigned SiteTable::string(const std::string &text) {
  return strings_.emplace(text, static_cast<unsigned>(strings_.size())).first->second;
}

void SiteTable::write(FILE *file) {
  if (!leftOut_.empty())
    fputs("\t.pushsection\t" ADA_SECTION_LEFT_OUT ",\"\",@progbits\n", file);
  for (const auto &[symbol, reason] : leftOut_)
    fprintf(file, "\t.asciz\t%s\n\t.asciz\t%s\n", quoted(symbol).c_str(), quoted(reason).c_str());
  if (!leftOut_.empty())
    fputs("\t.popsection\n", file);
  if (sites_.empty())
    return;
  target::beginAssembly(file);
  for (const Site &site : sites_) {
    const char *symbol = site.symbol.c_str();
    const auto section = [&](const char *name, const char *flags) {
      fprintf(file, "\t.section\t%s,\"%sG\",@progbits,", name, flags);
      fprintf(file, site.group.empty() ? "%s\n" : "%s,comdat\n", site.group.empty() ? symbol : site.group.c_str());
    };
    section(ADA_SECTION_ENABLED, "aw");
    fprintf(file, ".LADAe%u:\n\t.byte\t0\n", site.number);
    // The function's own symbol may be preempted in a shared object, and a distance to such a symbol does not link.
    fprintf(file, "\t.set\t.LADAa%u, %s\n", site.number, symbol);
    section(ADA_SECTION_FUNCTIONS, "a");
    fprintf(file, "\t.p2align\t4\n.LADAf%u:\n", site.number);
    const auto distance = [&](const char *kind, unsigned number) {
      fprintf(file, "\t.long\t.LADA%s%u-.LADAf%u\n", kind, number, site.number);
    };
    const auto number = [&](unsigned value) { fprintf(file, "\t.long\t%u\n", value); };
    const auto text = [&](const std::string &value) {
      if (value.empty())
        number(0);
      else
        distance("s", string(value));
    };
    text(site.name);
    text(site.file);
    number(site.line);
    if (site.isWrapper)
      number(0);
    else
      distance("a", site.number);
    text(site.signature);
    distance("e", site.number);
    number(site.flags);
    text(site.pretty == site.name ? "" : site.pretty);
    text(site.types);
    number(site.carried);
    text(site.shown);
    number(0);
  }
  fputs("\t.section\t.rodata.str1.1,\"aMS\",@progbits,1\n", file);
  for (const auto &[text, number] : strings_)
    fprintf(file, ".LADAs%u:\n\t.asciz\t%s\n", number, quoted(text).c_str());
  fprintf(file, kImage, ADA_ABI_VERSION, static_cast<unsigned>(sizeof(ada_function)));
  const auto caller = [&](const char *name, const char *array, const std::vector<const char *> &symbols) {
    fprintf(file, kCaller, name);
    target::writeCalls(file, symbols);
    fprintf(file, kCallerEnd, name, array);
  };
  caller("ctor", "init",
         {"__ada_runtime_is_missing_link_with_ada_clang_or_with_adatrace_flags", "__ada_register_image"});
  caller("dtor", "fini", {"__ada_unregister_image"});
  if (flag_split_stack) // gold expects it of an object in which functions, as the two above, don't check their stack
    fputs("\t.section\t.note.GNU-no-split-stack,\"\",@progbits\n", file);
  target::endAssembly(file);
}

} // namespace ada::pass
