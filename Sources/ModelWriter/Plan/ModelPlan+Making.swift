import FreeholdEngine

extension ModelPlan {
    init(_ models: [ModelClass], _ traits: LanguageTraits, _ options: ModelOptions) throws(ModelError) {
        try ModelCheck.check(models, options)
        self.options = options
        names = traits.classes
        let maker = PlanMaker(models, traits, options)
        classes = models.indices.map { maker.planned($0) }
        leaveOut(traits)
    }

    /// Omits properties that lead to omitted classes, and classes without remaining properties or without their key.
    private mutating func leaveOut(_ traits: LanguageTraits) {
        var gone = Set(classes.filter { $0.omission != nil }.map(\.table.name))
        var news = gone
        repeat {
            for i in classes.indices where !news.isEmpty && classes[i].omission == nil {
                for p in classes[i].properties.indices where classes[i].properties[p].omission == nil {
                    guard let target = classes[i].properties[p].target?.stored, news.contains(target) else { continue }
                    classes[i].properties[p].omission =
                        "It links to '\(SourceText.printable(target))', which is left out."
                }
            }
            news = []
            for i in classes.indices where classes[i].omission == nil {
                guard let reason = classes[i].reasonForLeavingOut(traits) else { continue }
                classes[i].omission = reason
                news.insert(classes[i].table.name)
            }
            gone.formUnion(news)
        } while !news.isEmpty
        // An inverse needs its origin, and is never a key.
        let byName = Dictionary(classes.map { ($0.table.name, $0) }, uniquingKeysWith: { first, _ in first })
        for i in classes.indices {
            for n in classes[i].inverses.indices where classes[i].inverses[n].omission == nil {
                let asked = classes[i].inverses[n].asked
                let origin = byName[asked.origin]
                let isThere =
                    origin?.omission == nil && origin?.said.contains { $0.column.name == asked.property } == true
                if !isThere {
                    let link = SourceText.printable(asked.origin) + "." + SourceText.printable(asked.property)
                    classes[i].inverses[n].omission = "It is the inverse of '\(link)', which is left out."
                }
            }
        }
    }
}

extension PlannedClass {
    fileprivate func reasonForLeavingOut(_ traits: LanguageTraits) -> String? {
        if let key = properties.first(where: \.isKey), let reason = key.omission {
            return "Its primary key '\(SourceText.printable(key.column.name))' can't be declared. \(reason)"
        }
        if !traits.hasEmptyClasses, said.isEmpty { return "No property is left of it, and \(traits.sdk) needs one." }
        let count = said.count + saidInverses.count
        if count > traits.maximumProperties {
            return "It has \(count) properties, and \(traits.sdk) takes \(traits.maximumProperties) at most."
        }
        return nil
    }
}

/// A planner that plans each class independently.
private struct PlanMaker {
    private let models: [ModelClass]
    private let traits: LanguageTraits
    private let options: ModelOptions
    private let byName: [String: Int]
    private let classNames: [String?]
    /// The names of the columns, then of the inverses, by class.
    private let propertyNames: [[String?]]
    /// The written links, by their target class.
    private let origins: [String: [(origin: Int, column: Int)]]

