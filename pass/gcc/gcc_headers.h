// GCC's headers. Their order matters, and their macros must come after the C++ library.
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
// clang-format off
#include <gcc-plugin.h>
#include <backend.h>
#include <target.h>
#include <rtl.h>
#include <tree.h>
#include <gimple.h>
#include <memmodel.h>
#include <tm_p.h>
#include <tree-pass.h>
#include <ssa.h>
#include <regs.h>
#include <function-abi.h>
#include <stringpool.h>
#include <attribs.h>
#include <calls.h>
#include <cfganal.h>
#include <cfgcleanup.h>
#include <cfgloop.h>
#include <cgraph.h>
#include <context.h>
#include <diagnostic-core.h>
#include <except.h>
#include <expr.h>
#include <file-prefix-map.h>
#include <fold-const.h>
#include <gimple-expr.h>
#include <gimple-iterator.h>
#include <langhooks.h>
#include <opts.h>
#include <output.h>
#include <stor-layout.h>
#include <toplev.h>
#include <tree-cfg.h>
#include <tree-dfa.h>
#include <tree-eh.h>
#include <tree-into-ssa.h>
#include <varasm.h>
#include <ipa-modref-tree.h>
#include <ipa-modref.h>
// clang-format on
#pragma GCC diagnostic pop

#if ADA_GCC_MAJOR < 12
inline bool startswith(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }
inline bool mark_dfs_back_edges(function *) { return mark_dfs_back_edges(); } // of the current one
constexpr int MODREF_UNKNOWN_PARM = -1;
constexpr int EAF_NO_DIRECT_READ = 0; // not known there
constexpr int EAF_NO_INDIRECT_READ = EAF_DIRECT;
#endif
