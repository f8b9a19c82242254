import FreeholdSync
import FreeholdSyncCore

/// Messages and frames that cost the server memory.
extension Attack {
    static let connections: [Attack] = [
        Attack(name: "binds with a million hashes", isShort: true) { field in
            let peer = try await field.greeted()
            let count = field.share(1_000_000)
            // Equal hashes take no bytes of a message. A filler makes the message long enough for their number.
            let filler = SchemaDocument(className: "Filler", json: Made.text(count + 1_000))
            var bind = Bind(app: "notes", schema: SchemaClaim(version: 0, hash: .empty, documents: [filler]))
            bind.journal = JournalRange(pending: Array(repeating: .empty, count: count))
            let frame = try AttackField.codec.encode(.bind(1, bind))
            return {
                for session in 1...100 as ClosedRange<UInt8> {
                    // The third byte of a frame is the session.
                    try await peer.send(Array(frame[..<2]) + [session] + frame[3...])
                }
            }
        },
        Attack(name: "binds with 100,000 objects that are held") { field in
            let peer = try await field.greeted()
            var bind = Bind(app: "notes", schema: SchemaClaim(version: 0, hash: .empty))
            bind.held = (0..<field.share(100_000)).map {
                HeldObject(name: ObjectName("Held", .int(Int64($0))), version: 1)
            }
            let frame = try AttackField.codec.encode(.bind(1, bind))
            return {
                for session in 1...100 as ClosedRange<UInt8> {
                    try await peer.send(Array(frame[..<2]) + [session] + frame[3...])
                }
            }
        },
        Attack(name: "pings whose answers aren't read", isShort: true) { field in
            let connection = try await field.upgraded()
            try await connection.setReading(false)
            let ping = AttackField.frame(0x89, [UInt8](repeating: 0x70, count: 125))
            let bytes = Array(repeatElement(ping, count: 1_000).joined())
            return { while !field.hasLeft { await connection.send(bytes) } }
        },
        Attack(name: "pings of the protocol whose answers aren't read") { field in
            let peer = try await field.greeted()
            try await peer.stopReading()
            let ping = try MessageCodec().encode(.ping(Ping(deviceTime: 5)))
            return {
                while !field.hasLeft {
                    for _ in 0..<1_000 { peer.push(ping) }
                    try await peer.send(ping)
                }
            }
        },
        Attack(name: "fragments of messages that never end") { field in
            var connections: [RawConnection] = []
            for _ in 0..<20 { connections.append(try await field.upgraded()) }
            let all = connections
            let piece = [UInt8](repeating: 0x20, count: 1 << 20)
            return {
                for round in 0..<15 {
                    for connection in all {
                        await connection.send(AttackField.frame(round == 0 ? 0x02 : 0x00, piece))
                    }
                }
                while !field.hasLeft {
                    for connection in all { await connection.send(AttackField.frame(0x89, [])) }
                    try await Task.sleep(for: .seconds(1))
                }
            }
        },
        Attack(name: "a frame of 16 MiB, byte by byte") { field in
            var connections: [RawConnection] = []
            for _ in 0..<20 { connections.append(try await field.upgraded()) }
            let all = connections
            let begin = AttackField.frame(0x82, [UInt8](repeating: 0x20, count: 8 << 20), length: 16 << 20)
            return {
                for connection in all { await connection.send(begin) }
                while !field.hasLeft {
                    for connection in all { await connection.send([0x20]) }
                    try await Task.sleep(for: .milliseconds(200))
                }
            }
        },
        Attack(name: "bootstraps that aren't read") { field in
            let writer = try await field.device()
            let text = SyncValue.string(SyncString((0..<40_000).map { "\($0)" }.joined()))
            for index in 0..<field.share(100) {
                try await writer.write(
                    (0..<2).map { Made.object("Long", .int(Int64(index * 2 + $0)), [("text", text)]) }
                )
            }
            var peers: [RawPeer] = []
            for _ in 0..<8 {
                let device = try await field.device()
                try await device.peer.stopReading()
                peers.append(device.peer)
            }
            let all = peers
            return {
                for peer in all { try await peer.send(Made.queries(1, "Long", ["TRUEPREDICATE"])) }
                while !field.hasLeft { try await Task.sleep(for: .milliseconds(100)) }
            }
        },
        Attack(name: "5,000 sessions that do nothing") { field in
            var peers: [RawPeer] = []
            for _ in 0..<5 { peers.append(try await field.greeted(keepsMessages: false)) }
            let all = peers
            let binds = try (0..<field.share(1_000)).map { index in
                let bind = Bind(app: "notes", schema: SchemaClaim(version: 0, hash: .empty))
                return try MessageCodec().encode(.bind(SessionNumber(rawValue: UInt32(index + 1)), bind))
            }
            return {
                for bind in binds { for peer in all { try await peer.send(bind) } }
                while !field.hasLeft { try await Task.sleep(for: .milliseconds(100)) }
            }
        },
        Attack(name: "own streams by the hundred", attackers: 100) { field in
            var devices: [(AttackDevice, [UInt8])] = []
            for index in 0..<field.share(100) {
                let device = try await field.device("many\(index)", app: "own")
                devices.append((device, try device.commit([Made.object("Mine", 1, [("x", 1)])])))
            }
            let all = devices
            return {
                for (device, frame) in all { try await device.peer.send(frame) }
                for (device, _) in all { try await device.settle() }
            }
        },
        Attack(name: "schema documents of 10,000 properties") { field in
            let peer = try await field.greeted()
            let properties = (0..<field.share(10_000)).map { "\"p\($0)\": {\"bsonType\": \"string\"}" }
            let json =
                "{\"title\": \"Doc\", \"bsonType\": \"object\", \"properties\": {\(properties.joined(separator: ","))}}"
            let documents = (0..<10).map { SchemaDocument(className: SyncString("Doc\($0)"), json: SyncString(json)) }
            let claim = SchemaClaim(version: 0, hash: RunningHash(high: 1, low: 2), documents: documents)
            let frame = try AttackField.codec.encode(.bind(1, Bind(app: "docs", schema: claim)))
            return {
                for session in 1...100 as ClosedRange<UInt8> {
                    try await peer.send(Array(frame[..<2]) + [session] + frame[3...])
                }
            }
        },
    ]

