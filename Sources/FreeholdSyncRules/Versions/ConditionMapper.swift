import FreeholdEngine
import FreeholdSyncCore

/// Translates the conditions of apps with one version into conditions on stored names and values.
///
/// Conditions are about the values that the app is shown. A comparison with a property whose shown value differs from
/// the stored one is therefore translated into a condition that finds the same objects. See `ShownComparison`.
struct ConditionMapper {
    let map: VersionMap
    /// A Boolean value that indicates whether the conditions belong to rules, whose names aren't those of clients. Then
    /// unknown names and all comparisons aren't changed.
    private let isOfRules: Bool

    init(_ map: VersionMap, isOfRules: Bool = false) { (self.map, self.isOfRules) = (map, isOfRules) }

    // MARK: Queries

    func mapped(_ query: ClassQuery) throws(ConditionError) -> ClassQuery {
        guard let owner = map.named(query.className), !owner.isEmbedded else {
            throw ConditionError(
                position: 0,
                text: SyncString("There is no class '\(query.className)' in version \(map.number) of the schema.")
            )
        }
        let written: WrittenQuery
        do { written = try QueryParser.parse(query.condition.string) } catch {
            throw Self.error(error.message, at: error.position, in: query.condition)
        }
        guard written.stages.isEmpty else {
            throw ConditionError(
                position: 0,
                text: "Sorting, distinct and limits aren't part of what is subscribed to."
            )
        }
        var isChanged = false
        let condition: Condition
        do throws(Unknown) { condition = try mapped(written.condition, owner, &isChanged) } catch {
            throw Self.error(error.text, at: error.position, in: query.condition)
        }
        let text = isChanged ? QueryPrinter.text(condition) { _ in nil } : query.condition.string
        return ClassQuery(className: owner.stored, condition: SyncString(text))
    }

    /// Translates a condition of rules.
    func mapped(_ condition: Condition, _ owner: ClassMap) -> Condition {
        var isChanged = false
        do throws(Unknown) { return try mapped(condition, owner, &isChanged) } catch { return condition }
    }

    /// - Parameter position: The position in characters, as the parser counts them.
    private static func error(_ text: String, at position: Int?, in condition: SyncString) -> ConditionError {
        let end = condition.string.index(
            condition.string.startIndex,
            offsetBy: position ?? 0,
            limitedBy: condition.string.endIndex
        )
        let bytes = condition.string.utf8.distance(
            from: condition.string.startIndex,
            to: end ?? condition.string.endIndex
        )
        return ConditionError(position: UInt64(bytes), text: SyncString(text))
    }

    /// The error of a class or property that the version doesn't have.
    private struct Unknown: Error {
        let text: String
        /// The position in characters.
        let position: Int?
    }

    // MARK: Conditions

    private func mapped(_ condition: Condition, _ owner: ClassMap, _ isChanged: inout Bool) throws(Unknown)
        -> Condition
    {
        switch condition {
        case .truth: return condition
        case .not(let inner): return .not(try mapped(inner, owner, &isChanged))
        case .and(let parts, _): return .and(try mapped(parts, owner, &isChanged))
        case .or(let parts, _): return .or(try mapped(parts, owner, &isChanged))
        case .compare(let a, let relation, let b, let options):
            let (left, right) = (try mapped(a, owner, &isChanged), try mapped(b, owner, &isChanged))
            let new = Condition.compare(left.term, relation, right.term, options)
            return shown(condition, new, left.end ?? right.end, &isChanged)
        case .between(let term, let lower, let upper, let isClosed):
            let found = try mapped(term, owner, &isChanged)
            let new = Condition.between(found.term, lower: lower, upper: upper, isClosed: isClosed)
            return shown(condition, new, found.end, &isChanged)
        case .fullText(let path, let words): return .fullText(try mapped(path, owner, &isChanged).path, words)
        case .within(let path, let shape): return .within(try mapped(path, owner, &isChanged).path, shape)
        case .term(let term):
            let found = try mapped(term, owner, &isChanged)
            return shown(condition, .term(found.term), found.end, &isChanged)
        }
    }

    private func mapped(_ parts: [Condition], _ owner: ClassMap, _ isChanged: inout Bool) throws(Unknown) -> [Condition]
    {
        var new: [Condition] = []
        for part in parts { new.append(try mapped(part, owner, &isChanged)) }
        return new
    }

    /// Returns a comparison that matches the values that the app is shown.
    private func shown(
        _ written: Condition,
        _ mapped: Condition,
        _ end: PathEnd?,
        _ isChanged: inout Bool
    ) -> Condition {
        guard !isOfRules, let end, let comparison = ShownComparison(written, mapped, end) else { return mapped }
        isChanged = true
        return comparison.condition
    }

    // MARK: Terms

