import FreeholdSyncCore

/// A stream in memory that only merges.
struct MergeStream: MergeStore {
    private(set) var objects: [ObjectName: MergedObject] = [:]
    private var answers: [FileIdent: MergeAnswer] = [:]
    private var clocks: [Clock] = [.zero]
    private(set) var now: Int64 = 0
    private let merge = StreamMerge(MergeRules())

    var version: StreamVersion { StreamVersion(clocks.count - 1) }
    var horizon: StreamVersion { 0 }

    func greatestClock(upTo version: StreamVersion) -> Clock { clocks[Int(version)] }

    func lastCommit(of ident: FileIdent) -> (number: UInt64, clock: Clock) {
        answers[ident].map { ($0.commit, $0.clock) } ?? (0, .zero)
    }

    func answer(to commit: UInt64, of ident: FileIdent) -> MergeAnswer? { answers[ident] }
    func object(_ name: ObjectName) -> MergedObject? { objects[name] }
    mutating func take(_ name: ObjectName) -> MergedObject? { objects.removeValue(forKey: name) }
    mutating func put(_ name: ObjectName, _ object: MergedObject) { objects[name] = object }
    mutating func ingest(_ name: ObjectName, _ fields: [NewField]) {}

    mutating func finish(_ answer: MergeAnswer, of ident: FileIdent, now: Int64) {
        answers[ident] = answer
        clocks.append(max(clocks[clocks.count - 1], answer.clock))
        self.now = now
    }

    func objects(linkingTo name: ObjectName, by property: MergeRules.Property) -> [ObjectName] { [] }

    func objects(of className: SyncString, holding: [SetElement], in properties: [SyncString]) -> [ObjectName] { [] }

    /// Merges the next commit of a file, whose author has seen everything.
    mutating func commit(_ ident: UInt32, _ changes: [Change]) throws {
        let file = FileIdent(rawValue: ident)
        var seen: [ObjectName: StreamVersion] = [:]
        for change in changes where seen[change.object] == nil { seen[change.object] = objects[change.object]?.changed }
        let time = now + 1
        let commit = Commit(
            number: lastCommit(of: file).number + 1,
            clock: Clock(milliseconds: time),
            base: version,
            seen: seen,
            changes: changes
        )
        let answer = try merge.apply(commit, from: file, now: time, to: &self)
        guard answer.refusals.isEmpty else { fatalError("\(answer.refusals.count) changes were refused") }
    }
}
