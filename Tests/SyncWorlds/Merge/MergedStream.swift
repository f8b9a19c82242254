import FreeholdSyncCore

/// The merge with the interface of the oracle.
struct MergedStream {
    let merge: StreamMerge
    var store = MemoryStore()

    init(_ rules: OracleRules = OracleRules()) {
        var own = MergeRules()
        own.unique = rules.unique.map { MergeRules.Unique(className: $0.className, properties: $0.properties) }
        own.denying = rules.denying.map { MergeRules.Property(className: $0.className, property: $0.property) }
        own.createOnly = rules.asymmetric
        own.refusesWholeCommits = rules.refusesWholeCommits
        own.forbids = rules.forbids
        merge = StreamMerge(own)
    }

    mutating func apply(_ event: History.Event) throws -> MergeAnswer? {
        switch event {
        case .arrival(let ident, let commit, let now): return try merge.apply(commit, from: ident, now: now, to: &store)
        case .trim(let horizon): store.trim(horizon: horizon)
        case .mergeNeighbouringAdds: store.mergeNeighbouringAdds()
        }
        return nil
    }

    /// Returns the stored content without empty parts, like the oracle.
    func stored() -> [ObjectName: [SyncString: Content]] {
        store.objects.compactMapValues { object in
            object.isAlive ? Content.withoutEmpty(object.contents.mapValues(Content.init)) : nil
        }
    }
}

extension Content {
    init(_ content: MergedContent) {
        self =
            switch content {
            case .value(let value): .value(value)
            case .embedded(let properties): .embedded(properties.mapValues(Content.init))
            case .list(let elements): .list(elements.map(Content.init))
            case .set(let elements): .set(elements)
            case .dictionary(let entries): .dictionary(entries.mapValues(Content.init))
            }
    }
}