    private func mapped(_ term: Term, _ owner: ClassMap, _ isChanged: inout Bool) throws(Unknown) -> (
        term: Term, end: PathEnd?
    ) {
        switch term {
        case .constant(let constant): return (.constant(try mapped(constant, &isChanged)), nil)
        case .path(let path):
            let found = try mapped(path, owner, &isChanged)
            return (.path(found.path), found.end)
        case .subquery(let path, let variable, let condition):
            let found = try mapped(path, owner, &isChanged)
            guard let target = found.owner else {
                if isOfRules { return (term, nil) }
                throw Unknown(text: "A subquery needs a collection of objects.", position: path.position)
            }
            let inner = try mapped(condition, target, &isChanged)
            return (.subquery(found.path, variable: variable, inner), nil)
        case .arithmetic(let sign, let a, let b):
            let (a, b) = (try mapped(a, owner, &isChanged), try mapped(b, owner, &isChanged))
            return (.arithmetic(sign, a.term, b.term), nil)
        }
    }

    private func mapped(_ constant: Constant, _ isChanged: inout Bool) throws(Unknown) -> Constant {
        switch constant {
        case .objectWithPrimaryKey(let className, let key):
            guard let found = map.named(SyncString(className)), !found.isEmbedded else {
                if isOfRules { return constant }
                throw Unknown(text: "There is no class '\(className)'.", position: nil)
            }
            if found.stored != found.name { isChanged = true }
            return .objectWithPrimaryKey(className: found.stored.string, key)
        case .list(let constants, let quantifier):
            var new: [Constant] = []
            for constant in constants { new.append(try mapped(constant, &isChanged)) }
            return .list(new, quantifier)
        case .value, .number, .argument, .object, .shape: return constant
        }
    }

    // MARK: Paths

    private struct MappedPath {
        var path: NamedPath
        /// The class of the objects to which the path leads.
        var owner: ClassMap?
        /// The end of the path. `nil` if the path doesn't end at a single value whose shown value can differ.
        var end: PathEnd?
    }

    private func mapped(_ path: NamedPath, _ owner: ClassMap, _ isChanged: inout Bool) throws(Unknown) -> MappedPath {
        var new = path
        new.steps = []
        var current: ClassMap? = owner
        var property: PropertyMap?
        var isSingle = true
        for (index, step) in path.steps.enumerated() {
            func unknown(_ text: String) -> Unknown {
                let positions = path.stepPositions
                return Unknown(text: text, position: index < positions.count ? positions[index] : path.position)
            }
            if case .place = step {
                isSingle = false
                new.steps.append(step)
                continue
            }
            if let last = property {
                let isLast = index == path.steps.count - 1
                if step == .name("length"), isLast, last.type == .string || last.type == .data {
                    new.steps.append(step)
                    isSingle = false
                    continue
                }
                current = last.target.map { map.classes[$0] }
                if last.collection != .none { isSingle = false }
                guard current != nil else {
                    if isOfRules { return MappedPath(path: rest(new, path, index), owner: nil, end: nil) }
                    throw unknown(
                        last.type == .mixed
                            ? "What lies behind '\(last.name)' can't be asked: it can be of any class."
                            : "'\(last.name)' isn't a link, so that nothing can follow it."
                    )
                }
            }
            switch step {
            case .place: break
            case .name(let name):
                guard let owner = current, let found = owner.named(SyncString(name)) else {
                    if isOfRules { return MappedPath(path: rest(new, path, index), owner: nil, end: nil) }
                    throw unknown("Class \(current?.name.string ?? "") has no property '\(name)'.")
                }
                if found.stored != found.name { isChanged = true }
                new.steps.append(.name(found.stored.string))
                property = found
            case .links(let className, let name):
                guard let other = map.named(SyncString(className)), let found = other.named(SyncString(name)) else {
                    if isOfRules { return MappedPath(path: rest(new, path, index), owner: nil, end: nil) }
                    throw unknown("There is no property '\(className).\(name)'.")
                }
                if other.stored != other.name || found.stored != found.name { isChanged = true }
                new.steps.append(.links(className: other.stored.string, property: found.stored.string))
                (current, property, isSingle) = (other, nil, false)
            }
        }
        let target = property.map { $0.target.map { map.classes[$0] } } ?? current
        var mapped = MappedPath(path: new, owner: target, end: nil)
        if let property, isSingle, new.suffix == nil, property.collection == .none {
            mapped.end = PathEnd(path: new, property: property)
        }
        return mapped
    }

    private func rest(_ new: NamedPath, _ path: NamedPath, _ index: Int) -> NamedPath {
        var new = new
        new.steps += path.steps[index...]
        return new
    }

    // MARK: Errors

    /// Returns a text about a stored class with the version's names. Names are recognised by their single quotes.
    func shown(_ text: SyncString, of owner: ClassMap) -> SyncString {
        var parts = text.string.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
        for index in stride(from: 1, to: parts.count - 1, by: 2) {
            if SyncString(parts[index]) == owner.stored {
                parts[index] = owner.name.string
            } else if let names = names(parts[index], of: owner) {
                parts[index] = names
            }
        }
        return SyncString(parts.joined(separator: "'"))
    }

    private func names(_ path: String, of owner: ClassMap) -> String? {
        var current: ClassMap? = owner
        var names: [String] = []
        for part in path.split(separator: ".", omittingEmptySubsequences: false) {
            guard let property = current?.stored(SyncString(String(part))) else { return nil }
            names.append(property.name.string)
            current = property.target.map { map.classes[$0] }
        }
        return names.joined(separator: ".")
    }
}

/// The end of a path at a single value.
struct PathEnd {
    /// The path in stored names.
    let path: NamedPath
    let property: PropertyMap
}
