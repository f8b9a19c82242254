/// The edits of a model class.
extension Converter {
    mutating func convert(_ model: ModelIndex.Reference) {
        let plan = plans[model]!
        let type = index.type(model)
        var isConverted = convertHead(type, model.file)
        for (v, variable) in type.variables.enumerated() {
            let properties = plan.properties.filter { $0.variable == v }
            guard !properties.isEmpty, !properties.contains(where: { $0.disposition == .leave }) else { continue }
            isConverted = true
            if properties.allSatisfy({ $0.disposition == .strip }) {
                strip(variable, model.file)
            } else {
                convert(variable, properties, model: model)
                counts.properties += properties.filter { $0.stored != nil }.count
                needsImport.insert(model.file)
                if variable.bindings.contains(where: { $0.block != nil }) {
                    let message =
                        "\(type.name).\(properties[0].name): observers run for stored objects as well now, not only before "
                        + "an object is added"
                    report(.note, inFile: model.file, at: variable.keyword, message)
                }
            }
            properties.forEach { note($0, model) }
        }
        for override in plan.removed {
            let function = override.function
            let others = plan.removed.filter { $0.file == override.file }.map(\.function)
            removeDeclaration(
                function.head.start..<function.end,
                in: override.file,
                with: others.map { $0.head.start..<$0.end }
            )
            counts.overrides += 1
            isConverted = true
        }
        if isConverted { counts.classes += 1 }
        lookAtFunctions(model)
    }

    /// Removes `@objc` and `@objcMembers` of a class.
    ///
    /// - Returns: A Boolean value that indicates whether the class had one of them.
    private mutating func convertHead(_ type: TypeDeclaration, _ f: Int) -> Bool {
        var isChanged = false
        for attribute in type.head.attributes where attribute.name == "objc" || attribute.name == "objcMembers" {
            removeWords(attribute.range, in: f)
            isChanged = true
            guard let arguments = attribute.arguments else { continue }
            let name = files[f].text(tokens: arguments)
            guard name != type.name else { continue }
            let message =
                "\(type.name) was stored under the name \(name), by @objc(\(name)); to keep it add "
                + "'override class func mappedName() -> String? { \"\(name)\" }'"
            report(.note, inFile: f, at: type.nameToken, message)
        }
        return isChanged
    }

    private mutating func strip(_ variable: VariableDeclaration, _ f: Int) {
        if let objc = variable.head.attribute("objc") { removeWords(objc.range, in: f) }
        if let dynamic = variable.head.modifier("dynamic") { removeWords(dynamic.range, in: f) }
    }

    private func attribute(_ property: ClassPlan.Property) -> String {
        var arguments: [String] = []
        if property.isPrimaryKey { arguments.append("primaryKey: true") }
        // A primary key is already an index.
        if property.isIndexed, !property.isPrimaryKey { arguments.append("indexed: true") }
        if let origin = property.stored?.origin { arguments.append("originProperty: \(origin)") }
        return arguments.isEmpty ? "@Persisted" : "@Persisted(\(arguments.joined(separator: ", ")))"
    }

    private mutating func convert(
        _ variable: VariableDeclaration,
        _ properties: [ClassPlan.Property],
        model: ModelIndex.Reference
    ) {
        let f = model.file
        let file = files[f]
        let head = variable.head
        // The beginning of each variable of `var a = 0, b = 1`, because a wrapper allows only one variable.
        let others =
            head.attributes.filter { $0.name != "objc" }.map(\.range)
            + head.modifiers.filter { $0.name != "dynamic" }.map(\.range)
        let words = others.map { file.text(tokens: $0) }.joined(separator: " ")
        for (b, binding) in variable.bindings.enumerated() {
            let name = file.tokens[binding.name].text
            guard let property = properties.first(where: { $0.name == name }) else { continue }
            if let stored = property.stored { retype(property, to: stored, number: b, variable: variable, inFile: f) }
            guard b > 0 else {
                if property.stored == nil { strip(variable, f) } else { mark(property, of: variable, inFile: f) }
                continue
            }
            let prefix =
                (property.stored == nil ? [] : [attribute(property)]) + (words.isEmpty ? [] : [words]) + ["var "]
            let text = prefix.joined(separator: " ")
            let token = file.tokens[binding.name]
            // The comma.
            edits[f].replace(
                file.tokens[binding.name - 1].start..<file.tokens[binding.name - 1].end,
                with: token.startsLine ? "" : ";"
            )
            edits[f].insert(text, at: token.start)
        }
        if variable.isLet {
            edits[f].replace(file.tokens[variable.keyword].start..<file.tokens[variable.keyword].end, with: "var")
        }
    }

