import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Histories of files that are copied or restored, and of stores that are (sync-attack.md, section 6).
struct FileAttackTests {
    private static let place = LocalPlace(ScriptedWorld.name, "list")

    @Test func `a pending commit of a phone's backup that was sent in the meantime isn't done twice`() {
        var script = ScriptedWorld()
        script.commit(0, .create(ScriptedWorld.name, ["count": .value(0)], defaults: []))
        script.syncAll()
        script.add(0, 1)
        script.world.handle(.committed, 0)
        let backup = script.world.clients[0].store.data
        expect(backup.state.sealed > backup.state.acknowledged)
        script.syncAll()
        script.add(0, 10)
        script.syncAll()
        script.world.replaceFile(0, backup)
        script.add(0, 100)
        script.syncAll()
        expectEqual(script.value(1, "count"), 111)
        script.check()
    }

    @Test func `a phone restored from its backup loses none of its new commits`() {
        var script = ScriptedWorld(list: "a")
        let backup = script.world.clients[0].store.data
        for text in ["b", "c", "d", "e"] {
            script.insert(0, text, at: script.list(0).count)
            script.syncAll()
        }
        script.world.replaceFile(0, backup)
        for text in ["1", "2", "3", "4"] {
            script.insert(0, text, at: 0)
            script.sync([])
        }
        script.syncAll()
        expectEqual(script.stored, "4321abcde")
        script.check()
    }

    @Test func `a file that was copied to another device continues with the copy's earlier work`() {
        var script = ScriptedWorld(list: "a")
        script.sync([1])
        script.insert(0, "X", at: 1)
        step(&script, 0) { $0.up.contains(where: \.isUpload) }
        // The upload is on its way. Its answer is lost; the file is copied.
        script.world.deliverUp(0)
        let copy = script.world.clients[0].store.data
        script.world.drop(0)
        script.sync([])
        script.world.replaceFile(1, copy)
        script.sync([])
        script.insert(0, "0", at: 2)
        script.insert(1, "1", at: 2)
        script.commit(1, .set(Self.place.element(1), ScriptedWorld.element("Y"), .real))
        script.sync([0])
        script.syncAll()
        expectEqual(Set(script.stored), Set("aY01"))
        expect(script.refusals.isEmpty)
        script.check()
    }

    @Test func `a file that was copied twice: all three continue, each commit once`() {
        var script = ScriptedWorld(clients: 3)
        script.commit(0, .create(ScriptedWorld.name, ["count": .value(0)], defaults: []))
        script.syncAll()
        let copy = script.world.clients[0].store.data
        script.world.replaceFile(1, copy)
        script.world.replaceFile(2, copy)
        for round in 0..<3 {
            for index in 0..<3 {
                script.add(index, 1)
                script.sync(round == 1 ? [index] : [])
            }
        }
        script.syncAll()
        expectEqual(script.value(0, "count"), 9)
        let idents = Set(script.world.clients.compactMap { $0.store.data.state.file?.ident })
        expectEqual(idents.count, 3)
        script.check()
    }

    @Test func `a copy of a copy resolves the elements of its grandparent`() {
        var script = ScriptedWorld(list: "a")
        script.sync([])
        script.insert(0, "X", at: 1)
        script.commit(0, .create(ObjectName("Thing", 2), ["list": .list([ScriptedWorld.element("m")])], defaults: []))
        script.sync([0])
        for _ in 0..<2 {
            let copy = script.world.clients[0].store.data
            script.world.replaceFile(1, copy)
            script.insert(0, "V", at: 1)
            script.insert(1, "Y", at: 0)
            script.sync([0])
            script.sync([1])
            script.world.replaceFile(0, script.world.clients[1].store.data)
            script.insert(1, "Z", at: 0)
            script.insert(0, "W", at: script.list(0).count)
            script.sync([1])
            script.sync([0])
        }
        script.syncAll()
        expectEqual(script.stored.filter { $0 == "X" }.count, 1)
        expectEqual(script.stored.filter { $0 == "Y" }.count, 2)
        expectEqual(script.stored.filter { $0 == "W" }.count, 2)
        script.check()
    }

