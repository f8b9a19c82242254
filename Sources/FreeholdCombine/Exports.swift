// The system's Combine on Apple's systems. On other systems OpenCombine, if the trait `Combine` is enabled. Otherwise this
// module is empty.
#if canImport(Combine) || Combine
    @_exported public import Freehold
    #if Sync
        @_exported public import FreeholdSync
    #endif
    #if !canImport(Combine)
        @_exported public import OpenCombine
        @_exported public import OpenCombineDispatch
        @_exported public import OpenCombineFoundation
    #endif
#endif
