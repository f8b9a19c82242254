// RealmSwift also has a module `Realm`. Older code imports it for `RLMError`.
@_exported public import RealmSwift
