/// The model classes of a number of files, found by inheritance.
struct ModelIndex {
    /// A type of a file.
    struct Reference: Hashable {
        let file: Int
        let type: Int
    }

    enum Base: Equatable { case object, embedded }

    let files: [SourceFile]
    private var classes: [String: [Reference]] = [:]
    private(set) var enums: [String: [Reference]] = [:]
    private var names: Set<String> = []
    private var aliases: [String: [String]] = [:]
    /// The names of the library's classes that the files declare themselves, outside of other types.
    private var hidden: Set<String> = []
    private let bases: Set<String>
    private(set) var models: [Reference: Base] = [:]
    /// The declaration and the extensions of each model.
    private(set) var parts: [Reference: [Reference]] = [:]
    /// The names of properties that protocols of Objective-C require, by the names of the protocols.
    private var required: [String: Set<String>] = [:]

    private static let modules: Set<String> = ["RealmSwift", "Freehold"]
    private static let roots: [String: Base] = [
        "Object": .object, "RealmSwiftObject": .object, "AsymmetricObject": .object,
        "EmbeddedObject": .embedded, "RealmSwiftEmbeddedObject": .embedded,
    ]

    /// - Parameter bases: The names of model classes that aren't in the files.
    init(_ files: [SourceFile], bases: Set<String>) {
        self.files = files
        self.bases = bases
        for (f, file) in files.enumerated() {
            for (name, target) in file.aliases where !target.isEmpty { aliases[name] = target }
            for (t, type) in file.types.enumerated() {
                if type.kind != .extension { names.insert(type.name) }
                if type.kind != .extension, Self.roots[type.name] != nil,
                    !file.types.contains(where: { $0.body.contains(type.keyword) })
                {
                    hidden.insert(type.name)
                }
                if type.kind == .class { classes[type.name, default: []].append(Reference(file: f, type: t)) }
                if type.kind == .enum { enums[type.name, default: []].append(Reference(file: f, type: t)) }
            }
        }
        for reference in classes.values.joined() {
            var visited: Set<Reference> = []
            models[reference] = base(of: reference, &visited)
        }
        for (f, file) in files.enumerated() {
            for t in file.types.indices {
                let reference = Reference(file: f, type: t)
                if let model = model(reference) { parts[model, default: []].append(reference) }
            }
        }
        findRequirements()
    }

    private mutating func findRequirements() {
        var protocols: [String: (names: Set<String>, parents: [String], isObjectiveC: Bool)] = [:]
        for file in files {
            for type in file.types where type.kind == .protocol {
                let names = type.variables.flatMap { $0.bindings.map { file.tokens[$0.name].text } }
                let parents = type.inherited.compactMap(\.path.last)
                protocols[type.name] = (Set(names), parents, type.head.attribute("objc") != nil)
            }
        }
        for name in protocols.keys {
            var visited: Set<String> = []
            var open = [name]
            while let next = open.popLast() {
                guard visited.insert(next).inserted, let found = protocols[next] else { continue }
                if found.isObjectiveC { required[name, default: []].formUnion(found.names) }
                open += found.parents
            }
        }
    }

    /// Returns the names of a model's properties that a protocol of Objective-C requires, so that they are visible to
    /// Objective-C.
    func requirements(of model: Reference) -> Set<String> {
        guard !required.isEmpty else { return [] }
        return (parts[model] ?? []).reduce(into: []) { names, part in
            for path in type(part).inherited.compactMap(\.path.last) { names.formUnion(required[path] ?? []) }
        }
    }

    func type(_ reference: Reference) -> TypeDeclaration { files[reference.file].types[reference.type] }

    private func base(of reference: Reference, _ visited: inout Set<Reference>) -> Base? {
        guard visited.insert(reference).inserted, let path = superclassPath(reference) else { return nil }
        if let root = root(path) { return root }
        let candidates = superclasses(of: reference)
        // If several classes have the name, all of them must be models.
        let found = candidates.map { base(of: $0, &visited) }
        guard let first = found.first, found.allSatisfy({ $0 != nil }) else { return nil }
        return first
    }

    private func superclassPath(_ reference: Reference) -> [String]? {
        guard let path = type(reference).inherited.first?.path, !path.isEmpty else { return nil }
        let mayBeAlias = path.count == 1 && !names.contains(path[0]) && Self.roots[path[0]] == nil
        return mayBeAlias ? aliases[path[0]] ?? path : path
    }

    private func root(_ path: [String]) -> Base? {
        let name = path[path.count - 1]
        if path.count == 1, bases.contains(name) { return .object }
        guard let root = Self.roots[name] else { return nil }
        // A class in the files hides the library's class.
        return path.count == 1 ? (hidden.contains(name) ? nil : root) : Self.modules.contains(path[0]) ? root : nil
    }

    /// Returns a Boolean value that indicates whether the superclass of a class is one of the library.
    func derivesFromLibrary(_ reference: Reference) -> Bool {
        guard models[reference] != nil, let path = superclassPath(reference) else { return false }
        return root(path) != nil && !bases.contains(path[0])
    }

    /// Returns the declarations to which the superclass's name may refer: those in the same file, or otherwise in any
    /// file.
    func superclasses(of reference: Reference) -> [Reference] {
        guard let path = superclassPath(reference), let all = classes[path[path.count - 1]] else { return [] }
        let near = all.filter { $0.file == reference.file && $0 != reference }
        return near.isEmpty ? all.filter { $0 != reference } : near
    }

    /// Returns the class and its superclasses in the files, the class first.
    func lineage(_ reference: Reference) -> [Reference] {
        var line = [reference]
        while let next = superclasses(of: line[line.count - 1]).first, !line.contains(next) { line.append(next) }
        return line
    }

    /// Returns a Boolean value that indicates whether the files contain all superclasses up to the library's.
    func isLineageKnown(_ reference: Reference) -> Bool {
        guard let path = superclassPath(lineage(reference).last!) else { return false }
        return path.count > 1 || Self.roots[path[0]] != nil
    }

    func models(named name: String) -> [Reference] { (classes[name] ?? []).filter { models[$0] != nil } }

    func isModel(_ name: String) -> Bool { !models(named: name).isEmpty || Self.roots[name] != nil }

    func isDeclared(_ name: String) -> Bool { names.contains(name) || aliases[name] != nil }

    func alias(_ name: String) -> [String]? { aliases[name] }

    /// Returns the model of a type, which is its class or an extension.
    func model(_ reference: Reference) -> Reference? {
        let type = type(reference)
        if type.kind == .class { return models[reference] == nil ? nil : reference }
        guard type.kind == .extension else { return nil }
        let candidates = models(named: type.name)
        guard candidates.count == (classes[type.name] ?? []).count else { return nil }
        return candidates.first { $0.file == reference.file } ?? candidates.first
    }

    /// Returns the innermost type around a token.
    func enclosing(inFile file: Int, at token: Int) -> Reference? {
        var best: Int?
        for (t, type) in files[file].types.enumerated() where type.body.contains(token) {
            if best.map({ files[file].types[$0].body.lowerBound < type.body.lowerBound }) ?? true { best = t }
        }
        return best.map { Reference(file: file, type: $0) }
    }
}
