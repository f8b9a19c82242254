/// How models are written.
public struct ModelOptions: Hashable, Sendable {
    /// What classes and properties are called that have no name of their own for code.
    public enum Naming: String, CaseIterable, Sendable {
        /// As they are stored, wherever the language can take that name. C# begins properties with a capital in any case, and Dart
        /// has no public names with an underscore in front.
        case stored
        /// As the language's users write them: `firstName` for a stored `first_name`, which is mapped. C++ can't map names.
        case idiomatic
    }

    public var naming: Naming
    /// Swift: whether other modules can use the classes. All other languages' classes are public.
    public var isPublic: Bool
    /// The file's name without its ending; nil for `Models`, or as the language's users write that. Java has a file for each class.
    public var fileName: String?
    /// Kotlin's and Java's package, C#'s namespace: words with dots between them. Nil for none.
    public var package: String?

    public init(
        naming: Naming = .stored,
        isPublic: Bool = false,
        fileName: String? = nil,
        package: String? = nil
    ) {
        self.naming = naming
        self.isPublic = isPublic
        self.fileName = fileName
        self.package = package
    }
}
