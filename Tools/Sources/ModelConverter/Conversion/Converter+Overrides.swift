/// The conversion of `primaryKey()`, `indexedProperties()` and `ignoredProperties()`. Their information is moved to the
/// properties, and they are removed. All of them still work together with `@Persisted`, so a method that can't be
/// interpreted is kept.
extension Converter {
    mutating func decideOverrides(_ model: ModelIndex.Reference) {
        decide("primaryKey", model) { converter, body, file in
            guard let name = NameList.single(body, in: file) else { return .keep("doesn't just return a name") }
            guard let name else { return .remove }
            return converter.decidePrimaryKey(name, model)
        }
        decide("indexedProperties", model) { converter, body, file in
            guard let names = NameList.list(body, in: file) else { return .keep("doesn't just return names") }
            let plan = converter.plans[model]!
            guard names.allSatisfy({ name in plan.properties.contains { $0.name == name && $0.stored != nil } }) else {
                return .keep("names properties that aren't converted here")
            }
            for i in plan.properties.indices where names.contains(plan.properties[i].name) {
                converter.plans[model]!.properties[i].isIndexed = true
            }
            return .remove
        }
        decide("ignoredProperties", model) { converter, body, file in
            guard let names = NameList.list(body, in: file) else { return .keep("doesn't just return names") }
            let own = converter.plans[model]!.names
            // A name that a superclass may store still has to be listed.
            let others = Set(names).subtracting(own)
            let inherited = converter.index.lineage(model).dropFirst().reduce(into: Set<String>()) {
                $0.formUnion(converter.plans[$1]?.names ?? [])
            }
            if !others.isDisjoint(with: inherited) || (!others.isEmpty && !converter.index.isLineageKnown(model)) {
                return .keep("names properties of a superclass")
            }
            if converter.plans[model]!.isModern, converter.hasPersisted(names, model) {
                return .keep("names properties with @Persisted")
            }
            return .remove
        }
    }

    private enum Decision {
        case remove
        case keep(String)
    }

    private mutating func decide(
        _ name: String,
        _ model: ModelIndex.Reference,
        decision: (inout Converter, Range<Int>, SourceFile) -> Decision
    ) {
        guard let overrides = plans[model]!.overrides[name], let override = overrides.first else { return }
        let shown = "\(index.type(model).name).\(name)()"
        var result: Decision
        if overrides.count > 1 || override.function.head.isConditional {
            result = .keep("depends on #if")
        } else if let body = override.function.body {
            result = decision(&self, body, files[override.file])
            // Its information is nevertheless moved to the properties.
            if case .remove = result, let caller = caller(of: name, model) {
                let message = "\(name)() is called here, so that it stays in the models"
                report(.note, inFile: caller.file, at: caller.token, message)
                if !override.isInExtension { return }
                result = .keep("is called by the program")
            }
        } else {
            return
        }
        switch result {
        case .remove: plans[model]!.removed.append(override)
        case .keep(let reason):
            if override.isInExtension {
                let message = "\(shown) \(reason), and an extension can't override it without Objective-C: move it"
                report(.left, inFile: override.file, at: override.function.keyword, message)
            } else {
                report(
                    .note,
                    inFile: override.file,
                    at: override.function.keyword,
                    "\(shown) stays, and works: it \(reason)"
                )
            }
        }
    }

    private mutating func decidePrimaryKey(_ name: String, _ model: ModelIndex.Reference) -> Decision {
        let own = plans[model]!.properties.firstIndex { $0.name == name && $0.stored != nil }
        for other in plans.values where other.reference != model && index.lineage(other.reference).contains(model) {
            for override in other.overrides["primaryKey"] ?? [] {
                let body = override.function.body.flatMap { NameList.single($0, in: files[override.file]) }
                if body != .some(.some(name)) { return .keep("is overridden in \(index.type(other.reference).name)") }
            }
        }
        guard let own else {
            let isInherited = index.lineage(model).dropFirst().contains { plans[$0]?.primaryKey == name }
            return isInherited ? .remove : .keep("names a property that isn't converted here")
        }
        plans[model]!.properties[own].isPrimaryKey = true
        plans[model]!.primaryKey = name
        return .remove
    }

    private func hasPersisted(_ names: [String], _ model: ModelIndex.Reference) -> Bool {
        let file = files[model.file]
        return index.type(model).variables.contains { variable in
            variable.head.attributes.contains { $0.name == "Persisted" || $0.name.hasSuffix(".Persisted") }
                && variable.bindings.contains { names.contains(file.tokens[$0.name].text) }
        }
    }

    /// A call of one of the methods, which must therefore be kept.
    struct Caller {
        let file: Int
        let token: Int
        /// The name of the class, or nil if the call doesn't contain it.
        let className: String?
    }

    static func callers(_ index: ModelIndex) -> [String: [Caller]] {
        var callers: [String: [Caller]] = [:]
        for (f, file) in index.files.enumerated() {
            let tokens = file.tokens
            for i in tokens.indices.dropFirst(2).dropLast() where overrideNames.contains(tokens[i].text) {
                guard tokens[i].name != nil, tokens[i - 1].isMark("."), tokens[i + 1].isMark("(") else { continue }
                let receiver = tokens[i - 2].name
                if receiver == "super" { continue }
                let className = receiver.flatMap { index.models(named: $0).isEmpty ? nil : $0 }
                callers[tokens[i].text, default: []].append(Caller(file: f, token: i, className: className))
            }
        }
        return callers
    }

    /// Returns the first call that may refer to the method of a model.
    private func caller(of name: String, _ model: ModelIndex.Reference) -> Caller? {
        let own = index.lineage(model).map { index.type($0).name }
        return callers[name]?.first { $0.className.map { own.contains($0) } ?? true }
    }
}
