/// The type of a property in the older notation, determined by its type or default value.
struct StoredType: Equatable {
    enum Kind: Equatable {
        /// A number, text, date, link or enum.
        case plain
        /// `List`, `MutableSet` or `Map`.
        case collection
        case linkingObjects
        /// `RealmOptional` or `RealmProperty`.
        case box
    }

    let kind: Kind
    /// The type after `var name:`, or nil if it isn't known.
    var written: String?
    /// The default value that is kept, or nil without one.
    var value: Range<Int>?
    /// The name of the linking property, as an expression.
    var origin: String?
    /// The names that may be those of enums.
    var mentioned: [String] = []
    /// A Boolean value that indicates whether the property can be null.
    var isOptional = false

    private static let containers: [String: Kind] = [
        "List": .collection, "MutableSet": .collection, "Map": .collection, "LinkingObjects": .linkingObjects,
        "RealmOptional": .box, "RealmProperty": .box,
    ]

    /// Returns nil if the notation doesn't have the kind of the property.
    init?(_ binding: VariableDeclaration.Binding, in file: SourceFile) {
        if let type = binding.type, let container = Self.container(type, in: file) {
            guard container.end == type.upperBound else { return nil }
            self.init(container, type: type, value: binding.value, in: file)
        } else if binding.type == nil, let value = binding.value, let container = Self.container(value, in: file) {
            self.init(container, type: nil, value: value, in: file)
        } else {
            self.init(plain: binding, in: file)
        }
    }

    private init(plain binding: VariableDeclaration.Binding, in file: SourceFile) {
        let tokens = file.tokens
        kind = .plain
        if let type = binding.type {
            written = file.text(tokens: type)
            let last = tokens[type.upperBound - 1]
            isOptional = last.isMark("?") || last.isMark("!") || tokens[type.lowerBound].text == "Optional"
            mentioned = tokens[type].compactMap(\.name)
        } else if let value = binding.value {
            // The name of the enum is the second-to-last name of `Status.active` and `Model.Status.active`.
            let path = Parser.path(tokens[value])
            if path.count > 1, value.count == path.count * 2 - 1 { mentioned = [path[path.count - 2]] }
            // The value is like `Status(rawValue: 1)!`.
            if path.count == 1, value.count > 1, tokens[value.lowerBound + 1].isMark("(") { mentioned = path }
        }
        value = binding.value
    }

    private struct Container {
        let kind: Kind
        let name: Range<Int>
        /// The tokens inside the angle brackets.
        var arguments: Range<Int>?
        /// The token after the type.
        var end: Int
    }

    /// Returns the type at the beginning of tokens: `RealmSwift.List<Dog>`, or `List` alone.
    private static func container(_ range: Range<Int>, in file: SourceFile) -> Container? {
        let tokens = file.tokens
        var i = range.lowerBound
        if i + 2 < range.upperBound, ["RealmSwift", "Freehold"].contains(tokens[i].text), tokens[i + 1].isMark(".") {
            i += 2
        }
        guard let name = tokens[i].name, let kind = containers[name] else { return nil }
        var container = Container(kind: kind, name: range.lowerBound..<(i + 1), end: i + 1)
        if i + 1 < range.upperBound, tokens[i + 1].isMark("<") {
            let end = Parser(tokens, file.partner).genericsEnd(i + 1, before: range.upperBound)
            guard end > i + 3 else { return nil }
            container.arguments = (i + 2)..<(end - 1)
            container.end = end
        }
        return container
    }

    private init?(_ container: Container, type: Range<Int>?, value: Range<Int>?, in file: SourceFile) {
        kind = container.kind
        var arguments = container.arguments
        var call: Range<Int>?
        if let value {
            // The parentheses of a call that is the whole value, also of `.init()` after a type.
            let other = Self.container(value, in: file)
            var i = other?.end ?? value.lowerBound
            if i + 1 < value.upperBound, file.tokens[i].isMark("."), file.tokens[i + 1].isWord("init") { i += 2 }
            if i > value.lowerBound, i < value.upperBound, file.tokens[i].isMark("("),
                file.partner[i] == value.upperBound - 1
            {
                call = (i + 1)..<(value.upperBound - 1)
                arguments = arguments ?? other?.arguments
            } else if type == nil {
                return nil
            }
            if other == nil, call != nil, type == nil { return nil }
        }
        let name = file.text(tokens: container.name)
        switch container.kind {
        case .collection:
            guard let arguments else { return nil }
            written = "\(name)<\(file.text(tokens: arguments))>"
            mentioned = file.tokens[arguments].compactMap(\.name)
            if call?.isEmpty != true { self.value = value }
        case .linkingObjects:
            guard let call, let link = Self.link(call, in: file) else { return nil }
            written = "\(name)<\(arguments.map { file.text(tokens: $0) } ?? link.type)>"
            origin = link.property
        case .box:
            guard value == nil || call != nil else { return nil }
            isOptional = true
            mentioned = arguments.map { file.tokens[$0].compactMap(\.name) } ?? []
            let isProperty = name.hasSuffix("RealmProperty")
            if let arguments {
                let text = file.text(tokens: arguments)
                written = isProperty || text.hasSuffix("?") ? text : text + "?"
                isOptional = written!.hasSuffix("?")
            }
            guard let call, !call.isEmpty else { break }
            // The value has no label. With a label, the call has another meaning.
            if call.count > 1, file.tokens[call.lowerBound + 1].isMark(":") { return nil }
            if call.count == 1, file.tokens[call.lowerBound].isWord("nil") { break }
            self.value = call
            if written == nil { written = Self.typeOfLiteral(file.tokens[call]).map { $0 + "?" } }
        case .plain: return nil
        }
        if written == nil { return nil }
    }

