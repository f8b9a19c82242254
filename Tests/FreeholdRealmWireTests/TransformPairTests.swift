import Testing

@testable import FreeholdRealmWire

/// The pairs of `Golden/transform-pairs.txt`: both sides before and after the merge.
@Suite("Realm wire: pairs of changes")
struct TransformPairTests {
    /// The pairs of rules that the file only has together with other changes.
    private static let more = [
        "R1\tboth add a class\tL<I\tAT T pk _id:oid\tAT T pk _id:oid\t–\t–",
        "R2\terase and add a class\tL<I\tET T\tAT T pk _id:oid\tET T\t–",
        "R3\tboth erase a class\tL<I\tET T\tET T\t–\t–",
        "R9\tboth add a field\tL<I\tAC T.x int\tAC T.x int\t–\t–",
        "R11\terase and add a field\tL<I\tEC T.x\tAC T.x int\tEC T.x\t–",
        "R12\tboth erase a field\tL<I\tEC T.x\tEC T.x\t–\t–",
        "R24\tboth clear\tL<I\tC l list\tC l list\t–\tC l list",
        "R25\tinsert into a cleared set\tL>I\tS+ s 1\tC s set\t–\tC s set",
        "R25\terase from a cleared set\tL>I\tS- s 1\tC s set\t–\tC s set",
    ]

    private struct Pair {
        var name: String
        var own: MergeEntry
        var incoming: MergeEntry
        var ownAfter: String
        var incomingAfter: String

        init(_ line: String) throws {
            let parts = line.split(separator: "\t").map(String.init)
            let isOwnEarlier = parts[2] == "L<I"
            let (earlier, later) = (ChangeOrder(timestamp: 1, ident: 2), ChangeOrder(timestamp: 2, ident: 3))
            name = parts[0]
            own = MergeEntry(
                order: isOwnEarlier ? earlier : later,
                changeset: Changeset(try PairNotation.instructions(parts[3]))
            )
            incoming = MergeEntry(
                order: isOwnEarlier ? later : earlier,
                changeset: Changeset(try PairNotation.instructions(parts[4]))
            )
            (ownAfter, incomingAfter) = (parts[5], parts[6])
        }
    }

    private static func pairs() throws -> [Pair] {
        let lines = try Golden.text("transform-pairs.txt").split(separator: "\n")
        expectEqual(lines.count, 91)
        return try lines.map { try Pair(String($0)) } + more.map { try Pair($0) }
    }

    @Test func `each documented pair merges as documented`() throws {
        for pair in try Self.pairs() {
            do throws(MergeError) {
                let merged = try ClientMerge.transformed(own: pair.own, incoming: pair.incoming)
                try? expectEqual(merged.own.instructions, PairNotation.instructions(pair.ownAfter), "\(pair.name), own")
                try? expectEqual(
                    merged.incoming.instructions,
                    PairNotation.instructions(pair.incomingAfter),
                    "\(pair.name), incoming"
                )
                expect(pair.ownAfter != "bad merge" && pair.ownAfter != "assert (crash)", "\(pair.name)")
            } catch {
                switch error.effect {
                case .stopsSession: expectEqual(pair.ownAfter, "bad merge", "\(pair.name): \(error)")
                case .terminatesClient: expectEqual(pair.ownAfter, "assert (crash)", "\(pair.name): \(error)")
                case .exceedsLimit: expect(false, "\(pair.name): \(error)")
                }
            }
        }
    }

