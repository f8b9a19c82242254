import FreeholdEngine
import ModelWriter

/// Classes that a file could have, with names that languages don't like.
struct RandomModels {
    var random: SeededRandom
    /// How many classes.
    var count = 30

    private var asymmetric: Set<Int> = []

    init(_ random: SeededRandom, count: Int = 30) {
        self.random = random
        self.count = count
    }

    private static let types = ColumnType.allCases.filter { $0 != .link }

    mutating func classes() -> [ModelClass] {
        var names: [String] = []
        while names.count < count {
            let name =
                random.chance(40)
                ? oddName() : random.pick(["Dog", "Person", "order_line", "größe"]) + "\(names.count)"
            // Names are unique, like in a file.
            if !names.contains(name) { names.append(name) }
        }
        let embedded = Set(names.indices.filter { _ in random.chance(25) })
        // Nothing may link to these.
        asymmetric = Set(names.indices.filter { !embedded.contains($0) && random.chance(10) }.dropFirst())
        var models = names.indices.map { number in
            let isEmbedded = embedded.contains(number)
            return ModelClass(table(names, number, isEmbedded, embedded))
        }
        addInverses(&models)
        return models
    }

    private mutating func table(_ names: [String], _ number: Int, _ isEmbedded: Bool, _ embedded: Set<Int>) -> TableSpec
    {
        var columns: [ColumnSpec] = []
        var key: String?
        if !isEmbedded, random.chance(80) {
            let name = random.chance(70) ? "_id" : oddName()
            columns.append(
                ColumnSpec(name, random.pick([.int, .string, .objectId, .uuid]), optional: random.chance(20))
            )
            key = name
        }
        var used = Set(columns.map(\.name))
        for i in 0..<Int.random(in: 1...12, using: &random) {
            let name =
                random.chance(40) ? oddName() : random.pick(["name", "first_name", "Name", "age", "isActive"]) + "\(i)"
            guard used.insert(name).inserted else { continue }
            columns.append(column(name, names, embedded))
        }
        var table = TableSpec(
            names[number],
            columns: columns,
            primaryKey: key,
            isEmbedded: isEmbedded,
            isAsymmetric: asymmetric.contains(number)
        )
        let plain = columns.filter { $0.collection == .none && [.int, .string, .bool].contains($0.type) }
        if plain.count > 1, random.chance(30) {
            table.compounds = [CompoundIndexSpec(plain.prefix(2).map(\.name), unique: random.chance(50))]
        }
        return table
    }

    private mutating func column(_ name: String, _ names: [String], _ embedded: Set<Int>) -> ColumnSpec {
        let kind: CollectionKind = random.chance(50) ? .none : random.pick([.list, .set, .dictionary])
        if random.chance(30) {
            let target = random.pick(names.indices.filter { !asymmetric.contains($0) })
            let isSafe = kind != .set || !embedded.contains(target)
            var column = ColumnSpec(name, .link, collection: isSafe ? kind : .list, target: names[target])
            if !embedded.contains(target) {
                if random.chance(20) { column.rules.targets = .cascade }
                if random.chance(20) { column.rules.origins = random.pick([.cascade, .deny]) }
            }
            return column
        }
        let type = random.pick(Self.types)
        var column = ColumnSpec(name, type, optional: random.chance(40), collection: kind)
        guard kind == .none else { return column }
        switch type {
        case .string: column.indexKind = random.pick([.none, .values, .fullText, .fullTextLatin1])
        case .bool, .int, .timestamp, .objectId, .uuid, .mixed: column.indexKind = random.pick([.none, .values])
        default: break
        }
        return column
    }

    private mutating func addInverses(_ models: inout [ModelClass]) {
        let numbers = Dictionary(models.enumerated().map { ($1.table.name, $0) }, uniquingKeysWith: { a, _ in a })
        for origin in models.indices {
            for column in models[origin].table.columns where column.type == .link && random.chance(40) {
                guard let target = numbers[column.target ?? ""] else { continue }
                let name = random.chance(70) ? "origins\(models[target].inverses.count)" : oddName()
                models[target].inverses.append(ModelInverse(name, of: models[origin].table.name, column.name))
            }
        }
    }

    /// Returns a keyword, a member of objects, a type, or text that isn't a name in any language.
    mutating func oddName() -> String {
        if random.chance(60) { return random.pick(OddNames.words) }
        if random.chance(50) { return random.pick(OddNames.hostile) }
        let characters = Array("aZ_09 -.$\"'\\/*\n\r\t\u{2028}\u{202E}ßж字😀{}<>()#`@;:!?%&=+~^|,[]")
        return String((0..<Int.random(in: 1...12, using: &random)).map { _ in random.pick(characters) })
    }
}

enum OddNames {
    static let words = [
        "class", "Class", "self", "Self", "init", "new", "newName", "copy", "copyright", "initial", "description",
        "hash",
        "id", "type", "Type", "object", "Object", "List", "Map", "Set", "String", "string", "int", "long", "bool",
        "default", "switch", "in", "is", "as", "fun", "val", "var", "when", "null", "nil", "this", "super", "package",
        "namespace", "template", "delete", "operator", "register", "virtual", "void", "final", "static", "struct",
        "enum", "protocol", "extension", "async", "await", "yield", "let", "const", "function", "constructor",
        "__proto__", "prototype", "toString", "hashCode", "equals", "Equals", "realm", "Realm", "isValid", "valid",
        "isFrozen", "frozen", "keys", "entries", "toJSON", "schema", "parent", "observe", "Date", "UUID", "ObjectId",
        "Decimal128", "Person", "Point", "Rect", "NULL", "EOF", "assert", "errno", "linux", "unix", "_", "__", "___",
        "_id", "__v", "_Bool", "__FILE__", "__strong", "1st", "9", "std", "int64_t", "realm::x", "Data", "Error", "Any",
        "Void", "Never", "any", "unknown", "undefined", "NaN", "yes", "YES", "NO", "BOOL", "SEL", "record", "sealed",
        "open", "internal", "public", "private", "required", "on", "of", "get", "set", "late", "dynamic", "Function",
        "isActive", "active", "IsActive", "x", "X", "name", "Name", "_name", "value", "className", "mappedName",
    ]

    /// Each tries to end what it is in.
    static let hostile = [
        "\"; fatalError(); let x = \"", "'); process.exit(1); ('", "*/ int main() {} /*", "\\u000a System.exit(1); //",
        "\\", "a\\", "a\\\\", "\"", "'", "`", "\n", "a\nb", "a\r\nb", "a\u{2028}b", "a\u{2029}b", "a\u{85}b",
        "a\u{0B}b",
        "${evil}", "$evil", "\\(evil)", "#{evil}", "%s%n", "??/", "??/\n", "@\"", "//", "/*", "*/", "<!--", "-->",
        "</script>", "\u{202E}evil\u{202C}", "\u{2066}evil\u{2069}", "\u{200B}", "\u{FEFF}", "e\u{301}", "\u{1}",
        "\u{7F}",
        "größe", "имя", "名前", "😀", "naïve", "ﬁ", "İ", "ß", "a b", "a-b", "a.b", " ", "#define X", "@interface",
        "///<reference path='x'/>",
        "\u{3164}", "\u{AD}", "x\u{304}", "١", "ª", "ⅷ", "𝐱",
    ]
}
