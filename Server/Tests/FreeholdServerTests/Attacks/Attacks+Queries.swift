import FreeholdSyncCore

/// Conditions with a high cost for their length, and reads of many objects.
extension Attack {
    /// Writes objects of the class `Text`, each with a text.
    private static func texts(_ count: Int, _ text: SyncString, _ field: AttackField) async throws -> AttackDevice {
        let device = try await field.device()
        try await device.write(
            (0..<count).map { Made.object("Text", .int(Int64($0)), [("text", .string(text)), ("n", 1)]) }
        )
        return device
    }

    /// Sends query sets one after another. Each one waits for the answer to the one before.
    private static func subscriptions(
        _ device: AttackDevice,
        _ field: AttackField,
        _ conditions: [String]
    ) throws -> Work {
        let frames = try (0..<2).map { index in
            // The query sets differ, so that the server can't skip the second.
            try AttackField.codec.encode(
                Made.queries(UInt64(index + 1), "Text", conditions + ["n == \(1_000 + index)"])
            )
        }
        return {
            for frame in frames {
                try await device.peer.send(frame)
                _ = try await device.peer.next {
                    switch $0 {
                    case .bootstrapEnd, .queryError: true
                    default: false
                    }
                }
            }
        }
    }

    static let queries: [Attack] = [
        Attack(name: "LIKE over a long text", isShort: true) { field in
            let length = field.share(600_000)
            let device = try await texts(1, Made.text(length), field)
            let pattern = "*" + Made.text(length / 2).string + "b*c"
            return try subscriptions(device, field, ["text LIKE \"\(pattern)\""])
        },
        Attack(name: "LIKE with many stars") { field in
            let length = field.share(600_000)
            let device = try await texts(4, Made.text(length), field)
            let pattern = String(repeating: "*a?", count: length / 6) + "*b"
            return try subscriptions(device, field, ["text LIKE \"\(pattern)\""])
        },
        Attack(name: "six LIKE over HTTP") { field in
            let text = Made.text(20_000).string
            let count = field.share(500)
            for start in stride(from: 0, to: count, by: 100) {
                let documents = (start..<min(start + 100, count)).map { "{\"_id\": \($0), \"text\": \"\(text)\"}" }
                try await field.write(documents: documents)
            }
            let pattern = "*" + String(repeating: "a", count: 3_000) + "b*c"
            let path = "/api/data/v1/app/docs/Doc?query=text%20LIKE%20%22\(pattern)%22"
            let request = try await field.request("GET", path)
            return { await field.flood(6) { _ in request } }
        },
        Attack(name: "50,000 CONTAINS in a condition") { field in
            let device = try await texts(field.share(2_000), Made.text(200), field)
            let terms = (0..<field.share(50_000)).map { "text CONTAINS \"b\($0)\"" }
            return try subscriptions(device, field, [terms.joined(separator: " OR ")])
        },
        Attack(name: "CONTAINS of what repeats") { field in
            let length = field.share(600_000)
            let device = try await texts(4, Made.text(length), field)
            let needle = Made.text(length / 2).string + "b"
            return try subscriptions(device, field, (0..<8).map { "text CONTAINS[c] \"\(needle)\($0)\"" })
        },
        Attack(name: "1,000 conditions over 5,000 objects") { field in
            let device = try await texts(field.share(5_000), Made.text(200), field)
            return try subscriptions(device, field, (0..<field.share(1_000)).map { "text LIKE \"*a*a*a*b\($0)*\"" })
        },
        Attack(name: "IN lists of 300,000") { field in
            let device = try await texts(field.share(2_000), Made.text(10), field)
            let list = (0..<field.share(300_000)).map { "\($0 + 5)" }.joined(separator: ",")
            return try subscriptions(device, field, ["n IN {\(list)}", "NOT (n IN {\(list)})"])
        },
        Attack(name: "IN lists of keys over HTTP") { field in
            try await field.write(documents: (0..<field.share(2_000)).map { "{\"_id\": \($0), \"number\": 1}" })
            let list = (0..<field.share(8_000)).map { "\($0)" }.joined(separator: ",")
            let request = try await field.request("GET", "/api/data/v1/app/docs/Doc?query=number%20IN%20%7B\(list)%7D")
            return { await field.flood(6) { _ in request } }
        },
        Attack(name: "conditions 100,000 deep") { field in
            let device = try await texts(10, "a", field)
            let depth = field.share(100_000)
            let nested = String(repeating: "NOT (", count: depth) + "n == 1" + String(repeating: ")", count: depth)
            let wide = Array(repeating: "n == 1", count: depth).joined(separator: " AND ")
            return {
                for (index, condition) in [nested, wide, "(" + nested].enumerated() {
                    try await device.peer.send(
                        AttackField.codec.encode(Made.queries(UInt64(index + 1), "Text", [condition]))
                    )
                }
                _ = try await device.peer.next { if case .bootstrapEnd = $0 { true } else { false } }
            }
        },
        Attack(name: "conditions with sort, distinct and limit") { field in
            let device = try await texts(field.share(20_000), Made.text(100), field)
            return try subscriptions(
                device,
                field,
                ["TRUEPREDICATE SORT(text ASC)", "TRUEPREDICATE SORT(text DESC, n ASC) DISTINCT(text) LIMIT(1)"]
            )
        },
        Attack(name: "subscriptions that flap", isShort: true) { field in
            let device = try await texts(field.share(5_000), Made.text(50), field)
            let frames = try (0..<field.share(2_000)).map { round in
                let conditions = (0..<200).map { "n == \($0 + round)" }
                return try AttackField.codec.encode(Made.queries(UInt64(round + 1), "Text", conditions))
            }
            return { for frame in frames { try await device.peer.send(frame) } }
        },
        Attack(name: "query sets of 16 MB") { field in
            let device = try await texts(1, "a", field)
            let text = Made.text(14 << 20).string
            let frames = try (0..<field.share(30)).map {
                try AttackField.codec.encode(Made.queries(UInt64($0 + 1), "Text", ["text == \"\(text)\($0)\""]))
            }
            return {
                for (index, frame) in frames.enumerated() {
                    try await device.peer.send(frame)
                    _ = try await device.peer.next {
                        switch $0 {
                        case .bootstrapEnd(_, let end): end.queryVersion == UInt64(index + 1)
                        case .queryError: true
                        default: false
                        }
                    }
                }
            }
        },
        Attack(name: "bootstraps of 4 MiB objects") { field in
            let device = try await field.device()
            for index in 0..<field.share(150) {
                let object = Made.object("Large", .int(Int64(index)), [("text", .string(Made.text(4 << 20)))])
                try await device.write([object])
            }
            let frames = try (0..<3).map {
                try AttackField.codec.encode(Made.queries(UInt64($0 + 1), "Large", ["text != \"\($0)\""]))
            }
            return {
                for frame in frames {
                    try await device.peer.send(frame)
                    _ = try await device.peer.next { if case .bootstrapEnd = $0 { true } else { false } }
                }
            }
        },
        Attack(name: "one of 60 documents of 4 MiB, again and again") { field in
            let text = Made.text(4 << 20).string
            for index in 0..<field.share(60) {
                try await field.write(documents: ["{\"_id\": \(index), \"text\": \"\(text)\"}"])
            }
            let request = try await field.request("GET", "/api/data/v1/app/docs/Doc?limit=1")
            return { await field.flood(4) { _ in request } }
        },
        Attack(name: "a cursor of the past, again and again") { field in
            let device = try await field.device()
            try await device.peer.send(Made.queries(1, "Text", ["TRUEPREDICATE"]))
            let answer = try await device.peer.next { if case .bootstrapEnd = $0 { true } else { false } }
            guard case .bootstrapEnd(_, let end)? = answer else { throw HonestFailure(description: "no cursor") }
            let writer = try await field.device("mallory")
            for start in 0..<field.share(20) {
                let objects = (0..<500).map { Made.object("Text", .int(Int64(start * 500 + $0)), [("text", "abc")]) }
                try await writer.peer.send(writer.singles(objects))
            }
            try await writer.settle()
            try await device.peer.send(.unbind(1))
            let peer = device.peer
            var bind = Bind(app: "notes", file: device.file, schema: SchemaClaim(version: 0, hash: .empty))
            (bind.cursor, bind.queryVersion) = (end.cursor, 1)
            let start = bind
            return {
                var session: UInt32 = 2
                while !field.hasLeft {
                    let number = SessionNumber(rawValue: session)
                    try await peer.send(.bind(number, start))
                    try await peer.send(.credit(number, bytes: 1 << 40))
                    let answer = try await peer.next { if case .changes = $0 { true } else { false } }
                    guard answer != nil else { return }
                    try await peer.send(.unbind(number))
                    session += 1
                }
            }
        },
    ]
}