    init(_ models: [ModelClass], _ traits: LanguageTraits, _ options: ModelOptions) {
        self.models = models
        self.traits = traits
        self.options = options
        let isIdiomatic = options.naming == .idiomatic
        byName = Dictionary(
            models.enumerated().map { ($1.table.name, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        let classNames = traits.classes.names(
            for: models.map { ($0.table.name, $0.name) },
            idiomatic: isIdiomatic
        )
        self.classNames = classNames
        propertyNames = models.enumerated().map { number, model in
            let key = traits.mapsKey ? nil : model.table.primaryKey
            let columns = model.table.columns.map { column in
                (stored: Optional(column.name), wish: column.name == key ? key : model.propertyNames[column.name])
            }
            // Inverses have no stored names, so their names follow the usual style of the language.
            let style = isIdiomatic ? traits.properties.idiom : traits.properties.style
            let inverses = model.inverses.map { (stored: String?.none, wish: Optional(style.applied(to: $0.name))) }
            return traits.properties.names(
                for: columns + inverses,
                idiomatic: isIdiomatic,
                also: traits.takesClassName ? [] : [classNames[number] ?? ""]
            )
        }
        var origins: [String: [(origin: Int, column: Int)]] = [:]
        for (number, model) in models.enumerated() {
            for (i, column) in model.table.columns.enumerated() where column.type == .link {
                origins[column.target ?? "", default: []].append((number, i))
            }
        }
        self.origins = origins
    }

    func planned(_ number: Int) -> PlannedClass {
        let model = models[number]
        let table = model.table
        var planned = PlannedClass(
            table: table,
            name: classNames[number] ?? table.name,
            properties: table.columns.indices.map { property(number, $0) },
            inverses: inverses(number)
        )
        if classNames[number] == nil {
            planned.omission = "\(traits.sdk) can't call a class so, nor map the name to another."
        } else if table.isAsymmetric && !traits.hasAsymmetric {
            planned.omission = "It is asymmetric, which \(traits.sdk) doesn't support."
        }
        if !traits.hasFreeholdsOwn {
            for compound in table.compounds {
                let columns = compound.columns.map { SourceText.printable($0) }.joined(separator: ", ")
                planned.remarks.append(
                    "The \(compound.isUnique ? "unique " : "")index of (\(columns)) isn't declared: only Freehold has such."
                )
            }
        }
        return planned
    }

    // MARK: Properties

    private func property(_ number: Int, _ index: Int) -> PlannedProperty {
        let table = models[number].table
        let column = table.columns[index]
        let name = propertyNames[number][index]
        let isKey = column.name == table.primaryKey
        var planned = PlannedProperty(
            column: column,
            name: name ?? column.name,
            isKey: isKey,
            index: isKey ? .none : column.indexKind,
            target: column.type == .link ? target(column.target ?? "") : nil
        )
        planned.omission =
            name == nil ? "\(traits.sdk) can't map a property to another name." : omission(column, isKey, name)
        remark(&planned)
        return planned
    }

    private func omission(_ column: ColumnSpec, _ isKey: Bool, _ name: String?) -> String? {
        if isKey, !traits.mapsKey, name != column.name {
            return "\(traits.sdk) can't map a primary key to another name."
        }
        if column.type == .float, !traits.hasFloat {
            return "It is stored as float, a type that \(traits.sdk) doesn't have; double is a different type."
        }
        let canBeNull = column.isOptional && column.type != .link && column.type != .mixed
        if column.collection != .none, canBeNull, !traits.hasNullElements {
            return "Its elements can be null, which \(traits.sdk) doesn't support."
        }
        guard let target = column.target, column.type == .link else { return nil }
        if !traits.isTarget(target) {
            return "It links to '\(SourceText.printable(target))', which \(traits.sdk) takes for another type's name."
        }
        if byName[target] == nil, !traits.classes.canMap, !traits.classes.isUsable(target) {
            return "It links to '\(SourceText.printable(target))', and \(traits.sdk) can't call a class so."
        }
        return nil
    }

    /// Adds remarks about the parts of a property that can't be represented.
    private func remark(_ planned: inout PlannedProperty) {
        let column = planned.column
        switch planned.index {
        case .none: break
        case .values:
            if !traits.hasIndexes {
                planned.index = .none
                planned.remarks.append("The index isn't declared: \(traits.sdk) has none.")
            }
        case .fullText, .fullTextLatin1:
            if !traits.hasFullText {
                planned.index = .none
                planned.remarks.append("The full-text index isn't declared: \(traits.sdk) has none.")
            } else if traits.hasFreeholdsOwn, column.indexKind == .fullTextLatin1 {
                planned.remarks.append("Its words are those that Realm indexes: open it with textMatching = .latin1.")
            }
        case .places:
            if !traits.hasFreeholdsOwn {
                planned.index = .none
                planned.remarks.append("The index of places isn't declared: only Freehold has such.")
            }
        }
        if !traits.hasFreeholdsOwn {
            if column.rules.targets != .nullify {
                planned.remarks.append(
                    "Freehold's delete rule '\(column.rules.targets)' isn't declared: \(traits.sdk) has no such."
                )
            }
            if column.rules.origins != .nullify {
                planned.remarks.append(
                    "Freehold's delete rule '\(column.rules.origins)', for when what it links to is deleted, isn't declared: "
                        + "\(traits.sdk) has no such."
                )
            }
        } else if column.rules.targets != .nullify, planned.target?.isEmbedded == true {
            planned.remarks.append("The delete rule isn't declared: embedded objects go with their owner.")
        }
        if let target = planned.target, byName[target.stored] == nil {
            planned.remarks.append("The class '\(SourceText.printable(target.stored))' isn't among those written here.")
        }
    }

    private func target(_ stored: String) -> PlannedTarget {
        guard let number = byName[stored] else {
            let style = options.naming == .idiomatic ? traits.classes.idiom : traits.classes.style
            let name = traits.classes.usable(style.applied(to: stored))
            return PlannedTarget(stored: stored, name: name, isEmbedded: false)
        }
        return PlannedTarget(
            stored: stored,
            name: classNames[number] ?? stored,
            isEmbedded: models[number].table.isEmbedded
        )
    }

    // MARK: Inverse relationships

    private func inverses(_ number: Int) -> [PlannedInverse] {
        let model = models[number]
        let names = propertyNames[number].dropFirst(model.table.columns.count)
        var inverses = zip(model.inverses, names).map { asked, name in
            var planned = inverse(asked, name ?? asked.name)
            if name == nil { planned.omission = "\(traits.sdk) can't call a property so." }
            return planned
        }
        guard traits.hasFreeholdsOwn else { return inverses }
        // Rules for the objects that link to a class belong to its linking objects, which are added if necessary.
        let asked = Set(model.inverses.map { [$0.origin, $0.property] })
        var taken = Set(propertyNames[number].compactMap { $0 })
        for (origin, index) in origins[model.table.name] ?? [] {
            let column = models[origin].table.columns[index]
            let link = [models[origin].table.name, column.name]
            guard column.rules.origins != .nullify, !asked.contains(link) else { continue }
            let base = traits.properties.usable((propertyNames[origin][index] ?? column.name) + "Of")
            var name = base
            var count = 1
            while !taken.insert(name).inserted || model.table.columns.contains(where: { $0.name == name }) {
                count += 1
                name = base + String(count)
            }
            inverses.append(inverse(ModelInverse(name, of: link[0], link[1]), name))
        }
        return inverses
    }

    private func inverse(_ asked: ModelInverse, _ name: String) -> PlannedInverse {
        guard let number = byName[asked.origin],
            let index = models[number].table.columns.firstIndex(where: { $0.name == asked.property })
        else {
            return PlannedInverse(
                asked: asked,
                name: name,
                originName: asked.origin,
                originProperty: asked.property,
                originCollection: .none,
                deleteRule: .nullify,
                omission:
                    "The class '\(SourceText.printable(asked.origin))', which links here, isn't among those written."
            )
        }
        let column = models[number].table.columns[index]
        var planned = PlannedInverse(
            asked: asked,
            name: name,
            originName: classNames[number] ?? asked.origin,
            originProperty: propertyNames[number][index] ?? asked.property,
            originCollection: column.collection,
            deleteRule: column.rules.origins
        )
        if column.type == .mixed, !traits.hasFreeholdsOwn {
            planned.omission = "\(traits.sdk) has no inverses of mixed values."
        } else if !traits.inverseOrigins.contains(column.collection) {
            let kind = column.collection == .set ? "sets" : "dictionaries"
            planned.omission = "\(traits.sdk) has no inverses of \(kind)."
        }
        return planned
    }
}
