/// The comparison of a step with the view of some sessions.
struct ViewStep: Sendable {
    /// An object that the view shows before or after the step, with its visible versions.
    struct Member: Sendable {
        let name: ObjectName
        let before: StreamVersion?
        let after: StreamVersion?
    }

    let view: View
    /// The indices of the objects that can concern the view.
    let indices: [Int]
    /// A Boolean value that indicates whether the view has no session, so that only its checksums are needed.
    let isRetired: Bool
    private var position = 0
    /// A Boolean value that indicates whether the failures of the object at the position are known.
    private var isChecked = false
    /// The membership of the object at the position before the step, as soon as it is known.
    private var was: View.Membership?
    private var updates: [(SyncString, ObjectUpdate)] = []
    /// The changed objects, for sessions that have the view at the start of the step.
    private(set) var batches: [ClassBatch] = []
    /// The bytes of a message that is sent in parts to sessions whose cursor is the start of the step. `nil` if the
    /// message is small.
    private(set) var parts: (message: PartedMessage, bytes: [UInt8])?
    private(set) var members: [Member] = []
    /// The conditions that fail for an object or exceed the budget.
    private(set) var failures: [QueryPlace: ConditionError] = [:]
    /// A Boolean value that indicates whether the comparison was cancelled.
    fileprivate(set) var isGivenUp = false

    init(_ view: View, _ indices: [Int], isRetired: Bool = false) {
        (self.view, self.indices, self.isRetired) = (view, indices, isRetired)
    }

    /// Executes a part of the comparison.
    ///
    /// - Returns: A Boolean value that indicates whether the comparison is finished.
    mutating func run(_ contents: StepContents, _ slice: inout WorkSlice) -> Bool {
        let isWhole = contents.step.from.version < contents.step.horizon
        while position < indices.count {
            let object = contents.objects[indices[position]]
            let name = object.step.name
            if view.canFail, !isRetired, !isChecked {
                let known = Set(failures.keys)
                guard let new = slice.measure({ view.failures(name, object.after, except: known, budget: &$0) }) else {
                    return false
                }
                failures.merge(new) { first, _ in first }
                isChecked = true
            }
            if was == nil { was = slice.measure { view.membership(name, object.before, budget: &$0) } }
            guard let was, let isIn = slice.measure({ view.membership(name, object.after, budget: &$0) }) else {
                return false
            }
            position += 1
            (self.was, isChecked) = (nil, false)
            if case .exceeded(let place) = isIn { failures[place] = .tooExpensive }
            take(object, (was.isShown, isIn.isShown), isWhole: isWhole, &slice)
        }
        if !updates.isEmpty { batches = [ClassBatch](updates) }
        updates = []
        return true
    }

    /// Encodes a large message.
    ///
    /// - Returns: `false` if the encoding has to wait for the next slice.
    fileprivate mutating func encode(
        _ step: StreamStep,
        from told: Cursor,
        above limit: UInt64,
        _ slice: inout WorkSlice
    ) -> Bool {
        guard parts == nil, !batches.isEmpty, !isRetired else { return true }
        let size = batches.estimatedSize
        guard size > limit else { return true }
        guard slice.begin(Int(clamping: size >> 4)) else { return false }
        parts = batches.parts(of: step, from: told, view.lens)
        return true
    }

    private mutating func take(
        _ object: StepContents.Object,
        _ membership: (was: Bool, isIn: Bool),
        isWhole: Bool,
        _ slice: inout WorkSlice
    ) {
        let name = object.step.name
        if membership.was || membership.isIn {
            let before = membership.was ? object.step.before.map { view.version(name, $0) } : nil
            let after = membership.isIn ? object.step.after.map { view.version(name, $0) } : nil
            members.append(Member(name: name, before: before, after: after))
        }
        guard !isRetired, let update = view.update(object, membership, isWhole: isWhole) else { return }
        slice.charge(Int(clamping: update.estimatedSize >> 4))
        updates.append((name.className, update))
    }
}

extension [ClassBatch] {
    /// Returns the bytes of a step's message that is sent in parts. Returns `nil` if the message can't be encoded.
    func parts(
        of step: StreamStep,
        from told: Cursor,
        _ lens: (any SessionLens)?
    ) -> (message: PartedMessage, bytes: [UInt8])? {
        let changes = Changes(from: told, to: step.to, clock: step.clock, classes: lens?.down(self) ?? self)
        guard let bytes = try? MessageCodec.whole.encode(.changes(1, changes)) else { return nil }
        return (PartedMessage(number: step.to.version, bytes), bytes)
    }
}

