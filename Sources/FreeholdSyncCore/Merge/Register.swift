/// A value that is written as a whole, with the edits after the write: adds, and edits along a path into dictionaries
/// of a mixed value. Its present value is the result of all writes in the order of their ranks.
///
/// An edit that a later edit replaces is dropped, so that each path has at most one write and the adds after it. Edits
/// are sorted and dropped in one pass over many edits: see `RegisterEdits`.
struct Register: Sendable {
    private(set) var held: Held
    /// The mark of the write that won. `nil` if it is the write that created the record or collection of the register.
    private(set) var mark: Mark?
    /// The number of edits at the end of `written` that aren't sorted yet.
    private var unordered: UInt32 = 0
    /// The edits in rising order of their ranks, followed by the edits that aren't sorted yet.
    private var written: [Edit] = []

    /// The result of a write of the whole value.
    enum Held: Sendable {
        /// No value was written, or the value was removed.
        case absent
        case value(SyncValue)
        indirect case instance(Instance)
    }

    struct Edit: Hashable, Sendable {
        enum Action: Hashable, Sendable {
            case set(SyncValue)
            case remove
            case add(Int64)
        }

        var mark: Mark
        let path: [SyncString]
        var action: Action
    }

    init(_ held: Held = .absent, _ mark: Mark? = .nothing, edits: [Edit] = []) {
        self.held = held
        self.mark = mark
        written = edits
    }

    /// The edits, in rising order of their ranks.
    ///
    /// - Complexity: O(1), or O(edits) if edits were made since the last `order()`
    var edits: [Edit] { unordered == 0 ? written : RegisterEdits.ordered(written, last: Int(unordered)) }

    var hasEdits: Bool { !written.isEmpty && (unordered == 0 || !edits.isEmpty) }

    /// A Boolean value that indicates whether the register wasn't written since its record or collection was created.
    var isUntouched: Bool { mark == nil && !hasEdits }

    /// The version of the last commit with an effective edit. 0 if there is none.
    var lastEdit: StreamVersion { edits.reduce(0) { max($0, $1.mark.version) } }

    /// The present value.
    ///
    /// - Complexity: O(1) without edits, else O(size of the value and the edits' paths)
    var value: Held {
        guard !written.isEmpty, case .value(let value) = held else { return held }
        return .value(RegisterEdits.applied(RegisterEdits.summed(edits), to: value))
    }

    var isOrdered: Bool { unordered == 0 }

    /// Sorts the edits.
    mutating func order() {
        guard unordered > 0 else { return }
        written = edits
        unordered = 0
    }

    // MARK: Writing

    /// - Parameter base: The mark of the record or collection that contains the register.
    mutating func set(_ new: Held, _ mark: Mark, base: Mark) {
        guard mark.rank >= (self.mark ?? base).rank else { return }
        held = new
        self.mark = mark == base ? nil : mark
        if written.isEmpty { return }
        if unordered == 0, written[0].mark.rank > mark.rank { return }
        if unordered == 0, written.count <= Self.few {
            written.removeAll { $0.mark.rank <= mark.rank }
        } else {
            append(.whole(mark))
        }
    }

    /// - Complexity: O(1), amortised over the edits, for a path of a bounded length
    mutating func edit(_ path: [SyncString], _ action: Edit.Action, _ mark: Mark, base: Mark) {
        // An add of 0 changes nothing, and marks a trace here.
        if action == .add(0) { return }
        guard mark.rank >= (self.mark ?? base).rank else { return }
        append(Edit(mark: mark, path: path, action: action))
    }

    private mutating func append(_ edit: Edit) {
        written.append(edit)
        unordered += 1
        if written.count <= Self.few || Int(unordered) > written.count / 2 { order() }
    }

    /// The number of unsorted edits after which all edits are sorted.
    private static let few = 8