    @Test func `a copy of a copy without a common commit resolves the elements of their ancestor`() {
        var script = ScriptedWorld(clients: 3, list: "a")
        script.sync([])
        script.insert(0, "X", at: 1)
        // The upload's answer is lost, and the file is copied.
        step(&script, 0) { $0.up.contains(where: \.isUpload) }
        script.world.deliverUp(0)
        let copy = script.world.clients[0].store.data
        script.world.drop(0)
        script.sync([])
        script.insert(0, "0", at: 0)
        script.sync([0])
        script.sync([])
        script.world.replaceFile(1, copy)
        // The copy receives only the fact that it is one. Elements next to X still name it as the file's own.
        step(&script, 1) { !$0.store.data.state.forked.isEmpty }
        script.world.drop(1)
        script.sync([])
        script.insert(1, "Y", at: 2)
        script.world.replaceFile(2, script.world.clients[1].store.data)
        script.insert(2, "Z", at: 3)
        script.sync([1])
        script.sync([2])
        script.syncAll()
        expect(script.refusals.isEmpty)
        expectEqual(script.stored.filter { $0 == "Z" }.count, 1)
        expect(script.stored.hasPrefix("0aX"))
        // Neither copy had sent this one before, and both send it.
        expectEqual(script.stored.filter { $0 == "Y" }.count, 1)
        script.check()
    }

    @Test func `copies of a file that has none of their commits do the same work once`() {
        var script = ScriptedWorld(clients: 4)
        script.commit(3, .create(ScriptedWorld.name, ["list": .list([ScriptedWorld.element("a")])], defaults: []))
        script.syncAll()
        script.sync([])
        // The file has a number, and no commit. A copy of it commits first.
        let number = script.world.clients[0].store.data
        script.world.replaceFile(1, number)
        script.insert(1, "D", at: 1)
        script.sync([1])
        script.sync([])
        script.insert(0, "X", at: 1)
        script.insert(0, "Y", at: 2)
        script.world.replaceFile(2, script.world.clients[0].store.data)
        script.sync([0])
        script.sync([2])
        script.syncAll()
        expectEqual(script.stored.sorted(), Array("DXYa"))
        let idents = Set(script.world.clients.compactMap { $0.store.data.state.file?.ident })
        expectEqual(idents.count, 4)
        expect(script.refusals.isEmpty)
        script.check()
    }

    @Test
    func `a copy without a common commit doesn't remove elements of the original in a clear from before the horizon`() {
        var script = ScriptedWorld(clients: 4)
        script.commit(3, .create(ScriptedWorld.name, ["list": .list([ScriptedWorld.element("a")])], defaults: []))
        script.syncAll()
        script.sync([])
        let number = script.world.clients[0].store.data
        script.world.replaceFile(1, number)
        script.commit(0, .clearList(LocalPlace(ScriptedWorld.name, "list"), hidden: []))
        script.insert(1, "D", at: 1)
        script.sync([1, 2])
        script.pass(days: 40)
        script.sync([2])
        script.pass(days: 1)
        script.syncAll()
        expectEqual(script.stored, "D")
        script.check()
    }

    /// Keeps a client connected until it has reached a point.
    private func step(_ script: inout ScriptedWorld, _ index: Int, until isThere: (SimulatedWorld.Client) -> Bool) {
        script.world.wake(index)
        for _ in 0..<100 where !isThere(script.world.clients[index]) {
            script.world.time += 2_000
            script.world.fireClientTimers(index)
            script.world.deliverUp(index)
            for node in script.world.nodes.indices { script.world.answer(node) }
            script.world.deliverDown(index)
        }
    }

