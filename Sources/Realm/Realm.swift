// RealmSwift's other module, which older code imports for `RLMError`.
@_exported public import RealmSwift
