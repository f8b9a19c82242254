/// Waiting edits that a page can discard.
protocol DiscardableEdits {
    /// Discards the edits with the numbers.
    mutating func discard(_ numbers: Set<Int>)
    /// Discards the edits of the last request that has waiting edits.
    mutating func discardLast()
    mutating func discardAll()
}

extension DiscardableEdits {
    /// Discards the edits that the message `discard` names: those with some numbers, those of the last request, or all.
    ///
    /// - Throws: `StudioError` if a parameter of the message has another type.
    mutating func discard(_ request: StudioRequest) throws {
        if let list = try request.optionalList("edits") {
            discard(Set(list.compactMap(\.int)))
        } else if try request.flag("last") {
            discardLast()
        } else {
            discardAll()
        }
    }
}
