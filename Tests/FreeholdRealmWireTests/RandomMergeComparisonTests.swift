import Testing

@testable import FreeholdRealmWire
@testable import TestRealmClient

/// The merge and the applier beside a plain model that was written from the rules alone.
@Suite("Realm wire: comparison with the model")
struct RandomMergeComparisonTests {
    @Test func `the merge and the model change the same instructions`() throws {
        try OracleComparison.expectSame(
            prepare: { $0 },
            transformation: { local, incoming in try Self.merge(local, incoming) }
        )
    }

    @Test func `the merge and the model compare the same places of values`() throws {
        try OracleComparison.expectSame(
            usual: 500,
            prepare: { try Changeset(bytes: $0.encoded()) },
            transformation: { local, incoming in try Self.merge(local, incoming) }
        )
    }

    @Test func `the applier and the model lead to the same objects`() throws {
        try OracleComparison.expectSameObjects { instructions in
            var state = WireState()
            try state.apply(Changeset(instructions))
            var objects: [WireObject: [WireText: ModelValue]] = [:]
            for object in state.objects {
                objects[object] = Self.fields(state[object]!, of: object.table, in: state.schema)
            }
            return objects
        }
    }

    private static func merge(_ local: [ModelEntry], _ incoming: [ModelEntry]) throws -> ModelMergeResult {
        var own = local.map { MergeEntry(order: $0.order, changeset: $0.changeset) }
        var foreign = incoming.map { MergeEntry(order: $0.order, changeset: $0.changeset) }
        try ClientMerge.transform(own: &own, incoming: &foreign)
        return ModelMergeResult(
            local: own.map(\.changeset.instructions),
            incoming: foreign.map(\.changeset.instructions)
        )
    }

    /// Returns all fields of an object, with those that have their initial value.
    private static func fields(_ fields: WireFields, of table: WireText, in schema: WireSchema) -> [WireText:
        ModelValue]
    {
        var result: [WireText: ModelValue] = [:]
        for column in schema[table]?.columns ?? [] {
            result[column.field] = value(fields[column.field] ?? column.initialValue, of: column, in: schema)
        }
        return result
    }

    private static func value(_ value: WireValue, of column: ColumnSpec, in schema: WireSchema) -> ModelValue {
        switch value {
        case .scalar(let payload): .scalar(payload)
        case .object(let fields): .object(Self.fields(fields, of: column.target ?? "", in: schema))
        case .list(let list): .list(list.values.map { Self.value($0, of: column, in: schema) })
        case .dictionary(let entries): .dictionary(entries.mapValues { Self.value($0, of: column, in: schema) })
        case .set(let set): .set(Set(set.values))
        }
    }
}
