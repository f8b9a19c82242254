@testable import FreeholdRealmWire

/// The merge of a client of the tests.
enum ClientMergeKind: Sendable {
    /// The merge of the library.
    case library
    /// The merge of the model, without some rules. A server can't predict a client with a broken rule.
    case model(without: Set<MergeRule>)

    func transform(own: inout [MergeEntry], incoming: inout [MergeEntry]) throws(MergeError) {
        guard case .model(let disabled) = self else { return try ClientMerge.transform(own: &own, incoming: &incoming) }
        var model = ModelMerge(disabled: disabled)
        do {
            let result = try model.merge(
                local: own.map { ModelEntry($0.changeset, order: $0.order) },
                incoming: incoming.map { ModelEntry($0.changeset, order: $0.order) }
            )
            for (position, instructions) in result.local.enumerated()
            where instructions != own[position].changeset.instructions {
                // The client writes a changed changeset again.
                own[position].changeset = try Changeset(instructions).withRawForms(layout: .stringsFirst)
            }
            for (position, instructions) in result.incoming.enumerated()
            where instructions != incoming[position].changeset.instructions {
                incoming[position].changeset = Changeset(instructions)
            }
        } catch ModelMergeError.assertion(let reason) {
            throw MergeError(.terminatesClient, reason)
        } catch {
            throw MergeError(.stopsSession, "\(error)")
        }
    }
}
