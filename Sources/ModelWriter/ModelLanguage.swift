/// A language with its notation of models.
public enum ModelLanguage: String, CaseIterable, Sendable, Codable {
    /// The notation of Freehold and RealmSwift: `@Persisted`.
    case swift
    /// Realm's SDK for Objective-C: `RLMObject`.
    case objc
    /// Realm's SDK for Kotlin: `class Dog : RealmObject`.
    case kotlin
    /// Realm's SDK for Java: `class Dog extends RealmObject`, with a file for each class.
    case java
    /// Realm's SDK for Java, used from Kotlin: `open class Dog : RealmObject()`.
    case javaKotlin = "java-kotlin"
    /// Realm's SDK for .NET: `partial class Dog : IRealmObject`.
    case csharp
    /// Realm's SDK for Flutter and Dart: `@RealmModel() class _Dog`.
    case dart
    /// Realm's SDK for Node.js and React Native: `class Dog extends Realm.Object`.
    case javascript
    /// Like `javascript`, with types.
    case typescript
    /// Realm's SDK for C++: a struct and `REALM_SCHEMA`.
    case cpp

    /// The name for users.
    public var name: String {
        switch self {
        case .swift: "Swift"
        case .objc: "Objective-C"
        case .kotlin: "Kotlin"
        case .java: "Java"
        case .javaKotlin: "Java (used from Kotlin)"
        case .csharp: "C#"
        case .dart: "Dart"
        case .javascript: "JavaScript"
        case .typescript: "TypeScript"
        case .cpp: "C++"
        }
    }
}
