import Testing

@testable import FreeholdRealmWire

/// Concurrent changes of two official clients, and what each showed afterwards.
@Suite("Realm wire: golden merges")
struct GoldenMergeTests {
    @Test func `the merge and the applier predict the state of each recorded client`() throws {
        let schema = try Golden.schema()
        let cases = try Golden.lines("merges.jsonl")
        var (predicted, sides) = (0, 0)
        for (number, line) in cases.enumerated() {
            let object = WireObject(
                table: WireText(line["object"]!.array[0].string!),
                key: try Golden.key(line["object"]!.array[1])
            )
            var start = WireState(schema: schema)
            for key in ["u", "v", "w", "x"] { start[WireObject(table: "B", key: .string(WireText(key)))] = [:] }
            start[object] = try Golden.fields(line["start"]!, of: object.table, in: schema)
            let entries = try line["sides"]!.array.map { side in
                MergeEntry(
                    order: ChangeOrder(
                        timestamp: UInt64(side["timestamp"]!.integer!),
                        ident: UInt64(side["ident"]!.integer!)
                    ),
                    changeset: try Changeset(bytes: Golden.bytes(side["changeset"]!.string!))
                )
            }
            for (own, other) in [(0, 1), (1, 0)] {
                sides += 1
                let end = line["sides"]!.array[own]["end"]!
                do {
                    var state = start
                    try state.apply(entries[own].changeset)
                    let merged = try ClientMerge.transformed(own: entries[own], incoming: entries[other])
                    try state.apply(merged.incoming)
                    if try Self.isEqual(state, end, object: object) {
                        predicted += 1
                    } else {
                        expect(false, "case \(number), side \(own): \(String(describing: state[object])) isn't \(end)")
                    }
                } catch {
                    expect(false, "case \(number), side \(own): \(error)")
                }
            }
        }
        print("merges: \(predicted) of \(sides) sides")
        expectEqual(predicted, 1734)
        expectEqual(sides, 1734)
    }

    private static func isEqual(_ state: WireState, _ end: WireJSON, object: WireObject) throws
        -> Bool
    {
        guard end != .null else { return state[object] == nil }
        guard state[object] != nil else { return false }
        for member in end.members {
            let column = state.schema[object.table]![WireText(member.name)]!
            let expected = try Golden.value(member.value, column, in: state.schema)
            guard state.value(of: column.field, in: object) == expected else { return false }
        }
        return true
    }
}
