// All files of this target can use `SeededRandom`.
@_exported public import TestRandom
