import FreeholdEngine

/// The parts of a schema that a language and its SDK support.
struct LanguageTraits: Sendable {
    let language: ModelLanguage
    var classes: NameRules
    var properties: NameRules
    /// The name of the SDK in notes.
    var sdk: String

    var hasAsymmetric = true
    var hasFloat = true
    var hasIndexes = true
    var hasFullText = true
    /// A Boolean value that indicates whether elements of collections can be null, in addition to objects in
    /// dictionaries.
    var hasNullElements = true
    /// A Boolean value that indicates whether the features of Freehold alone are supported: delete rules, indexes of
    /// several properties, of places, and of words with Realm's rules.
    var hasFreeholdsOwn = false
    /// A Boolean value that indicates whether a property can have the name of its class.
    var takesClassName = true
    /// A Boolean value that indicates whether the primary key can have another name in code.
    var mapsKey = true
    /// The kinds of links that inverse relationships can have.
    var inverseOrigins: Set<CollectionKind> = [.none, .list, .set, .dictionary]
    var hasEmptyClasses = true
    var maximumProperties = Int.max
    /// A closure that returns whether classes with the stored name can be targets of links.
    var isTarget: @Sendable (String) -> Bool = { _ in true }

    init(_ language: ModelLanguage, sdk: String, classes: NameRules, properties: NameRules) {
        self.language = language
        self.sdk = sdk
        self.classes = classes
        self.properties = properties
    }
}
