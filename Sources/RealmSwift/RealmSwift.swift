@_exported public import Freehold

// Of the names that RealmSwift has at the top those that other libraries of a server have, too. Who imports Freehold has
// them within `Realm`.

/// Takes the library's messages.
public typealias Logger = Realm.Logger
/// How important a message of the library is.
public typealias LogLevel = Realm.LogLevel
/// What a message of the library is about.
public typealias LogCategory = Realm.LogCategory