    @Test(arguments: [true, false])
    func `a store restored from a backup receives the acknowledged work that it lost`(isCopy: Bool) {
        var script = ScriptedWorld(list: "ab")
        script.set(0, 1, "count")
        script.syncAll()
        let backup = script.store
        script.set(0, 5)
        script.set(1, 6, "g")
        script.add(0, 10)
        script.add(1, 100)
        script.insert(0, "X", at: 1)
        script.insert(1, "Y", at: 2)
        script.commit(1, .create(ObjectName("Thing", 2), ["f": .value(8)], defaults: []))
        script.syncAll()
        script.world.replaceStore(backup, isCopy: isCopy)
        script.syncAll()
        expectEqual(script.value(0), 5)
        expectEqual(script.value(0, "g"), 6)
        expectEqual(script.value(0, "count"), 111)
        expectEqual(Set(script.stored), Set("abXY"))
        expectEqual(script.stored.count, 4)
        expectEqual(script.value(0, "f", ObjectName("Thing", 2)), 8)
        script.check()
    }

    @Test func `a store that is behind and has continued is noticed, although its versions are reached again`() {
        var script = ScriptedWorld(clients: 3, list: "ab")
        let backup = script.store
        script.set(0, 5)
        script.sync([0, 1])
        script.world.replaceStore(backup, isCopy: false)
        script.set(2, 7, "g")
        script.sync([2])
        script.set(2, 8, "g")
        script.sync([2])
        script.syncAll()
        expectEqual(script.value(1), 5)
        expectEqual(script.value(1, "g"), 8)
        script.check()
    }

    @Test func `work that the restored store has isn't done again`() {
        var script = ScriptedWorld()
        script.commit(0, .create(ScriptedWorld.name, ["count": .value(0)], defaults: []))
        script.syncAll()
        script.add(0, 1)
        script.syncAll()
        let backup = script.store
        script.add(0, 10)
        script.syncAll()
        script.world.replaceStore(backup, isCopy: true)
        script.sync([1])
        script.add(1, 1_000)
        script.sync([1])
        script.add(0, 100)
        script.syncAll()
        expectEqual(script.value(1, "count"), 1_111)
        script.check()
    }

    @Test func `an empty store that replaces the old one receives all work that files still have`() {
        var script = ScriptedWorld(list: "ab")
        script.set(1, 3, "g")
        script.syncAll()
        script.world.replaceStore(MemoryServerStore(epoch: 99), isCopy: false)
        script.sync([0])
        script.syncAll()
        expectEqual(script.stored, "ab")
        script.check()
    }

    @Test func `increments of an object that the new store doesn't have are returned to the app`() {
        let name = ObjectName("Thing", 2)
        var script = ScriptedWorld(list: "ab")
        let backup = script.store
        script.commit(1, .create(name, ["count": .value(0)], defaults: []))
        script.syncAll()
        script.sync([1])
        script.commit(0, .increment(LocalPlace(name, "count"), 5))
        script.world.replaceStore(backup, isCopy: true)
        script.world.replaceFile(1, MemoryClientStore().data)
        script.sync([0])
        expect(script.shown(0, name) == nil)
        let edits = script.lost(0).flatMap { lost -> [LocalEdit] in
            if case .misplaced(let edits) = lost { edits } else { [] }
        }
        expect(edits.contains(.increment(LocalPlace(name, "count"), 5)))
    }

    @Test func `a store that is replaced during a first bootstrap is noticed`() {
        var script = ScriptedWorld(clients: 2)
        script.commit(0, .create(ScriptedWorld.name, ["list": .list([ScriptedWorld.element("a")])], defaults: []))
        script.commit(0, .create(ObjectName("Thing", 2), ["f": .value(1)], defaults: []))
        script.sync([])
        let backup = script.store
        script.sync([0])
        script.sync([])
        script.world.replaceFile(1, MemoryClientStore().data)
        script.world.handle(.subscribed(script.world.clients[0].store.data.state.querySets.last?.queries ?? []), 1)
        step(&script, 1) { $0.store.data.objects[ScriptedWorld.name] != nil }
        expect(script.world.clients[1].store.data.state.cursor == nil)
        script.world.drop(1)
        script.sync([])
        script.insert(1, "X", at: 1)
        script.world.replaceStore(backup, isCopy: true)
        // The author of the object sends it again.
        script.sync([0])
        script.syncAll()
        expectEqual(Set(script.stored), Set("aX"))
        script.check()
    }

