/// The options for the generation of models.
public struct ModelOptions: Hashable, Sendable {
    /// The naming of classes and properties without an explicit name for code.
    public enum Naming: String, CaseIterable, Sendable {
        /// The stored names, if the language accepts them. In C#, properties always begin with an uppercase letter, and
        /// in Dart, public names can't begin with an underscore.
        case stored
        /// The usual names of the language, such as `firstName` for a stored `first_name`, which is mapped. C++ can't
        /// map names.
        case idiomatic
    }

    public var naming: Naming
    /// A Boolean value that indicates whether other modules can use the classes, for Swift. The classes of all other
    /// languages are public.
    public var isPublic: Bool
    /// The name of the file without its extension, or `nil` for `Models` in the usual case of the language. Java has a
    /// file for each class.
    public var fileName: String?
    /// The package in Kotlin and Java, or the namespace in C#: words separated by dots. It is `nil` for none.
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
