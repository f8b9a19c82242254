// Views on Apple's systems. On systems without SwiftUI this module is empty, except in the tests of the package, which
// compile it with a module that has SwiftUI's interfaces.
#if canImport(SwiftUI) || SwiftUIShapes
    @_exported public import FreeholdCombine
#endif
