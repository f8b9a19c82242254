import FreeholdEngine

/// What a language, with its SDK, can say of a schema.
struct LanguageTraits: Sendable {
    let language: ModelLanguage
    var classes: NameRules
    var properties: NameRules
    /// How the SDK's users call it, in notes.
    var sdk: String

    var hasAsymmetric = true
    var hasFloat = true
    var hasIndexes = true
    var hasFullText = true
    /// Whether elements of collections can be null, objects in dictionaries aside.
    var hasNullElements = true
    /// Delete rules, indexes of several properties, of places, of words as Realm tells them: Freehold's own.
    var hasFreeholdsOwn = false
    /// Whether a property can be called as its class.
    var takesClassName = true
    /// Whether the primary key can have another name in code.
    var mapsKey = true
    /// What links an inverse relationship may go back on.
    var inverseOrigins: Set<CollectionKind> = [.none, .list, .set, .dictionary]
    var hasEmptyClasses = true
    var maximumProperties = Int.max
    /// Whether classes of that stored name can be linked to.
    var isTarget: @Sendable (String) -> Bool = { _ in true }

    init(_ language: ModelLanguage, sdk: String, classes: NameRules, properties: NameRules) {
        self.language = language
        self.sdk = sdk
        self.classes = classes
        self.properties = properties
    }
}
