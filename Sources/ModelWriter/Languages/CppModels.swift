import FreeholdEngine

/// Models for Realm's SDK for C++: structs in its namespace, with a macro for each that lists the stored properties.
struct CppModels: LanguageWriter {
    let plan: ModelPlan

    init(_ plan: ModelPlan) {
        var plan = plan
        plan.classes = CppOrder(plan.classes).ordered()
        self.plan = plan
    }

    static var traits: LanguageTraits {
        var traits = LanguageTraits(
            .cpp,
            sdk: "Realm's SDK for C++",
            classes: NameRules(
                characters: .letters,
                idiom: .stored,
                keywords: CWords.keywords.union(CppWords.keywords),
                taken: CppWords.types,
                suffix: NameRules.classSuffix,
                mended: CWords.mended,
                canMap: false
            ),
            properties: NameRules(
                characters: .letters,
                idiom: .stored,
                keywords: CWords.keywords.union(CppWords.keywords),
                taken: CppWords.members,
                suffix: NameRules.propertySuffix,
                mended: CWords.mended,
                canMap: false
            )
        )
        traits.hasFloat = false
        traits.hasIndexes = false
        traits.hasFullText = false
        traits.hasNullElements = false
        traits.hasEmptyClasses = false
        traits.takesClassName = false
        // The limit of the SDK's macros.
        traits.maximumProperties = 199
        return traits
    }

    func files() -> [ModelFile] {
        var source = SourceText(indent: 4)
        source.line("#pragma once")
        source.blank()
        source.line("#include <cpprealm/sdk.hpp>")
        source.blank()
        for header in headers() { source.line("#include <\(header)>") }
        source.blank()
        source.line("namespace realm {")
        let names = namesToDeclare()
        if !names.isEmpty {
            source.blank()
            for name in names { source.line("struct \(name);") }
        }
        for model in plan.classes {
            source.blank()
            write(model, &source)
        }
        source.blank()
        source.line("} // namespace realm")
        return [ModelFile(name: (plan.options.fileName ?? "models") + ".hpp", text: source.text)]
    }

    private func headers() -> [String] {
        let all = plan.written.flatMap(\.said)
        var headers: Set<String> = []
        for property in all {
            switch property.type {
            case .int: headers.insert("cstdint")
            case .string: headers.insert("string")
            case .data: headers.formUnion(["cstdint", "vector"])
            case .timestamp: headers.insert("chrono")
            default: break
            }
            switch property.collection {
            case .none: if property.isOptional, !property.isLink, property.type != .mixed { headers.insert("optional") }
            case .list: headers.insert("vector")
            case .set: headers.insert("set")
            case .dictionary: headers.formUnion(["map", "string"])
            }
        }
        return headers.sorted()
    }

    /// Returns the structs that are used in pointers before their definition, or that are defined elsewhere.
    private func namesToDeclare() -> [String] {
        var defined: Set<String> = []
        var declared: Set<String> = []
        var names: [String] = []
        for model in plan.written {
            defined.insert(model.name)
            for name in model.said.compactMap(\.target?.name) where !defined.contains(name) {
                if declared.insert(name).inserted { names.append(name) }
            }
        }
        return names
    }

    private func write(_ model: PlannedClass, _ source: inout SourceText) {
        if let comment = model.omissionComment { return source.comments([comment]) }
        source.comments(model.remarks)
        let members = Set(model.said.map(\.name) + model.saidInverses.map(\.name))
        // Inside a struct, the name of a member hides the name of a struct.
        func seen(_ name: String) -> String { members.contains(name) ? "realm::" + name : name }
        source.block("struct \(model.name) {", "};") { body in
            for property in model.properties {
                body.comments(property.comments)
                if property.omission == nil { body.line(declaration(property, seen)) }
            }
            for inverse in model.inverses {
                body.comments(inverse.comments)
                guard inverse.omission == nil else { continue }
                let link = "\(seen(inverse.originName))::\(inverse.originProperty)"
                body.line("realm::linking_objects<&\(link)> \(inverse.name);")
            }
        }
        let macro =
            model.table.isEmbedded
            ? "REALM_EMBEDDED_SCHEMA" : model.table.isAsymmetric ? "REALM_ASYMMETRIC_SCHEMA" : "REALM_SCHEMA"
        let names = [model.name] + model.said.map(\.name) + model.saidInverses.map(\.name)
        source.line("\(macro)(\(names.joined(separator: ", ")))")
    }

