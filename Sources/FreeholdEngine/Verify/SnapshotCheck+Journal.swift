extension SnapshotCheck {
    /// Checks that the journal's blocks belong to its entries, that each entry can be read completely, and that the positions of cursors are those of
    /// entries.
    func checkJournal() {
        guard claimIfStored(Catalogue.journalStateSegment, 0, subject: "The journal's state") != nil else {
            if snapshot.root.hasJournal { report("The journal's state is missing.") }
            return
        }
        guard let state = snapshot.journalState else { return report("The journal's state is damaged.") }
        if !state.cursors.isEmpty, !snapshot.root.hasJournal { report("The journal has cursors, and isn't kept.") }
        var starts: Set<UInt64> = [state.next]
        // Entries that all cursors have passed are removed in small steps, so the beginning of an entry may be missing.
        let kept = state.cursors.map(\.position).min() ?? state.next
        for number in state.first..<kept { _ = claimIfStored(Catalogue.journalSegment, number, subject: "The journal") }
        var (at, number) = (kept, state.cursors.first { $0.position == kept }?.number ?? state.nextNumber)
        while at < state.next {
            starts.insert(at)
            do throws(EngineError) {
                guard let entry = try snapshot.journalEntry(at: at) else { break }
                try entry.forEach { _ in }
                if entry.number != number {
                    report("The journal's entry at \(at) has number \(entry.number), not \(number).")
                }
                for block in at..<entry.next {
                    _ = claim(Catalogue.journalSegment, block, subject: "The journal's entry at \(at)")
                }
                at = entry.next
                number += 1
            } catch {
                return report(error.message)
            }
        }
        if at != state.next || number != state.nextNumber { report("The journal ends at \(at), not \(state.next).") }
        for cursor in state.cursors where !starts.contains(cursor.position) {
            report("The journal's cursor '\(cursor.name)' stands at \(cursor.position), where no entry begins.")
        }
        store.forget()
    }
}
