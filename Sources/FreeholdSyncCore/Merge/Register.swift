/// One value that is written whole, with the edits that came after the write: adds, and edits along a path into dictionaries of a mixed
/// value. Its value is what a replay of its writes in the order of their ranks gives.
///
/// An edit that a later one makes pointless is dropped. So there is at most one write a path, plus the adds after it. Edits are put in their
/// order, and pointless ones dropped, in one pass over many: see `RegisterEdits`.
struct Register: Sendable {
    private(set) var held: Held
    /// Of the write that counts. Nil if it is the write that made what contains the register.
    private(set) var mark: Mark?
    /// The number of the last of `written` that weren't put in their order yet.
    private var unordered: UInt32 = 0
    /// The edits by rising ranks, and behind them the edits that weren't put in their order yet.
    private var written: [Edit] = []

    /// What a whole write left.
    enum Held: Sendable {
        /// Nothing was written, or it was removed.
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

    /// By rising ranks.
    ///
    /// - Complexity: O(1), or O(edits) if edits were made since the last `order()`
    var edits: [Edit] { unordered == 0 ? written : RegisterEdits.ordered(written, last: Int(unordered)) }

    var hasEdits: Bool { !written.isEmpty && (unordered == 0 || !edits.isEmpty) }

    /// It is as what contains the register made it.
    var isUntouched: Bool { mark == nil && !hasEdits }

    /// The version of the last commit whose edit counts; 0 for none.
    var lastEdit: StreamVersion { edits.reduce(0) { max($0, $1.mark.version) } }

    /// What stands there now.
    ///
    /// - Complexity: O(1) without edits, else O(size of the value and the edits' paths)
    var value: Held {
        guard !written.isEmpty, case .value(let value) = held else { return held }
        return .value(RegisterEdits.applied(RegisterEdits.summed(edits), to: value))
    }

    var isOrdered: Bool { unordered == 0 }

    /// Puts all edits in their order.
    mutating func order() {
        guard unordered > 0 else { return }
        written = edits
        unordered = 0
    }

    // MARK: Writing

    /// - Parameter base: the mark of what contains the register.
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
        // Nothing changes, and an add of 0 says something else here.
        if action == .add(0) { return }
        guard mark.rank >= (self.mark ?? base).rank else { return }
        append(Edit(mark: mark, path: path, action: action))
    }

    private mutating func append(_ edit: Edit) {
        written.append(edit)
        unordered += 1
        if written.count <= Self.few || Int(unordered) > written.count / 2 { order() }
    }

    /// So many edits are put in their order at once.
    private static let few = 8

    /// Takes away the writes that the author saw. A write that was taken leaves a removal with its own mark, so that nothing older comes
    /// back.
    ///
    /// - Parameter taker: the mark of the clear or assignment.
    mutating func take(by taker: Mark, base: Mark, where isTaken: (Mark) -> Bool) {
        if !held.isAbsent, isTaken(mark ?? base) { held = .absent }
        guard !written.isEmpty else { return }
        order()
        let before = written.filter { !$0.isTrace }
        written.removeAll { !$0.isWrite && isTaken($0.mark) }
        for index in written.indices where isTaken(written[index].mark) { written[index].action = .remove }
        if !held.isAbsent, written.filter({ !$0.isTrace }) != before { leaveTrace(of: taker, base) }
    }

    /// The value is another one since a commit that left no write behind. An add of 0 says so to whoever asks what changed since a version.
    private mutating func leaveTrace(of taker: Mark, _ base: Mark) {
        written.removeAll { $0.isTrace }
        let last = written.last?.mark ?? mark ?? base
        let mark = taker.rank < last.rank ? Mark(stamp: last.stamp, version: taker.version, isReal: last.isReal) : taker
        written.append(Edit(mark: mark, path: [], action: .add(0)))
    }

    /// Makes one of neighbouring adds to one thing. It has the latest mark, so a set that comes late can count an add too many but
    /// loses none.
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

    /// Works on the instance that the register holds, if it is the one that the author means.
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
        }
        held = .absent
        let outcome = body(&instance.record)
        held = .instance(instance)
        return outcome
    }

    /// Visits the records of instances.
    mutating func forEachRecord(_ body: (inout Record) -> Void) {
        guard case .instance(var instance) = held else { return }
        held = .absent
        body(&instance.record)
        held = .instance(instance)
    }
}

/// An embedded object that was assigned: (file, number) is its id.
struct Instance: Sendable {
    let ident: FileIdent
    let number: OwnNumber
    var record: Record
}

extension Register.Held {
    var isAbsent: Bool { if case .absent = self { true } else { false } }

    /// What a write of the value leaves.
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
    /// It changes nothing. What did was taken away.
    var isTrace: Bool { action == .add(0) }

    /// A write of the whole value. It stands among edits that aren't ordered yet, and ends those before it.
    fileprivate static func whole(_ mark: Mark) -> Register.Edit {
        Register.Edit(mark: mark, path: [], action: .remove)
    }

    var isWhole: Bool { path.isEmpty && isWrite }
}