    private func declaration(_ property: PlannedProperty, _ seen: (String) -> String) -> String {
        if property.isLink {
            let name = seen(property.target?.name ?? "")
            return switch property.collection {
            case .none: "\(name) *\(property.name) = nullptr;"
            case .list: "std::vector<\(name) *> \(property.name);"
            case .set: "std::set<\(name) *> \(property.name);"
            case .dictionary: "std::map<std::string, \(name) *> \(property.name);"
            }
        }
        var (element, value) = type(property.type)
        if property.isOptional, property.type != .mixed { (element, value) = ("std::optional<\(element)>", "") }
        if property.isKey { (element, value) = ("realm::primary_key<\(element)>", keyValue(property)) }
        return switch property.collection {
        case .none: "\(element) \(property.name)\(value);"
        case .list: "std::vector<\(element)> \(property.name);"
        case .set: "std::set<\(element)> \(property.name);"
        case .dictionary: "std::map<std::string, \(element)> \(property.name);"
        }
    }

    private func keyValue(_ property: PlannedProperty) -> String {
        property.type == .objectId && !property.isOptional ? "{realm::object_id::generate()}" : ""
    }

    /// Returns the type, and the initial value of a number, which would otherwise be undefined.
    private func type(_ type: ColumnType) -> (type: String, value: String) {
        switch type {
        case .bool: ("bool", " = false")
        case .int: ("int64_t", " = 0")
        case .float, .double: ("double", " = 0")
        case .string: ("std::string", "")
        case .data: ("std::vector<uint8_t>", "")
        case .timestamp: ("std::chrono::time_point<std::chrono::system_clock>", "")
        case .decimal128: ("realm::decimal128", "")
        case .objectId: ("realm::object_id", "")
        case .uuid: ("realm::uuid", "")
        case .mixed, .link: ("realm::mixed", "")
        }
    }
}

/// Sorts classes so that each class follows the classes from which its inverse relationships originate, because C++
/// requires complete types for them.
private struct CppOrder {
    private var classes: [PlannedClass]
    private let numbers: [String: Int]

    init(_ classes: [PlannedClass]) {
        self.classes = classes
        numbers = Dictionary(
            classes.enumerated().map { ($1.table.name, $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Returns the classes in order. If inverse relationships form a cycle, the one that closes it is omitted.
    func ordered() -> [PlannedClass] {
        var classes = classes
        enum State { case new, open, done }
        var states = [State](repeating: .new, count: classes.count)
        var order: [Int] = []
        // The search isn't recursive, because a chain may be as long as the schema.
        for start in classes.indices where states[start] == .new {
            var stack = [(number: start, next: 0)]
            states[start] = .open
            while let (number, next) = stack.last {
                guard next < classes[number].inverses.count else {
                    states[number] = .done
                    order.append(number)
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                let inverse = classes[number].inverses[next]
                guard inverse.omission == nil, let origin = numbers[inverse.asked.origin], origin != number else {
                    continue
                }
                switch states[origin] {
                case .done: break
                case .new:
                    states[origin] = .open
                    stack.append((origin, 0))
                case .open:
                    let name = SourceText.printable(inverse.asked.origin)
                    classes[number].inverses[next].omission =
                        "C++ can't declare all inverse relationships that lead in a circle, here through '\(name)'."
                }
            }
        }
        return order.map { classes[$0] }
    }
}
