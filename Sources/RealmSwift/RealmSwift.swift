@_exported public import Foundation
@_exported public import Freehold

#if Sync
    // App, User, subscriptions, sessions.
    @_exported public import FreeholdSync
#endif

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

// RealmSwift has these names at the top level. Other libraries of a server have them, too, so the module Freehold
// declares them within `Realm`.

/// Takes the library's messages.
public typealias Logger = Realm.Logger
/// How important a message of the library is.
public typealias LogLevel = Realm.LogLevel
/// What a message of the library is about.
public typealias LogCategory = Realm.LogCategory

// Foundation, which this module brings, has a type of that name, too: without this `RealmSwift.SortDescriptor` would be both.

/// A property to sort by, and the direction.
public typealias SortDescriptor = Freehold.SortDescriptor