/// The comparison of a step with views: those of live sessions, or that of a slow session.
public struct StepWork: SlicedWork {
    /// The source of the step and the views.
    private enum Source: Sendable {
        case group(GroupTransaction, ViewIndex, retired: [View])
        case committed(StreamStep, startClock: Clock, ViewIndex, retired: [View])
        case late(StreamStep, View, told: Cursor)
    }

    private let source: Source
    /// The size in bytes above which a message is sent in parts.
    private let partedBytes: UInt64
    /// The contents of the step. `nil` before the work has begun.
    private(set) var contents: StepContents?
    /// The views, by rising numbers.
    private(set) var views: [ViewStep] = []
    private var index = 0

    /// Creates the work for the step of a group, for all views that it can concern.
    ///
    /// - Parameter retired: The views without sessions whose checksums are needed.
    init(_ transaction: GroupTransaction, _ index: ViewIndex, retired: [View], partedBytes: UInt64) {
        source = .group(transaction, index, retired: retired)
        self.partedBytes = partedBytes
    }

    /// Creates the work for a step of other nodes, for all views that it can concern.
    ///
    /// - Parameters:
    ///   - startClock: The greatest clock before the step.
    ///   - retired: The views without sessions for which the sums are needed.
    init(_ step: StreamStep, startClock: Clock, _ index: ViewIndex, retired: [View], partedBytes: UInt64) {
        source = .committed(step, startClock: startClock, index, retired: retired)
        self.partedBytes = partedBytes
    }

    /// Creates the work for a step of a slow session.
    /// - Parameter told: The cursor that the session knows for the state at the start of the step. It may be earlier
    ///   than the start.
    init(_ step: StreamStep, _ view: View, told: Cursor, partedBytes: UInt64) {
        source = .late(step, view, told: told)
        self.partedBytes = partedBytes
    }

    /// The greatest clock before a step for live sessions. `nil` for a step of a slow session.
    var startClock: Clock? {
        switch source {
        case .group(let transaction, _, _): transaction.expected.clock
        case .committed(_, let clock, _, _): clock
        case .late: nil
        }
    }

    /// The objects that views show before or after the step. `nil` for views whose comparison was cancelled.
    var members: [ViewIdentity: [ViewStep.Member]?] {
        var members: [ViewIdentity: [ViewStep.Member]?] = [:]
        for step in views { members[step.view.identity] = .some(step.isGivenUp ? nil : step.members) }
        return members
    }

    mutating func run(_ slice: inout WorkSlice) -> ServerWorkResult? {
        guard contents != nil || begin(&slice), let contents else { return nil }
        while index < views.count {
            // The checksums of a view without sessions aren't urgent.
            let isTooLate = views[index].isRetired && slice.left <= 0
            if isTooLate || !views[index].run(contents, &slice) {
                guard views[index].isRetired else { return nil }
                views[index].isGivenUp = true
            }
            guard views[index].encode(contents.step, from: told ?? contents.step.from, above: partedBytes, &slice)
            else {
                return nil
            }
            index += 1
        }
        return .step(self)
    }

    /// The cursor that a slow session knows for the state at the start of the step.
    var told: Cursor? { if case .late(_, _, let told) = source { told } else { nil } }

    private mutating func begin(_ slice: inout WorkSlice) -> Bool {
        switch source {
        case .group(let transaction, let index, let retired):
            guard slice.begin(transaction.objects.count * 8) else { return false }
            begin(transaction.step, index, retired)
        case .committed(let step, _, let index, let retired):
            guard slice.begin(step.objects.count * 8) else { return false }
            begin(step, index, retired)
        case .late(let step, let view, _):
            guard slice.begin(step.objects.count * 8) else { return false }
            let contents = StepContents(step)
            self.contents = contents
            views = [ViewStep(view, Array(contents.objects.indices))]
        }
        return true
    }

    private mutating func begin(_ step: StreamStep, _ index: ViewIndex, _ retired: [View]) {
        let contents = StepContents(step)
        let concerned = index.concerned(by: contents).compactMap { number, indices in
            index[number].map { ViewStep($0, indices) }
        }
        let all = Array(contents.objects.indices)
        self.contents = contents
        views = concerned.sorted { $0.view.number < $1.view.number }
        views += retired.map { ViewStep($0, all, isRetired: true) }
    }
}
