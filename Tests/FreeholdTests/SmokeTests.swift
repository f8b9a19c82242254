import Testing

@testable import Freehold