    /// Parses `fromType: Person.self, property: "dogs"`.
    private static func link(_ call: Range<Int>, in file: SourceFile) -> (type: String, property: String)? {
        let tokens = file.tokens
        guard call.count > 7, tokens[call.lowerBound].isWord("fromType"), tokens[call.lowerBound + 1].isMark(":") else {
            return nil
        }
        let typeStart = call.lowerBound + 2
        guard let comma = call.first(where: { tokens[$0].isMark(",") }), comma + 3 < call.upperBound + 0,
            tokens[comma - 1].isWord("self"), tokens[comma - 2].isMark("."), tokens[comma + 1].isWord("property"),
            tokens[comma + 2].isMark(":"), comma - 2 > typeStart
        else { return nil }
        let expression = (comma + 3)..<call.upperBound
        let text =
            NameList.name(expression, in: file).map { "\"\($0)\"" } ?? file.text(tokens: expression)
        return (file.text(tokens: typeStart..<(comma - 2)), text)
    }

    private static func typeOfLiteral(_ tokens: ArraySlice<Token>) -> String? {
        let body = tokens.first?.isMark("-") == true ? tokens.dropFirst() : tokens
        guard body.count == 1, let token = body.first else { return nil }
        if token.isWord("true") || token.isWord("false") { return "Bool" }
        guard token.kind == .number else { return nil }
        return token.text.contains(".") ? "Double" : "Int"
    }
}

/// The names of properties that a method returns: `return ["a", #keyPath(Person.b)]`.
enum NameList {
    /// Returns a name from a literal or a key path.
    static func name(_ range: Range<Int>, in file: SourceFile) -> String? {
        let tokens = file.tokens
        guard let first = range.first else { return nil }
        if range.count == 1, tokens[first].kind == .literal {
            let text = tokens[first].text
            guard text.hasPrefix("\""), !text.hasPrefix("\"\"\""), !text.contains("\\") else { return nil }
            return String(text.dropFirst().dropLast())
        }
        guard tokens[first].text == "#keyPath", range.count > 3, tokens[first + 1].isMark("("),
            file.partner[first + 1] == range.upperBound - 1
        else { return nil }
        let path = Parser.path(tokens[(first + 2)..<(range.upperBound - 1)])
        return path.count * 2 - 1 == range.count - 3 ? path.last : nil
    }

    /// Returns the name in a method's body that only returns one name, or `.some(nil)` if it returns nil.
    static func single(_ body: Range<Int>, in file: SourceFile) -> String?? {
        let value = returned(body, in: file)
        if value.count == 1, file.tokens[value.lowerBound].isWord("nil") { return .some(nil) }
        return name(value, in: file).map { .some($0) }
    }

    /// Returns the names in a method's body that only returns a list of names.
    static func list(_ body: Range<Int>, in file: SourceFile) -> [String]? {
        let value = returned(body, in: file)
        guard let first = value.first, file.tokens[first].isMark("["), file.partner[first] == value.upperBound - 1
        else {
            return nil
        }
        var names: [String] = []
        var i = first + 1
        let end = value.upperBound - 1
        while i < end {
            var next = i
            while next < end, !file.tokens[next].isMark(",") { next = max(file.partner[next], next) + 1 }
            guard let name = name(i..<next, in: file) else { return nil }
            names.append(name)
            i = next + 1
        }
        return names
    }

    private static func returned(_ body: Range<Int>, in file: SourceFile) -> Range<Int> {
        var body = body
        if let first = body.first, file.tokens[first].isWord("return") { body = (first + 1)..<body.upperBound }
        if let last = body.last, file.tokens[last].isMark(";") { body = body.lowerBound..<last }
        return body
    }
}
