/// The plan for the conversion of a model class.
struct ClassPlan {
    enum Disposition: Equatable {
        case convert(StoredType)
        /// The property stays a plain property. Only `@objc` and `dynamic` are removed.
        case strip
        case leave
    }

    struct Property {
        let variable: Int
        let binding: VariableDeclaration.Binding
        let name: String
        var disposition: Disposition
        var isPrimaryKey = false
        var isIndexed = false

        var stored: StoredType? {
            if case .convert(let type) = disposition { return type }
            return nil
        }
    }

    /// `primaryKey()`, `indexedProperties()` or `ignoredProperties()`, in the class or in an extension of it.
    struct Override {
        let file: Int
        let function: FunctionDeclaration
        let isInExtension: Bool
    }

    let reference: ModelIndex.Reference
    var properties: [Property] = []
    /// The names of all variables.
    var names: Set<String> = []
    /// A Boolean value that indicates whether the class already has properties with `@Persisted`, so that the remaining
    /// ones aren't stored.
    var isModern = false
    var overrides: [String: [Override]] = [:]
    var ignored: Set<String> = []
    var required: Set<String> = []
    /// The property with `@Persisted(primaryKey: true)` in this class.
    var primaryKey: String?
    var removed: [Override] = []
    /// The boxes that have become optionals.
    var boxes: Set<String> { Set(properties.filter { $0.stored?.kind == .box }.map(\.name)) }
}

extension Converter {
    static let overrideNames: Set<String> = ["primaryKey", "indexedProperties", "ignoredProperties"]

    mutating func plan(_ model: ModelIndex.Reference) -> ClassPlan {
        var plan = ClassPlan(reference: model)
        let type = index.type(model)
        plan.required = index.requirements(of: model)
        plan.isModern = type.variables.contains { $0.head.attributes.contains { isPersisted($0) } }
        for part in index.parts[model] ?? [] {
            let (file, other) = (files[part.file], index.type(part))
            plan.names.formUnion(other.variables.flatMap { $0.bindings.map { file.tokens[$0.name].text } })
            for function in other.functions
            where Self.overrideNames.contains(function.name) && function.head.has("override") {
                plan.overrides[function.name, default: []].append(
                    .init(file: part.file, function: function, isInExtension: other.kind == .extension)
                )
            }
        }
        for override in plan.overrides["ignoredProperties"] ?? [] {
            guard let body = override.function.body else { continue }
            // All names in the method are probably ignored properties. The method is kept if this isn't certain.
            plan.ignored.formUnion(
                NameList.list(body, in: files[override.file])
                    ?? body.compactMap { NameList.name($0..<($0 + 1), in: files[override.file]) }
            )
        }
        for (v, variable) in type.variables.enumerated() {
            for binding in bindings(of: variable) {
                let name = files[model.file].tokens[binding.name].text
                guard let disposition = disposition(of: binding, variable, name, in: plan) else { continue }
                plan.properties.append(.init(variable: v, binding: binding, name: name, disposition: disposition))
            }
        }
        return plan
    }

    /// Returns the bindings of a variable. In `var a, b: Int`, both have the type.
    private func bindings(of variable: VariableDeclaration) -> [VariableDeclaration.Binding] {
        var bindings = variable.bindings
        var type: Range<Int>?
        for i in bindings.indices.reversed() {
            if bindings[i].type == nil, bindings[i].value == nil { bindings[i].type = type }
            type = bindings[i].type
        }
        return bindings
    }

    private func isPersisted(_ attribute: Attribute) -> Bool {
        attribute.name == "Persisted" || attribute.name.hasSuffix(".Persisted")
    }

