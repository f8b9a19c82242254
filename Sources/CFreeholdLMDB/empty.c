// A target of C needs a source. This one is there for its header.
typedef int freehold_lmdb;
