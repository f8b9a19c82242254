import FreeholdBSON
import FreeholdEngine
import FreeholdSyncDocuments

/// The effects of operators on a plain document.
enum NaivePatch {
    static func apply(_ patch: BSONDocument, to document: BSONDocument) -> BSONDocument {
        var result: BSONValue = .document(document)
        for (name, fields) in patch {
            for (path, value) in fields.documentValue! {
                edit(&result, path.split(separator: ".").map(String.init)[...]) { apply(name, value, $0) }
            }
        }
        return result.documentValue!
    }

    /// Changes the target of a path. `nil` is a missing value.
    private static func edit(
        _ value: inout BSONValue,
        _ path: ArraySlice<String>,
        _ body: (BSONValue?) -> BSONValue?
    ) {
        let key = path.first!
        if case .array(var elements) = value {
            let index = Int(key)!
            if path.count == 1 {
                elements[index] = body(elements[index]) ?? .null
            } else {
                edit(&elements[index], path.dropFirst(), body)
            }
            value = .array(elements)
            return
        }
        var document = value.documentValue ?? [:]
        if path.count == 1 {
            document[key] = body(document[key])
        } else {
            var inner = document[key] ?? .null
            let before = inner
            edit(&inner, path.dropFirst(), body)
            if case .document([:]) = inner, before.isNull { return }
            document[key] = inner
        }
        value = .document(document)
    }

    private static func apply(_ name: String, _ operand: BSONValue, _ old: BSONValue?) -> BSONValue? {
        let each = operand.documentValue?["$each"]?.arrayValue ?? [operand]
        switch name {
        case "$set": return operand
        case "$unset": return nil
        case "$inc":
            guard let old, !old.isNull else { return operand }
            switch (old, operand) {
            case (.int64(let a), let b) where b.asInt64() != nil: return .int64(a + b.asInt64()!)
            case (.decimal128(let a), let b): return .decimal128(a + Decimal128("\(b.asInt64()!)")!)
            default: return .double(old.asDouble()! + operand.asDouble()!)
            }
        case "$push":
            var array = old?.arrayValue ?? []
            let position = operand.documentValue?["$position"]?.asInt() ?? array.count
            array.insert(contentsOf: each, at: min(position, array.count))
            return .array(array)
        case "$addToSet":
            var array = old?.arrayValue ?? []
            for one in each where !array.contains(one) { array.append(one) }
            return .array(array)
        case "$pull":
            guard let array = old?.arrayValue else { return old }
            let wanted = operand.documentValue?["$in"]?.arrayValue ?? [operand]
            return .array(
                array.filter { element in
                    !wanted.contains { one in
                        if case .document(let fields) = one, case .document(let held) = element {
                            return fields.allSatisfy { held[$0.key] == $0.value }
                        }
                        return one == element
                    }
                }
            )
        default: fatalError("no operator \(name)")
        }
    }
}

/// Patches of a thing, about what its document has.
struct RandomPatches {
    var things: RandomThings

    mutating func patch(of document: BSONDocument) -> BSONDocument {
        var patch = BSONDocument()
        var paths: [[String]] = []
        for _ in 0..<things.int(1...4) {
            let (name, path, value) = edit(document)
            let parts = path.split(separator: ".").map(String.init)
            if paths.contains(where: { $0.starts(with: parts) || parts.starts(with: $0) }) { continue }
            paths.append(parts)
            var fields = patch[name]?.documentValue ?? [:]
            fields[path] = value
            patch[name] = .document(fields)
        }
        return patch
    }

    private mutating func edit(_ document: BSONDocument) -> (String, String, BSONValue) {
        func array(_ name: String) -> [BSONValue] { document[name]?.arrayValue ?? [] }
        let small = BSONValue.int64(Int64(things.int(-3...3)))
        switch things.int(0...17) {
        case 0, 1:
            let name = things.random.pick(RandomThings.names)
            return ("$set", name, canonical(name, things.value(name)))
        case 2:
            return (
                "$unset", things.random.pick(["level", "note", "friend", "home", "tags", "names", "scores", "any"]), ""
            )
        case 3: return ("$inc", things.random.pick(["count", "level", "scores.p", "scores.q"]), small)
        case 4: return ("$inc", "ratio", .double(0.5))
        case 5 where document["home"]?.documentValue != nil:
            return ("$set", "home.city", .string(things.word()))
        case 5: return ("$set", "home", canonical("home", things.home()))
        case 6 where document["home"]?.documentValue != nil: return ("$inc", "home.zip", small)
        case 7 where !array("homes").isEmpty:
            return ("$set", "homes.\(things.int(0...array("homes").count - 1)).city", .string(things.word()))
        case 8 where !array("tags").isEmpty:
            return ("$set", "tags.\(things.int(0...array("tags").count - 1))", .string(things.word()))
        case 9 where document["any"]?.documentValue != nil || document["any"]?.isNull ?? true:
            return things.random.chance(50) ? ("$set", "any.p", .string(things.word())) : ("$unset", "any.q", "")
        case 10: return things.random.chance(50) ? ("$set", "scores.p", small) : ("$unset", "scores.q", "")
        case 11: return ("$push", "tags", .string(things.word()))
        case 12:
            let each: BSONDocument = [
                "$each": .array((0..<things.int(0...3)).map { _ in .string(things.word()) }),
                "$position": .int32(Int32(things.int(0...4))),
            ]
            return ("$push", "tags", .document(each))
        case 13: return ("$push", "homes", canonical("home", things.home()))
        case 14:
            return (
                "$addToSet", things.random.pick(["names", "tags"]),
                ["$each": [.string(things.word()), .string(things.word())]]
            )
        case 15:
            let name = things.random.pick(["tags", "names", "marks", "mates"])
            let wanted =
                array(name).randomElement(using: &things.random) ?? (name == "tags" || name == "names" ? "a" : small)
            return ("$pull", name, things.random.chance(50) ? wanted : ["$in": [wanted]])
        case 16: return ("$pull", "homes", ["city": .string(things.word())])
        default: return ("$set", "text", .string(things.word()))
        }
    }

    /// Returns the value as an object's document shows it.
    private func canonical(_ name: String, _ value: BSONValue) -> BSONValue {
        let document: BSONDocument = ["_id": 1, name: value]
        guard let object = try? TestClasses.mapping.object(document, of: "Thing") else { return value }
        return BSONDocument(object.name, object.fields)[name] ?? value
    }
}
