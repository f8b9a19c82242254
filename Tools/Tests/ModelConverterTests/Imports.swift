// These modules are visible in all files of the target.
@_exported public import TestExpectations
@_exported public import TestRandom
