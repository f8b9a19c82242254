/// Pending work on properties whose type a migration of the app has changed.
extension ClientTransaction {
    /// Applies pending work to properties that have a new type, as far as the type accepts the values. The other work
    /// is removed and kept for the app. Unsent changes are still sent to the server, for apps of the earlier version.
    ///
    /// - Parameters:
    ///   - properties: The properties, by the names of their classes.
    ///   - fits: Returns whether a property can store a content.
    /// - Returns: The properties whose work was removed.
    public mutating func showRetyped(
        _ properties: [SyncString: Set<SyncString>],
        fits: (MergedContent, _ className: SyncString, _ property: SyncString) -> Bool
    ) throws -> [SyncString: Set<SyncString>] {
        var misfits: [SyncString: Set<SyncString>] = [:]
        for name in try shadowed() {
            guard let own = properties[name.className], var shadow = try shadow(of: name), !shadow.isClean,
                let shown = shadow.contents, let stored = try contents(of: name)
            else { continue }
            var wanted = stored
            for property in own.sorted() {
                let content = shown[property] ?? .value(.null)
                guard fits(content, name.className, property) else {
                    let kept = stored[property] ?? .value(.null)
                    let dropped = shadow.giveUp(property, showing: kept)
                    if shadow.confirmedContents == nil { wanted[property] = kept.emptied }
                    for change in dropped where change.version == nil {
                        try keep(
                            .refused(
                                Refusal(
                                    commit: change.commit,
                                    index: change.index,
                                    change: change.change,
                                    reason: .retyped
                                )
                            )
                        )
                        misfits[name.className, default: []].insert(property)
                    }
                    try setShadow(shadow, of: name)
                    continue
                }
                wanted[property] = shown[property] ?? stored[property]?.emptied
            }
            try perform(ShownDifference(name, from: stored, to: wanted).edits)
        }
        return misfits
    }
}

extension MergedContent {
    /// The content of a property that was never set.
    fileprivate var emptied: MergedContent {
        switch self {
        case .value, .embedded: .value(.null)
        case .list: .list([])
        case .set: .set([:])
        case .dictionary: .dictionary([:])
        }
    }
}
