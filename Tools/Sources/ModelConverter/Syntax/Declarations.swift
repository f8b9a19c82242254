/// All ranges are of tokens' numbers, without the last one.

struct Attribute {
    /// Without the at sign, as written: `objc`, `RealmSwift.Persisted`.
    let name: String
    let range: Range<Int>
    /// What stands between the parentheses; nil without any.
    let arguments: Range<Int>?
}

struct Modifier {
    let name: String
    /// With `(set)` and the like.
    let range: Range<Int>
    /// What stands in the parentheses.
    let detail: String?
}

/// What stands before the keyword of a declaration.
struct DeclarationHead {
    var attributes: [Attribute] = []
    var modifiers: [Modifier] = []
    /// Where the declaration begins.
    var start: Int
    /// Whether `#if` decides over it, inside the type.
    var isConditional = false

    func attribute(_ name: String) -> Attribute? { attributes.first { $0.name == name } }
    func modifier(_ name: String) -> Modifier? { modifiers.first { $0.name == name && $0.detail == nil } }
    func has(_ name: String) -> Bool { modifier(name) != nil }
    var isStatic: Bool { has("static") || has("class") }
}

struct VariableDeclaration {
    struct Binding {
        let name: Int
        var type: Range<Int>?
        /// Of the equals sign.
        var equals: Int?
        var value: Range<Int>?
        /// With its braces.
        var block: Range<Int>?
        var isComputed = false
    }

    let head: DeclarationHead
    /// `var` or `let`.
    let keyword: Int
    let isLet: Bool
    /// Empty where a tuple is taken apart.
    var bindings: [Binding]
    var end: Int
}

struct FunctionDeclaration {
    let head: DeclarationHead
    /// `func`, `init`, `deinit` or `subscript`.
    let keyword: Int
    let name: String
    /// From behind the keyword to the body.
    let signature: Range<Int>
    /// Inside the braces.
    let body: Range<Int>?
    let end: Int
}

struct TypeDeclaration {
    enum Kind: String { case `class`, `struct`, `enum`, `extension`, `protocol`, actor }

    let kind: Kind
    let head: DeclarationHead
    let keyword: Int
    /// The last component of an extension's.
    let name: String
    let nameToken: Int
    /// Behind the name and its generic parameters: where a clause of inheritance begins.
    let nameEnd: Int
    /// Names' components and their tokens.
    let inherited: [(path: [String], range: Range<Int>)]
    /// Inside the braces.
    let body: Range<Int>
    var variables: [VariableDeclaration] = []
    var functions: [FunctionDeclaration] = []
}

struct ImportDeclaration {
    let module: String
    let end: Int
    let start: Int
    let isConditional: Bool
}
