import Foundation
import Freehold

/// Without a primary key, linked in circles.
class DCNode: Object {
    @Persisted var name = ""
    @Persisted var next: DCNode?
    @Persisted var others: List<DCNode>
    @Persisted var byName: Map<String, DCNode?>
    @Persisted var set: MutableSet<DCNode>
    @Persisted var leaf: DCLeaf?
    @Persisted var any: AnyRealmValue
    @Persisted var part: DCPart?
    @Persisted var parts: List<DCPart>
    @Persisted(originProperty: "next") var before: LinkingObjects<DCNode>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Its key may be null.
class DCLeaf: Object {
    @Persisted(primaryKey: true) var key: String?
    @Persisted(mapTo: "stored-value") var value = 0.0
    @Persisted(indexed: true) var date: Date
    @Persisted(fullText: true) var text = ""
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var float: Float
    @Persisted var decimal: Decimal128?
    @Persisted var data: Data
    @Persisted var uuid: UUID?
    @Persisted var id: ObjectId
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func mappedName() -> String? { "leaf" }
    override class func compoundIndexes() -> [CompoundIndex] { [.unique("key", "uuid")] }
}

class DCPart: EmbeddedObject {
    @Persisted var title: String?
    @Persisted var target: DCNode?
    @Persisted var deeper: DCPart?
}

enum DocumentSample {
    static let types: [ObjectBase.Type] = [DCNode.self, DCLeaf.self, DCPart.self]

    static func configuration(_ base: Realm.Configuration) -> Realm.Configuration {
        var configuration = base
        configuration.objectTypes = types
        configuration.schemaVersion = 7
        return configuration
    }

    /// Objects with links in both directions, and deleted objects between them.
    static func fill(_ realm: Realm) throws {
        try realm.write {
            let nodes = (0..<40).map { i in
                let node = DCNode()
                node.name = "node \(i) \"\u{1}\u{2028}漢😀"
                return node
            }
            realm.add(nodes)
            realm.delete(realm.objects(DCNode.self).where { $0.name.starts(with: "node 1") })
            let kept = Array(realm.objects(DCNode.self))
            for (i, key) in ["a", nil, "", "null"].enumerated() {
                let leaf = DCLeaf()
                leaf.key = key
                leaf.value = [0.1, -.infinity, .nan, .leastNonzeroMagnitude][i]
                leaf.date = Date(timeIntervalSince1970: [1_700_000_000.125, -1e9, 0, 0.000001][i])
                leaf.text = "words of \(i)"
                leaf.float = [0.1, .infinity, -0.0, 3][i]
                leaf.decimal = i == 0 ? nil : "12345678901234567890.12345"
                leaf.data = Data([0, 255, UInt8(i)])
                leaf.uuid = i == 1 ? nil : UUID()
                realm.add(leaf)
            }
            let leaves = Array(realm.objects(DCLeaf.self))
            for (i, node) in kept.enumerated() {
                node.next = kept[(i + 1) % kept.count]
                node.others.append(objectsIn: [kept[kept.count - 1 - i], node, kept[0]])
                node.byName["first"] = kept[0]
                node.byName["none"] = .some(nil)
                node.set.insert(kept[(i * 7) % kept.count])
                node.leaf = i % 5 == 4 ? nil : leaves[i % 4]
                node.any =
                    [
                        .object(kept[(i + 3) % kept.count]), .int(5), .date(Date(timeIntervalSince1970: 9)), .none,
                        AnyRealmValue(["list": [1, "x", nil] as [Any?], "map": ["k": 2.5]] as [String: Any]) ?? .none,
                        .object(leaves[1]), .object(leaves[0]), .float(1.5), .string("5"),
                    ][i % 9]
                let part = DCPart()
                part.title = i % 2 == 0 ? nil : "part \(i)"
                part.target = kept[kept.count - 1 - i]
                part.deeper = DCPart()
                part.deeper?.target = kept[0]
                node.part = i % 3 == 0 ? nil : part
                node.parts.append(DCPart())
            }
            for (i, leaf) in leaves.enumerated() {
                leaf.anys.append(objectsIn: [.object(kept[i]), .decimal128("1.50"), .none, .bool(true)])
            }
        }
    }

    /// Returns every value of a file as text, with links as positions.
    ///
    /// Lists are converted to arrays first. The lazy `map` of a list would be printed with the whole graph of its
    /// objects.
    static func contents(_ realm: Realm) -> [String] {
        let nodes = Array(realm.objects(DCNode.self)), leaves = Array(realm.objects(DCLeaf.self))
        func text(_ node: DCNode?) -> String { node.map { "n\(nodes.firstIndex(of: $0)!)" } ?? "-" }
        func text(_ leaf: DCLeaf?) -> String { leaf.map { "l\(leaves.firstIndex(of: $0)!)" } ?? "-" }
        func text(_ part: DCPart?) -> String {
            part.map { "(\($0.title ?? "-") \(text($0.target)) \(text($0.deeper)))" } ?? "-"
        }
        func text(_ any: AnyRealmValue) -> String {
            if let node = any.object(DCNode.self) { return text(node) }
            if let leaf = any.object(DCLeaf.self) { return text(leaf) }
            if let map = any.dictionaryValue {
                return "\(map.keys.sorted().map { "\($0) \(text(map[$0]!))" })"
            }
            if let list = any.listValue { return "\(Array(list).map { text($0) })" }
            return "\(any)"
        }
        return nodes.map { node in
            let map = node.byName.keys.sorted().map { "\($0) \(text(node.byName[$0] ?? nil))" }
            let set = node.set.map { text($0) }.sorted()
            let (others, parts, before) = (Array(node.others), Array(node.parts), Array(node.before))
            return "\(node.name) \(text(node.next)) \(others.map { text($0) }) \(map) \(set) \(text(node.leaf)) "
                + "\(text(node.any)) \(text(node.part)) \(parts.map { text($0) }) \(before.map { text($0) })"
        }
            + leaves.map { leaf in
                "\(leaf.key ?? "-") \(leaf.value) \(leaf.date.timeIntervalSince1970) \(leaf.text) \(leaf.float) "
                    + "\(String(describing: leaf.decimal)) \(Array(leaf.data)) \(String(describing: leaf.uuid)) \(leaf.id) "
                    + "\(Array(leaf.anys).map { text($0) })"
            }
    }
}
