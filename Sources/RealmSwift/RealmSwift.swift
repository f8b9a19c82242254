@_exported public import Foundation
@_exported public import Freehold

// On Apple's systems RealmSwift's users get Foundation, `autoreleasepool` and the module Realm with it.

/// What is thrown, as Realm's Objective-C part calls it.
public typealias RLMError = Realm.Error

#if !canImport(ObjectiveC)
    /// Runs the block. Nothing is autoreleased on this system: objects are let go of at once.
    @inlinable
    public func autoreleasepool<Failure: Error, Success>(
        invoking body: () throws(Failure) -> Success
    ) throws(Failure) -> Success {
        try body()
    }
#endif
