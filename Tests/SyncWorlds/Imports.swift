// All files of this target know `SeededRandom`.
@_exported public import TestRandom
