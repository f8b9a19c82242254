// All files of this target see this module.
@_exported public import TestExpectations
