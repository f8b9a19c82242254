/// An attribute. All ranges in this file are half-open ranges of token indices.

struct Attribute {
    /// The name without the at sign, as it is written: `objc`, `RealmSwift.Persisted`.
    let name: String
    let range: Range<Int>
    /// The tokens between the parentheses, or nil without parentheses.
    let arguments: Range<Int>?
}

struct Modifier {
    let name: String
    /// The tokens, including `(set)` and similar details.
    let range: Range<Int>
    /// The text in the parentheses.
    let detail: String?
}

/// The part of a declaration before its keyword.
struct DeclarationHead {
    var attributes: [Attribute] = []
    var modifiers: [Modifier] = []
    /// The beginning of the declaration.
    var start: Int
    /// A Boolean value that indicates whether the declaration is inside an `#if` of its type.
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
        /// The position of the equals sign.
        var equals: Int?
        var value: Range<Int>?
        /// The block with its braces.
        var block: Range<Int>?
        var isComputed = false
    }

    let head: DeclarationHead
    /// The position of `var` or `let`.
    let keyword: Int
    let isLet: Bool
    /// The bindings, which are empty for a tuple pattern.
    var bindings: [Binding]
    var end: Int
}

struct FunctionDeclaration {
    let head: DeclarationHead
    /// The position of `func`, `init`, `deinit` or `subscript`.
    let keyword: Int
    let name: String
    /// The tokens from the keyword to the body.
    let signature: Range<Int>
    /// The tokens inside the braces.
    let body: Range<Int>?
    let end: Int
}

struct TypeDeclaration {
    enum Kind: String { case `class`, `struct`, `enum`, `extension`, `protocol`, actor }

    let kind: Kind
    let head: DeclarationHead
    let keyword: Int
    /// The name, or the last component of an extension's name.
    let name: String
    let nameToken: Int
    /// The token after the name and its generic parameters, at which an inheritance clause begins.
    let nameEnd: Int
    /// The components of the names and their tokens.
    let inherited: [(path: [String], range: Range<Int>)]
    /// The tokens inside the braces.
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