    /// Cheap messages in great numbers.
    static let floods: [Attack] = [
        Attack(name: "20 connections bind 1,000 sessions each") { field in
            var peers: [RawPeer] = []
            for _ in 0..<20 { peers.append(try await field.greeted(keepsMessages: false)) }
            let all = peers
            let binds = try (0..<field.share(1_000)).map { index in
                let bind = Bind(app: "notes", schema: SchemaClaim(version: 0, hash: .empty))
                return try MessageCodec().encode(.bind(SessionNumber(rawValue: UInt32(index + 1)), bind))
            }
            return {
                for peer in all { for bind in binds { peer.push(bind) } }
                while !field.hasLeft { try await Task.sleep(for: .milliseconds(50)) }
            }
        },
        Attack(name: "a session that binds and unbinds for ever", isShort: true) { field in
            let peer = try await field.greeted(keepsMessages: false)
            let bind = Bind(app: "notes", schema: SchemaClaim(version: 0, hash: .empty))
            return {
                var session: UInt32 = 1
                while !field.hasLeft {
                    let number = SessionNumber(rawValue: session)
                    peer.push(try MessageCodec().encode(.bind(number, bind)))
                    try await peer.send(.unbind(number))
                    session += 1
                }
            }
        },
        Attack(name: "fetches of 100,000 names") { field in
            let device = try await field.device()
            let names = (0..<field.share(100_000)).map { ObjectName("Nothing", .int(Int64($0))) }
            let frame = try AttackField.codec.encode(.fetch(1, names))
            return { for _ in 0..<20 where !field.hasLeft { try await device.peer.send(frame) } }
        },
        Attack(name: "a million credits") { field in
            let device = try await field.device()
            let credit = try MessageCodec().encode(ClientMessage.credit(1, bytes: 1))
            return {
                for _ in 0..<field.share(1_000) where !field.hasLeft {
                    for _ in 0..<1_000 { device.peer.push(credit) }
                    try await device.peer.send(credit)
                }
            }
        },
        Attack(name: "marks for ever") { field in
            let device = try await field.device()
            try await device.peer.send(Made.queries(1, "Plain", ["TRUEPREDICATE"]))
            return {
                var number: UInt64 = 1
                while !field.hasLeft {
                    for _ in 0..<500 {
                        device.peer.push(try MessageCodec().encode(.mark(1, number)))
                        number += 1
                    }
                    try await device.peer.send(.mark(1, number))
                }
            }
        },
        Attack(name: "resumes that compare classes") { field in
            let device = try await field.device()
            try await device.write((0..<field.share(20_000)).map { Made.object("Text", .int(Int64($0)), [("n", 1)]) })
            try await device.peer.send(Made.queries(1, "Text", ["TRUEPREDICATE"]))
            let answer = try await device.peer.next { if case .bootstrapEnd = $0 { true } else { false } }
            guard case .bootstrapEnd(_, let end)? = answer else { throw HonestFailure(description: "no cursor") }
            let resume = Resume(cursor: end.cursor, compare: ["Text", "Plain", "Nothing"])
            let frame = try MessageCodec().encode(.resume(1, resume))
            return { for _ in 0..<field.share(2_000) where !field.hasLeft { try await device.peer.send(frame) } }
        },
        Attack(name: "messages of unknown kinds") { field in
            let peer = try await field.greeted(keepsMessages: false)
            let message: [UInt8] = [200, 0, 0, 1, 2, 3]
            return {
                while !field.hasLeft {
                    for _ in 0..<500 { peer.push(message) }
                    try await peer.send(message)
                }
            }
        },
        Attack(name: "tokens that are renewed for ever") { field in
            let peer = try await field.greeted(keepsMessages: false)
            let token = AccessToken(SyncString(try await TestServer.token("mallory")))
            let hello = try MessageCodec().encode(.hello(Hello(compressions: [], deviceTime: 0, token: token)))
            return {
                while !field.hasLeft {
                    for _ in 0..<100 { peer.push(hello) }
                    try await peer.send(hello)
                }
            }
        },
        Attack(name: "connections that come and go") { field in
            let token = "not a token"
            return {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 {
                        group.addTask {
                            while !field.hasLeft {
                                guard let peer = try? await RawPeer(port: field.port, group: AttackField.threads) else {
                                    try? await Task.sleep(for: .milliseconds(20))
                                    continue
                                }
                                try? await peer.hello(token)
                                peer.close()
                            }
                        }
                    }
                }
            }
        },
    ]
}