    /// If a rule were missing, its pair of single changes would stay unchanged.
    @Test func `each rule has a pair of single changes that it changes`() throws {
        var covered: Set<[UInt8]> = []
        for pair in try Self.pairs() {
            guard pair.own.changeset.instructions.count == 1, pair.incoming.changeset.instructions.count == 1,
                pair.ownAfter != "bad merge", pair.ownAfter != "assert (crash)"
            else { continue }
            let (own, incoming) = (pair.own.changeset.instructions, pair.incoming.changeset.instructions)
            let after = (
                try PairNotation.instructions(pair.ownAfter), try PairNotation.instructions(pair.incomingAfter)
            )
            guard own != after.0 || incoming != after.1 else { continue }
            covered.insert([own[0].tag, incoming[0].tag].sorted().reversed())
        }
        // The tags of R1 to R27.
        let rules: [[UInt8]] = [
            [0, 0], [1, 0], [1, 1], [3, 2], [3, 3], [4, 4], [5, 4], [6, 1], [6, 6], [7, 4], [7, 6], [7, 7], [8, 4],
            [8, 8],
            [9, 4], [9, 8], [9, 9], [10, 4], [10, 8], [10, 9], [10, 10], [11, 4], [11, 5], [11, 11], [12, 11],
            [13, 11],
            [12, 12], [13, 12], [13, 13],
        ]
        expectEqual(Set(rules).subtracting(covered), [])
    }

    /// Two erasures of different strings of one length are the same for the client if the strings are at one place in their
    /// changesets. The client compares their places, and not their content.
    @Test func `two erasures from a set are compared by the places of their values`() throws {
        let path = WirePath(object: WireObject(table: "T", key: .int(1)), field: "s")
        func entry(_ text: WireText, _ timestamp: UInt64) throws -> MergeEntry {
            let changeset = Changeset([.setErase(at: path, value: .string(text))])
            return MergeEntry(
                order: ChangeOrder(timestamp: timestamp, ident: timestamp),
                changeset: try Changeset(bytes: changeset.encoded())
            )
        }
        let merged = try ClientMerge.transformed(own: entry("ab", 2), incoming: entry("cd", 1))
        expect(merged.incoming.isEmpty)
        let longer = try ClientMerge.transformed(own: entry("ab", 2), incoming: entry("cde", 1))
        expectEqual(longer.incoming.instructions.count, 1)
    }

    @Test func `the number of compared pairs is limited`() throws {
        let path = WirePath(object: WireObject(table: "T", key: .int(1)), field: "l", elements: [.index(0)])
        let inserts = (0..<200).map { Instruction.arrayInsert(at: path, value: .null, priorSize: UInt32($0)) }
        let own = MergeEntry(order: ChangeOrder(timestamp: 1, ident: 1), changeset: Changeset(inserts))
        let incoming = MergeEntry(order: ChangeOrder(timestamp: 1, ident: 2), changeset: Changeset(inserts))
        var (first, second) = ([own], [incoming])
        let error = #expect(throws: MergeError.self) {
            try ClientMerge.transform(own: &first, incoming: &second, limit: 39_999)
        }
        expectEqual(error?.effect, .exceedsLimit)
        try ClientMerge.transform(own: &first, incoming: &second, limit: 40_000)
        expectEqual(second[0].changeset.instructions.count, 200)
    }

    @Test func `a merge that fails leaves both sides unchanged`() throws {
        let path = WirePath(object: WireObject(table: "T", key: .int(1)), field: "l", elements: [.index(0)])
        var own = [
            MergeEntry(
                order: ChangeOrder(timestamp: 1, ident: 1),
                changeset: Changeset([
                    .arrayErase(at: path, priorSize: 3), .arrayInsert(at: path, value: .int(1), priorSize: 2),
                ])
            )
        ]
        var incoming = [
            MergeEntry(
                order: ChangeOrder(timestamp: 1, ident: 2),
                changeset: Changeset([
                    .arrayErase(at: path, priorSize: 3), .arrayInsert(at: path, value: .int(1), priorSize: 7),
                ])
            )
        ]
        let before = (own, incoming)
        #expect(throws: MergeError.self) { try ClientMerge.transform(own: &own, incoming: &incoming) }
        expectEqual(own, before.0)
        expectEqual(incoming, before.1)
    }
}

/// The notation of the pairs. All paths are in the object T:1.
enum PairNotation {
    struct Unknown: Error {
        var text: String
    }

