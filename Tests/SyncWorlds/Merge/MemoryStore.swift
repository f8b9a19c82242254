import FreeholdSyncCore

/// A stream in memory.
struct MemoryStore: MergeStore {
    private(set) var objects: [ObjectName: MergedObject] = [:]
    private(set) var ingested: [ObjectName: [NewField]] = [:]
    private(set) var answers: [FileIdent: [MergeAnswer]] = [:]
    private var clocks: [Clock] = [.zero]
    private(set) var horizon: StreamVersion = 0
    private(set) var now: Int64 = 0

    var version: StreamVersion { StreamVersion(clocks.count - 1) }

    func greatestClock(upTo version: StreamVersion) -> Clock { clocks[Int(version)] }

    func lastCommit(of ident: FileIdent) -> (number: UInt64, clock: Clock) {
        answers[ident]?.last.map { ($0.commit, $0.clock) } ?? (0, .zero)
    }

    func answer(to commit: UInt64, of ident: FileIdent) -> MergeAnswer? {
        commit > 0 ? answers[ident]?[Int(commit) - 1] : nil
    }

    func object(_ name: ObjectName) -> MergedObject? { objects[name] }
    mutating func take(_ name: ObjectName) -> MergedObject? { objects.removeValue(forKey: name) }
    /// Receives each stored object, and returns the object that is kept.
    var keeps: (ObjectName, MergedObject) -> MergedObject = { $1 }

    mutating func put(_ name: ObjectName, _ object: MergedObject) { objects[name] = keeps(name, object) }

    mutating func ingest(_ name: ObjectName, _ fields: [NewField]) {
        if ingested[name] == nil { ingested[name] = fields }
    }

    mutating func finish(_ answer: MergeAnswer, of ident: FileIdent, now: Int64) {
        answers[ident, default: []].append(answer)
        clocks.append(max(clocks[clocks.count - 1], answer.clock))
        self.now = now
    }

    func objects(linkingTo name: ObjectName, by property: MergeRules.Property) -> [ObjectName] {
        objects.keys.filter { $0.className == property.className }
    }

    func objects(of className: SyncString, holding: [SetElement], in properties: [SyncString]) -> [ObjectName] {
        objects.keys.filter { $0.className == className }
    }

    mutating func trim(horizon: StreamVersion) {
        self.horizon = max(self.horizon, horizon)
        for (name, var object) in objects { objects[name] = object.trim(horizon: horizon) ? object : nil }
    }

    mutating func mergeNeighbouringAdds() {
        for name in objects.keys { objects[name]?.mergeNeighbouringAdds() }
    }
}
