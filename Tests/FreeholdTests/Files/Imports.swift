// All files of this target see these modules.
@_exported public import FreeholdTestModels
@_exported public import TestExpectations
@_exported public import TestRandom

/// The library has a mutex of its own for the thread sanitizer, which `@testable` shows: the tests use the standard one.
typealias Mutex = FreeholdTestModels.Mutex
