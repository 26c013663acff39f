// A number of 128 bits, for products of two numbers of 64.
#ifndef ADA_LIB_SHARED_WIDE_H
#define ADA_LIB_SHARED_WIDE_H

namespace ada {

__extension__ using Wide = unsigned __int128;

} // namespace ada

#endif // ADA_LIB_SHARED_WIDE_H
