import Foundation
import FreeholdSync
import RealmSwift
import ServerTestRandom

/// A client of `StormTests`. It makes named transactions until the test kills it.
///
/// An earlier copy can replace the client's file between two runs, so the transactions have names in place of numbers.
/// The arguments are those of `Worker` and `storm`. The lines of the output:
///
///     O             its realm is open
///     B             it sees the board
///     I 1-ff        it is about to commit the transaction of that name
///     C 1-ff        it has committed it
///     Q             it asks for the upload of all that it has committed
///     A             the server has what was committed before the last Q
///     E …           something failed that is tried again
///     V …           what it sees contradicts itself
///     U             everything it did is at the server
///     F …           all contents at the end
@MainActor final class StormWorker {
    private let realm: Realm
    private let me: Int
    private var isAsking = false
    private var hasSeenBoard = false

    init(_ realm: Realm, me: Int) { (self.realm, self.me) = (realm, me) }

    /// Checks one version of the file, and reports contradictions.
    func look() {
        guard let board = realm.object(ofType: Board.self, forPrimaryKey: "board") else { return }
        if !hasSeenBoard {
            hasSeenBoard = true
            Worker.say("B")
        }
        let marks = Array(board.marks)
        let count = marks.count
        if Set(marks).count != count { Worker.say("V the list has an element twice: \(marks)") }
        if board.total != count { Worker.say("V the total is \(board.total) and the list has \(count)") }
        if board.names.count != count { Worker.say("V the set has \(board.names.count) and the list \(count)") }
        let objects = realm.objects(Mark.self).count
        if objects != count { Worker.say("V there are \(objects) objects and the list has \(count)") }
    }

    func transact(_ random: inout SeededRandom) throws {
        guard let board = realm.object(ofType: Board.self, forPrimaryKey: "board") else {
            if me == 0 { try realm.write { _ = realm.create(Board.self, value: [:]) } }
            return
        }
        let name = "\(me)-\(String(UInt64.random(in: .min ... .max), radix: 16))"
        let (place, isMove) = (random.below(1 << 20), random.chance(20))
        try realm.write {
            Worker.say("I \(name)")
            realm.create(Mark.self, value: ["_id": name, "author": me])
            board.increment(\.total, by: 1)
            board.marks.insert(name, at: place % (board.marks.count + 1))
            if isMove { board.marks.move(from: place % board.marks.count, to: (place / 7) % board.marks.count) }
            board.names.insert(name)
            board.latest = name
        }
        Worker.say("C \(name)")
    }

    /// Waits for the upload and reports it. Does nothing while an earlier wait continues.
    func ask() {
        guard !isAsking, let session = realm.syncSession else { return }
        isAsking = true
        Worker.say("Q")
        Task {
            do {
                try await session.wait(for: .upload)
                Worker.say("A")
            } catch { Worker.say("E \(error)") }
            isAsking = false
        }
    }

    var contents: String {
        guard let board = realm.object(ofType: Board.self, forPrimaryKey: "board") else { return "nothing" }
        let marks = realm.objects(Mark.self).map(\._id).sorted()
        let parts = ["\(board.total)", board.marks.joined(separator: " "), board.names.sorted().joined(separator: " ")]
        return (parts + [marks.joined(separator: " "), board.latest]).joined(separator: "|")
    }

    func run(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        Worker.say("O")
        let commands = Commands()
        var isWorking = true
        while true {
            switch commands.next() {
            case "upload"?:
                isWorking = false
                realm.syncSession?.resume()
                try await insist { try await self.realm.syncSession?.wait(for: .upload) }
                Worker.say("U")
            case "finish"?:
                try await insist { try await self.realm.syncSession?.wait(for: .download) }
                realm.refresh()
                look()
                Worker.say("F \(contents)")
            case "quit"?: return
            default: break
            }
            try await Task.sleep(for: .milliseconds(random.below(20)))
            guard isWorking else { continue }
            realm.refresh()
            look()
            switch random.below(20) {
            case 0: realm.syncSession?.suspend()
            case 1, 2: realm.syncSession?.resume()
            case 3, 4: ask()
            case 5..<14: do { try transact(&random) } catch { Worker.say("E \(error)") }
            default: break
            }
        }
    }
}