    static func instructions(_ text: String) throws -> [Instruction] {
        if text == "–" || text == "bad merge" || text == "assert (crash)" { return [] }
        return try text.split(separator: ";").map { try instruction($0.split(separator: " ").map(String.init)) }
    }

    private static let object = WireObject(table: "T", key: .int(1))
    private static let types: [String: (ColumnKind, Bool)] = [
        "int": (.int, false), "int?": (.int, true), "oid": (.objectID, false), "string": (.string, false),
    ]

    private static func path(_ text: some StringProtocol) -> WirePath {
        let parts = String(text).replacing("[", with: ".[").split(separator: ".")
        let elements: [PathElement] = parts.dropFirst().map { part in
            part.hasPrefix("[") ? .index(UInt32(part.dropFirst().dropLast())!) : .name(WireText(String(part)))
        }
        return WirePath(object: object, field: WireText(String(parts[0])), elements: elements)
    }

    private static func value(_ text: String) -> Payload {
        switch text {
        case "null": .null
        case "ObjectValue": .object
        case "List": .list
        case "Dict": .dictionary
        case "Erased": .erased
        default: Int64(text).map { .int($0) } ?? .string(WireText(text))
        }
    }

    private static func instruction(_ words: [String]) throws -> Instruction {
        let sizes = words.compactMap { $0.hasPrefix("ps=") ? UInt32($0.dropFirst(3)) : nil }
        let isDefault = words.contains("dflt")
        let sides = words[1].split(separator: "=").map(String.init)
        switch words[0] {
        case "CO": return .createObject(object)
        case "EO": return .eraseObject(object)
        case "U":
            let mark: UpdateMark = sizes.first.map { .element(priorSize: $0) } ?? .field(isDefault: isDefault)
            return .update(at: path(sides[0]), value: value(sides[1]), mark: mark)
        case "A":
            let parts = words[1].split(separator: "+")
            return .addInteger(at: path(parts[0]), amount: Int64(parts[1])!)
        case "I": return .arrayInsert(at: path(sides[0]), value: value(sides[1]), priorSize: sizes[0])
        case "M":
            let parts = words[1].split(separator: "→")
            return .arrayMove(at: path(parts[0]), target: UInt32(parts[1])!, priorSize: sizes[0])
        case "E": return .arrayErase(at: path(words[1]), priorSize: sizes[0])
        case "C":
            let kinds: [String: CollectionKind] = ["list": .list, "dict": .dictionary, "set": .set]
            return .clear(at: path(words[1]), kind: kinds[words[2]]!)
        case "S+": return .setInsert(at: path(words[1]), value: value(words[2]))
        case "S-": return .setErase(at: path(words[1]), value: value(words[2]))
        case "AT":
            let key = words[3].split(separator: ":").map(String.init)
            let (kind, isNullable) = types[key[1]]!
            let primaryKey = TableSpec.PrimaryKey(field: WireText(key[0]), kind: kind, isNullable: isNullable)
            return .addTable(TableSpec(name: WireText(words[1]), kind: .topLevel, primaryKey: primaryKey))
        case "ET": return .eraseTable(name: WireText(words[1]))
        case "AC":
            let names = words[1].split(separator: ".").map { WireText(String($0)) }
            if words[2].hasPrefix("link:") {
                let target = WireText(String(words[2].dropFirst(5)))
                return .addColumn(
                    ColumnSpec(table: names[0], field: names[1], kind: .link, isNullable: true, target: target)
                )
            }
            let (kind, isNullable) = types[words[2]]!
            return .addColumn(ColumnSpec(table: names[0], field: names[1], kind: kind, isNullable: isNullable))
        case "EC":
            let names = words[1].split(separator: ".").map { WireText(String($0)) }
            return .eraseColumn(table: names[0], field: names[1])
        default: throw Unknown(text: words.joined(separator: " "))
        }
    }
}
