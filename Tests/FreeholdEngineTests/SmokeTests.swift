import Testing

@testable import FreeholdEngine