    /// Replaces `@objc` or `dynamic` with `@Persisted`, or inserts it at the beginning.
    private mutating func mark(_ property: ClassPlan.Property, of variable: VariableDeclaration, inFile f: Int) {
        let tokens = files[f].tokens
        let text = attribute(property)
        let dynamic = variable.head.modifier("dynamic")
        func bytes(_ range: Range<Int>) -> Range<Int> {
            tokens[range.lowerBound].start..<tokens[range.upperBound - 1].end
        }
        if let objc = variable.head.attribute("objc") {
            edits[f].replace(bytes(objc.range), with: text)
            if let dynamic { removeWords(dynamic.range, in: f) }
            return
        }
        let first = variable.head.modifiers.first?.range.lowerBound ?? variable.keyword
        if let dynamic, dynamic.range.lowerBound == first {
            return edits[f].replace(bytes(dynamic.range), with: text)
        }
        edits[f].insert(text + " ", at: tokens[first].start)
        if let dynamic { removeWords(dynamic.range, in: f) }
    }

    /// Sets the type and default value of a former box, a collection or linking objects.
    private mutating func retype(
        _ property: ClassPlan.Property,
        to stored: StoredType,
        number: Int,
        variable: VariableDeclaration,
        inFile f: Int
    ) {
        let file = files[f]
        let binding = property.binding
        let declared = variable.bindings[number]
        let nameEnd = file.tokens[binding.name].end
        guard stored.kind != .plain else {
            // In `var a, b: Int`, each variable needs its type now.
            if declared.type == nil, let type = binding.type {
                edits[f].insert(": \(file.text(tokens: type))", at: nameEnd)
            }
            return
        }
        let value = stored.value.map { " = \(file.text(tokens: $0))" } ?? ""
        if let type = declared.type {
            let typeEnd = file.tokens[type.upperBound - 1].end
            let written = stored.written!
            if written != file.text(tokens: type) {
                edits[f].replace(file.tokens[type.lowerBound].start..<typeEnd, with: written)
            }
            if let old = binding.value, stored.value != old {
                edits[f].replace(typeEnd..<file.tokens[old.upperBound - 1].end, with: value)
            }
        } else {
            let end = binding.value.map { file.tokens[$0.upperBound - 1].end } ?? nameEnd
            edits[f].replace(nameEnd..<end, with: ": \(stored.written!)\(value)")
        }
    }

    // MARK: Findings

    private mutating func note(_ property: ClassPlan.Property, _ model: ModelIndex.Reference) {
        guard let stored = property.stored, stored.kind == .plain else { return }
        let full = "\(index.type(model).name).\(property.name)"
        let names = stored.mentioned
        if let link = names.last, !stored.isOptional, property.binding.type != nil, !index.models(named: link).isEmpty {
            let message = "\(full) is a link to one \(link), which must be optional: \(link)?"
            return report(.left, inFile: model.file, at: property.binding.name, message)
        }
        // `Status.active.rawValue` isn't an enum.
        let last = stored.value.map { files[model.file].tokens[$0.upperBound - 1].text }
        if property.binding.type == nil, last == "rawValue" { return }
        let unknown = names.first { name in
            name.first!.isUppercase && name.contains(where: \.isLowercase) && !PlainTypes.isKnown(name, index)
        }
        guard let unknown, !stored.isOptional else { return }
        let message = "\(full): \(unknown) isn't among the files; if it is an enum it has to be a PersistableEnum"
        report(.note, inFile: model.file, at: property.binding.name, message)
    }

    /// Reports members that need Objective-C or missing parts of Realm.
    private mutating func lookAtFunctions(_ model: ModelIndex.Reference) {
        for part in index.parts[model] ?? [] {
            let (f, file, type) = (part.file, files[part.file], index.type(part))
            if type.kind == .extension {
                for variable in type.variables { strip(variable, f) }
            }
            for function in type.functions {
                let tokens = file.tokens[function.signature]
                if function.name == "init", tokens.contains(where: { $0.text.hasPrefix("RLM") }) {
                    let message = "\(type.name): this initialiser is one of Realm's inner ones; remove it"
                    report(.left, inFile: f, at: function.keyword, message)
                } else if function.head.attribute("objc") != nil {
                    let message = "\(type.name).\(function.name): @objc doesn't compile where there is no Objective-C"
                    report(.note, inFile: f, at: function.keyword, message)
                }
            }
        }
    }

    /// Reports classes that look like models, but whose superclass isn't in the files.
    mutating func reportUnknownBases() {
        for (f, file) in files.enumerated() {
            for (t, type) in file.types.enumerated()
            where type.kind == .class && index.models[.init(file: f, type: t)] == nil {
                guard let base = type.inherited.first?.path.last else { continue }
                let hasOverride = type.functions.contains {
                    Self.overrideNames.contains($0.name) && $0.head.has("override") && $0.head.isStatic
                }
                let hasLink = type.variables.contains { variable in
                    variable.bindings.contains {
                        let kind = StoredType($0, in: file)?.kind
                        return kind == .linkingObjects || kind == .box
                    }
                }
                guard hasOverride || hasLink else { continue }
                let message =
                    "\(type.name) looks like a model, but \(base) isn't one among the files: give its file as well, or "
                    + "--base \(base)"
                report(.left, inFile: f, at: type.nameToken, message)
            }
        }
    }
}
