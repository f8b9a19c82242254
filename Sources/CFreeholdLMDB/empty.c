// A C target needs a source file. This target only has a header.
typedef int freehold_lmdb;
