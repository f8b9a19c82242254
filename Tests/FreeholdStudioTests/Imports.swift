// All files of this target see these modules.
@_exported public import TestExpectations
@_exported public import TestRandom
