import Synchronization

/// The library has a mutex of its own for the thread sanitizer, which `@testable` shows: the tests use the standard one.
typealias Mutex = Synchronization.Mutex