    /// Returns the disposition, or nil if the property has no part of the older notation.
    private mutating func disposition(
        of binding: VariableDeclaration.Binding,
        _ variable: VariableDeclaration,
        _ name: String,
        in plan: ClassPlan
    ) -> ClassPlan.Disposition? {
        let file = files[plan.reference.file]
        let head = variable.head
        let objc = head.attribute("objc")
        let isMarked = objc != nil || head.has("dynamic")
        let plain: ClassPlan.Disposition? = isMarked ? .strip : nil
        if head.isStatic || head.has("lazy") || binding.isComputed { return plain }
        if head.attributes.contains(where: isPersisted) { return plain }
        let full = "\(index.type(plan.reference).name).\(name)"
        let wrappers: Set<String> = ["IBInspectable", "IBOutlet", "GKInspectable", "MainActor"]
        if let wrapper = head.attributes.first(where: { $0.name.first!.isUppercase && !wrappers.contains($0.name) }) {
            guard isMarked else { return nil }
            report(.left, inFile: plan.reference.file, at: binding.name, "\(full) has a wrapper, @\(wrapper.name)")
            return .leave
        }
        if plan.ignored.contains(name) { return plain }
        guard let stored = StoredType(binding, in: file) else {
            let message = "\(full): the default value isn't one that can be kept; declare it by hand"
            report(.left, inFile: plan.reference.file, at: binding.name, message)
            return .leave
        }
        if plan.isModern {
            // A property that an earlier conversion left alone looks the same, so it isn't converted to a plain
            // property.
            guard isMarked || stored.kind != .plain else { return nil }
            let message = "\(full) isn't stored, because others have @Persisted: make it plain, or write @Persisted"
            report(isMarked ? .left : .note, inFile: plan.reference.file, at: binding.name, message)
            return isMarked ? .leave : nil
        }
        if stored.kind == .plain {
            if variable.isLet { return plain }
            if !isMarked {
                guard let reason = exposure(name, variable, binding: binding, in: plan) else { return nil }
                let message = "\(full) was stored, though it isn't dynamic, because \(reason); it still is"
                report(.note, inFile: plan.reference.file, at: binding.name, message)
            }
        }
        if let reason = reasonToLeave(stored, binding, variable: variable, in: plan) {
            report(.left, inFile: plan.reference.file, at: binding.name, "\(full) \(reason)")
            return .leave
        }
        return .convert(stored)
    }

    private func reasonToLeave(
        _ stored: StoredType,
        _ binding: VariableDeclaration.Binding,
        variable: VariableDeclaration,
        in plan: ClassPlan
    ) -> String? {
        let file = files[plan.reference.file]
        let head = variable.head
        if head.has("override") { return "overrides a property, which one with @Persisted can't" }
        if head.modifiers.contains(where: { $0.name == "weak" || $0.name == "unowned" }) {
            return "is weak, which a property with @Persisted can't be"
        }
        if let objc = head.attribute("objc"), let arguments = objc.arguments,
            file.text(tokens: arguments) != file.tokens[binding.name].text
        {
            return "has another name in Objective-C, so that RealmSwift didn't store it: decide whether it shall be"
        }
        if stored.kind == .plain { return PlainTypes.reasonToLeave(binding, in: file, index) }
        if stored.kind == .collection, stored.written?.hasSuffix("?") == true {
            return "is an optional collection, which isn't stored"
        }
        // A comment between the parts would be lost.
        let last = binding.value?.upperBound ?? binding.type?.upperBound ?? binding.name + 1
        return isPlain(binding.name..<last, in: plan.reference.file) ? nil : "has a comment inside: declare it by hand"
    }

    /// Returns the reason why a property without `@objc` was visible to Objective-C, and so to Realm.
    private func exposure(
        _ name: String,
        _ variable: VariableDeclaration,
        binding: VariableDeclaration.Binding,
        in plan: ClassPlan
    ) -> String? {
        let head = variable.head
        guard head.attribute("nonobjc") == nil, !head.has("private"), !head.has("fileprivate") else { return nil }
        guard PlainTypes.isSeenByObjectiveC(binding, in: files[plan.reference.file], index) else { return nil }
        let isMembers = index.lineage(plan.reference).contains {
            index.type($0).head.attribute("objcMembers") != nil
        }
        if isMembers { return "the class is @objcMembers" }
        return plan.required.contains(name) ? "a protocol of Objective-C's asks for it" : nil
    }
}