    @Test(arguments: [ResetMode.discard, .recover, .recoverOrDiscard])
    func `work that can't be recovered is returned to the app`(mode: ResetMode) {
        var script = ScriptedWorld(list: "ab")
        let backup = script.store
        script.world.resetMode = mode
        for index in 0..<2 { script.world.restart(index) }
        script.commit(1, .create(ObjectName("Thing", 2), ["f": .value(8)], defaults: []))
        script.syncAll()
        script.sync([1])
        // The object isn't in the new store, and its author's file is lost.
        script.set(0, 9, "f", of: ObjectName("Thing", 2))
        script.set(0, 4)
        script.world.replaceStore(backup, isCopy: true)
        script.world.replaceFile(1, MemoryClientStore().data)
        script.sync([0])
        expect(script.shown(0, ObjectName("Thing", 2)) == nil)
        expectEqual(script.value(0), (mode == .recover ? 4 : nil))
        expect(!script.lost(0).isEmpty)
        expect(script.world.clients[0].reports.contains { if case .resetBegins = $0 { true } else { false } })
        script.sync([0])
        for problem in script.world.problems { Issue.record(Comment(rawValue: problem)) }
    }

    @Test func `manual resets wait for the app's decision`() {
        var script = ScriptedWorld(list: "ab")
        let backup = script.store
        script.world.resetMode = .manual
        for index in 0..<2 { script.world.restart(index) }
        script.set(0, 5)
        script.syncAll()
        script.world.replaceStore(backup, isCopy: true)
        script.syncAll()
        expectEqual(script.value(0), 5)
        expectEqual(script.world.clients[0].reports.last { $0 != .connection(.disconnected) }, .resetNeeded)
        for index in 0..<2 { script.world.reset(index, .recover) }
        script.syncAll()
        expectEqual(script.value(1), 5)
        script.check()
    }

    @Test func `writes of the user during a reset of the file aren't lost`() {
        var script = ScriptedWorld(list: "ab")
        let backup = script.store
        script.set(0, 5)
        script.syncAll()
        script.world.replaceStore(backup, isCopy: true)
        script.world.wake(0)
        for _ in 0..<200 where !script.world.clients[0].store.data.state.isPrepared {
            script.world.time += 2_000
            script.world.fireClientTimers(0)
            script.world.deliverUp(0)
            for node in script.world.nodes.indices { script.world.answer(node) }
            script.world.deliverDown(0)
        }
        expect(script.world.clients[0].store.data.state.isPrepared)
        script.set(0, 7, "g")
        script.commit(0, .create(ObjectName("Thing", 5), ["f": .value(1)], defaults: []))
        script.syncAll()
        expectEqual(script.value(1), 5)
        expectEqual(script.value(1, "g"), 7)
        expectEqual(script.value(1, "f", ObjectName("Thing", 5)), 1)
        script.check()
    }

    @Test func `a client that guesses a file's secret gets a file of its own`() {
        var script = ScriptedWorld(list: "ab")
        let known = script.world.clients[1].store.data.state.file
        var forged = MemoryClientStore().data
        forged.state.file = FileIdentity(ident: known?.ident ?? .me, secret: FileSecret(high: 1, low: 2))
        forged.state.querySets = [QuerySet(version: 1, queries: SimulatedChecks.queries(0))]
        script.world.replaceFile(0, forged)
        script.syncAll()
        expect(script.world.clients[0].store.data.state.file?.ident != known?.ident)
        expectEqual(script.list(0), "ab")
        script.check()
    }
}

extension ClientMessage {
    var isUpload: Bool { if case .upload = self { true } else { false } }
}
