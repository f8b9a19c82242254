#ifndef FREEHOLD_LMDB_H
#define FREEHOLD_LMDB_H

// The one place that says which LMDB there is: that of the package CLMDB, which
// the trait BundledLMDB brings in and nothing else puts in the way of headers,
// or that of the system, by the module map beside this target.
#if __has_include(<clmdb.h>)
#include <clmdb.h>
#else
#pragma clang module import CLMDB
#endif

#endif