    /// Removes the writes that the author saw. A removed write leaves a removal with its own mark, so that no older
    /// write becomes visible. A trace stays, because clients may have a version from before the commit that left it.
    ///
    /// - Parameter taker: The mark of the clear or assignment.
    mutating func take(by taker: Mark, base: Mark, where isTaken: (Mark) -> Bool) {
        if !held.isAbsent, isTaken(mark ?? base) { held = .absent }
        guard !written.isEmpty else { return }
        order()
        let before = written.filter { !$0.isTrace }
        written.removeAll { !$0.isWrite && !$0.isTrace && isTaken($0.mark) }
        for index in written.indices where isTaken(written[index].mark) { written[index].action = .remove }
        if !held.isAbsent, written.filter({ !$0.isTrace }) != before { leaveTrace(of: taker, base) }
    }

    /// Records that a commit changed the value without leaving a write. An add of 0 has the version of the commit, for
    /// requests of the changes since a version.
    private mutating func leaveTrace(of taker: Mark, _ base: Mark) {
        written.removeAll { $0.isTrace }
        let last = written.last?.mark ?? mark ?? base
        let mark = taker.rank < last.rank ? Mark(stamp: last.stamp, version: taker.version, isReal: last.isReal) : taker
        written.append(Edit(mark: mark, path: [], action: .add(0)))
    }

    /// Merges neighbouring adds to one number into one add with the latest mark. A set that arrives late can then count
    /// an add too many, but never loses one.
    mutating func mergeAdds() {
        guard written.count > 1 else { return }
        order()
        var merged: [Edit] = []
        for edit in written where !edit.isTrace {
            if case .add(let number) = edit.action, let last = merged.last, last.path == edit.path,
                case .add(let sum) = last.action
            {
                merged[merged.count - 1] = Edit(mark: edit.mark, path: edit.path, action: .add(sum &+ number))
            } else {
                merged.append(edit)
            }
        }
        for trace in written where trace.isTrace {
            merged.insert(trace, at: merged.firstIndex { $0.mark.rank > trace.mark.rank } ?? merged.endIndex)
        }
        written = merged
    }

    // MARK: Instances

    /// Calls a closure that edits the embedded object in the register, if the author's reference is about this object.
    mutating func edit(
        _ reference: InstanceReference,
        _ author: Author,
        base: Mark,
        _ body: (inout Record) -> Outcome
    ) -> Outcome {
        let born = (mark ?? base).version
        guard case .instance(var instance) = held else { return .instanceGone }
        switch reference {
        case .confirmed: guard born <= author.seen else { return .instanceGone }
        case .own(let number):
            guard author.isOwn(instance.ident, born), instance.number == number else { return .instanceGone }
        case .known:
            guard born <= author.seen || author.isOwn(instance.ident, born) else { return .instanceGone }
        }
        held = .absent
        let outcome = body(&instance.record)
        held = .instance(instance)
        return outcome
    }

    /// Calls a closure with the records of embedded objects.
    mutating func forEachRecord(_ body: (inout Record) -> Void) {
        guard case .instance(var instance) = held else { return }
        held = .absent
        body(&instance.record)
        held = .instance(instance)
    }
}

/// An embedded object that was assigned. Its id is the file and the number.
struct Instance: Sendable {
    let ident: FileIdent
    let number: OwnNumber
    var record: Record
}

extension Register.Held {
    var isAbsent: Bool { if case .absent = self { true } else { false } }

    /// Creates the result of a write of the value.
    init(_ value: SyncValue, _ mark: Mark, _ author: Author) {
        if case .embedded(let embedded) = value {
            var record = Record(base: mark)
            record.create(embedded.fields, author)
            self = .instance(Instance(ident: author.ident, number: embedded.number, record: record))
        } else {
            self = .value(value)
        }
    }
}

extension Register.Edit {
    var isWrite: Bool { if case .add = action { false } else { true } }
    /// A Boolean value that indicates whether the edit only records that a removed edit had changed the value.
    var isTrace: Bool { action == .add(0) }

    /// Returns an edit for a write of the whole value. It ends the edits before it, as long as they aren't sorted.
    fileprivate static func whole(_ mark: Mark) -> Register.Edit {
        Register.Edit(mark: mark, path: [], action: .remove)
    }

    var isWhole: Bool { path.isEmpty && isWrite }
}
