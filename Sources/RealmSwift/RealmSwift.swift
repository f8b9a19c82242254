@_exported public import Foundation
@_exported public import Freehold

#if canImport(Combine) || Combine
    // Publishers.
    @_exported public import FreeholdCombine
#endif

#if canImport(SwiftUI) || SwiftUIShapes
    // Property wrappers of views.
    @_exported public import FreeholdSwiftUI
#endif

#if Sync
    // App, User, subscriptions, sessions.
    @_exported public import FreeholdSync
#endif

// On Apple's systems RealmSwift's users get Foundation, `autoreleasepool` and the module Realm with it.

/// The errors of realms, under the name of Realm's Objective-C part.
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

/// Handles the library's messages.
public typealias Logger = Realm.Logger
/// The importance of a message of the library.
public typealias LogLevel = Realm.LogLevel
/// The subject of a message of the library.
public typealias LogCategory = Realm.LogCategory

// Foundation, which this module exports, has a type of that name, too. Without this declaration
// `RealmSwift.SortDescriptor` would be ambiguous.

/// A property to sort by, and the direction.
public typealias SortDescriptor = Freehold.SortDescriptor
