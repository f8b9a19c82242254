/// One value that is written whole, with the edits that came after the write: adds, and edits along a path into dictionaries of a mixed
/// value. Its value is what a replay of its writes in the order of their ranks gives.
///
/// An edit that a later one makes pointless is dropped at once. So there is at most one write a path, plus the adds after it.
struct Register: Sendable {
    private(set) var held: Held
    /// Of the write that counts. Nil if it is the write that made what contains the register.
    private(set) var mark: Mark?
    /// By rising ranks.
    private(set) var edits: [Edit] = []

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
        self.edits = edits
    }

    /// It is as what contains the register made it.
    var isUntouched: Bool { mark == nil && edits.isEmpty }

    /// The version of the last commit whose edit counts; 0 for none.
    var lastEdit: StreamVersion { edits.reduce(0) { max($0, $1.mark.version) } }

    /// What stands there now.
    var value: Held {
        if edits.isEmpty { return held }
        guard case .value(var value) = held else { return held }
        for edit in Self.summed(edits) { edit.apply(to: &value) }
        return .value(value)
    }

    /// The edits with one add to a number between two edits that concern it: numbers that round must not depend on whether neighbours were
    /// merged.
    ///
    /// - Complexity: O(edits × length of their paths)
    static func summed(_ edits: [Edit]) -> [Edit] {
        guard edits.count > 1 else { return edits }
        var all: [Edit] = []
        // The adds that a later add to the same path joins, and below each path the longer ones among them.
        var open: [[SyncString]: Int] = [:]
        var below: [[SyncString]: [[SyncString]]] = [:]
        for edit in edits {
            let path = edit.path
            if case .add(let number) = edit.action, let last = open[path], case .add(let sum) = all[last].action {
                all[last].action = .add(sum &+ number)
                continue
            }
            open[path] = nil
            for longer in below.removeValue(forKey: path) ?? [] { open[longer] = nil }
            for length in path.indices { open[Array(path[..<length])] = nil }
            if !edit.isWrite {
                open[path] = all.count
                for length in path.indices { below[Array(path[..<length]), default: []].append(path) }
            }
            all.append(edit)
        }
        return all
    }

    // MARK: Writing

    /// - Parameter base: the mark of what contains the register.
    mutating func set(_ new: Held, _ mark: Mark, base: Mark) {
        guard mark.rank >= (self.mark ?? base).rank else { return }
        held = new
        self.mark = mark == base ? nil : mark
        if !edits.isEmpty { edits.removeAll { $0.mark.rank <= mark.rank } }
    }

    mutating func edit(_ path: [SyncString], _ action: Edit.Action, _ mark: Mark, base: Mark) {
        // Nothing changes, and an add of 0 says something else here.
        if action == .add(0) { return }
        guard mark.rank >= (self.mark ?? base).rank else { return }
        var end = edits.count
        while end > 0, edits[end - 1].mark.rank > mark.rank { end -= 1 }
        let isSuperseded = edits[end...].contains { $0.isWrite && path.starts(with: $0.path) }
        guard !isSuperseded else { return }
        let edit = Edit(mark: mark, path: path, action: action)
        edits.insert(edit, at: end)
        guard edit.isWrite, end > 0 else { return }
        let earlier = edits[..<end].filter { !$0.path.starts(with: path) }
        if earlier.count < end { edits.replaceSubrange(..<end, with: earlier) }
    }

    /// Takes away the writes that the author saw. A write that was taken leaves a removal with its own mark, so that nothing older comes
    /// back.
    ///
    /// - Parameter taker: the mark of the clear or assignment.
    mutating func take(by taker: Mark, base: Mark, where isTaken: (Mark) -> Bool) {
        if !held.isAbsent, isTaken(mark ?? base) { held = .absent }
        guard !edits.isEmpty else { return }
        let before = edits.filter { !$0.isTrace }
        edits.removeAll { !$0.isWrite && isTaken($0.mark) }
        for index in edits.indices where isTaken(edits[index].mark) { edits[index].action = .remove }
        if !held.isAbsent, edits.filter({ !$0.isTrace }) != before { leaveTrace(of: taker, base) }
    }

    /// The value is another one since a commit that left no write behind. An add of 0 says so to whoever asks what changed since a version.
    private mutating func leaveTrace(of taker: Mark, _ base: Mark) {
        edits.removeAll { $0.isTrace }
        let last = edits.last?.mark ?? mark ?? base
        let mark = taker.rank < last.rank ? Mark(stamp: last.stamp, version: taker.version, isReal: last.isReal) : taker
        edits.append(Edit(mark: mark, path: [], action: .add(0)))
    }

    /// Makes one of neighbouring adds to one thing. It has the latest mark, so a set that comes late can count an add too many but
    /// loses none.
    mutating func mergeAdds() {
        guard edits.count > 1 else { return }
        var merged: [Edit] = []
        for edit in edits where !edit.isTrace {
            if case .add(let number) = edit.action, let last = merged.last, last.path == edit.path,
                case .add(let sum) = last.action
            {
                merged[merged.count - 1] = Edit(mark: edit.mark, path: edit.path, action: .add(sum &+ number))
            } else {
                merged.append(edit)
            }
        }
        for trace in edits where trace.isTrace {
            merged.insert(trace, at: merged.firstIndex { $0.mark.rank > trace.mark.rank } ?? merged.endIndex)
        }
        edits = merged
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

    func apply(to value: inout SyncValue) { apply(to: &value, path[...]) }

    private func apply(to value: inout SyncValue, _ path: ArraySlice<SyncString>) {
        guard let key = path.first else {
            if case .add(let number) = action { value.add(number) }
            return
        }
        guard case .dictionary(var dictionary) = value else { return }
        // Taken out while it changes, so that nothing is copied.
        value = .null
        defer { value = .dictionary(dictionary) }
        if path.count > 1 {
            guard var inner = dictionary[key] else { return }
            dictionary[key] = .null
            apply(to: &inner, path.dropFirst())
            dictionary[key] = inner
        } else {
            switch action {
            case .set(let new): dictionary[key] = new
            case .remove: dictionary[key] = nil
            case .add(let number):
                guard var old = dictionary[key] else { return }
                old.add(number)
                dictionary[key] = old
            }
        }
    }
}
