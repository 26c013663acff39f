# Makes Doxygen's comments of a header's own: the comment at its top describes the file, and what is indented in it is code.
# In C headers every comment that begins a line is of what follows.
FNR == 1 { top = 1; isC = /^\/\*/ }
isC && FNR == 1 { sub(/^\/\*/, "/** @file\n *") }
isC && /^ \*   / { sub(/^ \*/, " *    ") }
isC && !/\/\*\*/ { sub(/^ *\/\* /, "/** ") }
!isC && top && !/^\/\// { top = 0 }
!isC && top { sub(/^\/\/   /, "//       "); sub(/^\/\//, FNR == 1 ? "/// @file\n///" : "///") }
{ print }
