import FreeholdSync
import FreeholdSyncCore

/// Commits that cost more than their bytes.
extension Attack {
    static let commits: [Attack] = [
        Attack(name: "a key of 8 MB") { field in
            let device = try await field.device()
            let frame = try device.commit([Made.object("K", .string(Made.text(8_600_000)), [("x", 1)])])
            return {
                try await device.peer.send(frame)
                try await device.settle()
            }
        },
        Attack(name: "values of 21 MB beside columns") { field in
            let device = try await field.device()
            try await device.write([Made.object("R", 1, [("a", 1), ("b", 1), ("c", 1)])])
            let fields = ["a", "b", "c"].map { (SyncString($0), SyncValue.string(Made.text(5_200_000))) }
            let frames = try device.split(fields.map { [Made.object("R", 2, [$0])] })
            return {
                for frame in frames { try await device.peer.send(frame) }
                try await device.settle()
            }
        },
        Attack(name: "names with a NUL beside 18 MB") { field in
            let device = try await field.device()
            let frames = try device.split(
                ["a\0b", "a\0c"].map { [Made.object("M", 1, [(SyncString($0), .string(Made.text(9_000_000)))])] }
            )
            return {
                for frame in frames { try await device.peer.send(frame) }
                try await device.settle()
            }
        },
        Attack(name: "names of fields of 7 MB") { field in
            let device = try await field.device()
            let frames = try device.split(
                (0..<3).map { [Made.object("N", .int(Int64($0)), [(Made.text(7_000_000 + $0), 1)])] }
            )
            return {
                for frame in frames { try await device.peer.send(frame) }
                try await device.settle()
            }
        },
        Attack(name: "refused changes of 18 MB") { field in
            let device = try await field.device()
            let place = Place(ObjectName("Nothing", 1), "text")
            let frames = try device.split(
                (0..<2).map { _ in [.set(place, .string(Made.text(9_000_000)), .real)] }
            )
            return {
                for frame in frames { try await device.peer.send(frame) }
                try await device.settle()
            }
        },
        Attack(name: "a mixed value that grows past 16 MB") { field in
            let device = try await field.device()
            try await device.write([Made.object("X", 1, [("mixed", .dictionary(SyncDictionary()))])])
            let place = Place(ObjectName("X", 1), "mixed")
            let frames = try (0..<4).map { index in
                let text = SyncValue.string(Made.text(6_000_000))
                return try device.commit([.set(place.nested(SyncString("k\(index)")), text, .real)])
            }
            return {
                for frame in frames { try await device.peer.send(frame) }
                try await device.settle()
            }
        },
        Attack(name: "six users with a key of 8 MB in own streams", attackers: 6) { field in
            var devices: [(AttackDevice, [UInt8])] = []
            for index in 0..<6 {
                let device = try await field.device("mallory\(index)", app: "own")
                let frame = try device.commit([Made.object("K", .string(Made.text(8_600_000)), [("x", 1)])])
                devices.append((device, frame))
            }
            let ready = devices
            return {
                for (device, frame) in ready { try await device.peer.send(frame) }
                for (device, _) in ready { try await device.settle() }
            }
        },
        Attack(name: "a thousand classes in a commit") { field in
            let device = try await field.device()
            let changes = (0..<field.share(1_000)).map { Made.object(SyncString("New\($0)"), 1, [("x", 1)]) }
            let frame = try device.commit(changes)
            return {
                try await device.peer.send(frame)
                try await device.settle()
            }
        },
        Attack(name: "a class in each of many commits") { field in
            let device = try await field.device()
            let frame = try device.singles(
                (0..<field.share(1_000)).map { Made.object(SyncString("One\($0)"), 1, [("x", 1)]) }
            )
            return {
                try await device.peer.send(frame)
                try await device.settle()
            }
        },
        Attack(name: "60,000 columns in a commit") { field in
            let device = try await field.device()
            let width = 300
            let frame = try device.commit(
                (0..<field.share(200)).map { object in
                    let fields = (0..<width).map { (SyncString("f\(object)x\($0)"), SyncValue.int(1)) }
                    return Made.object("Wide", .int(Int64(object)), fields)
                }
            )
            return {
                try await device.peer.send(frame)
                try await device.settle()
            }
        },
        Attack(name: "200,000 objects in a commit") { field in
            let device = try await field.device()
            let frame = try device.commit(
                (0..<field.share(200_000)).map { Made.object("Many", .int(Int64($0)), [("x", 1)]) }
            )
            return {
                try await device.peer.send(frame)
                try await device.settle()
            }
        },
        Attack(name: "20,000 commits in a message", isShort: true) { field in
            let device = try await field.device()
            let frame = try device.singles(
                (0..<field.share(20_000)).map { Made.object("Tiny", .int(Int64($0)), [("x", 1)]) }
            )
            return {
                try await device.peer.send(frame)
                try await device.settle()
            }
        },
        Attack(name: "objects of 15 MiB again and again") { field in
            let device = try await field.device()
            let count = field.share(60)
            let frames = try (0..<count).map { round in
                try device.commit(
                    (0..<3).map {
                        let key = PrimaryKey.int(Int64(round * 3 + $0))
                        return Made.object("Large", key, [("text", .string(Made.text(5 << 20)))])
                    }
                )
            }
            return {
                for frame in frames {
                    try await device.peer.send(frame)
                    try await device.settle()
                }
            }
        },
        Attack(name: "2,000,000 changes in a message") { field in
            let device = try await field.device()
            let place = Place(ObjectName("Nothing", 1), "count")
            let frame = try device.commit(Array(repeating: .increment(place, 1), count: field.share(2_000_000)))
            return {
                while !field.hasLeft {
                    try await device.peer.send(frame)
                    try await device.settle()
                }
            }
        },
        Attack(name: "commits of the next year") { field in
            let device = try await field.device()
            let clock = Clock(milliseconds: DeviceClock.shared.now() + 365 * 86_400_000)
            let frames = try (0..<field.share(200)).map { round in
                try device.singles(
                    (0..<20).map { Made.object("Skewed", .int(Int64(round * 20 + $0)), [("x", 1)]) },
                    clock: clock
                )
            }
            return { for frame in frames { try await device.peer.send(frame) } }
        },
        Attack(name: "parts of commits that never end") { field in
            let device = try await field.device()
            let text = SyncValue.string(Made.text(14 << 20))
            let frames = try device.split(
                (0..<field.share(200)).map { [Made.object("Part", .int(Int64($0)), [("text", text)])] },
                isComplete: false
            )
            return { for frame in frames { try await device.peer.send(frame) } }
        },
        Attack(name: "embedded objects 100 deep") { field in
            let device = try await field.device()
            func nested(_ depth: Int) -> SyncValue {
                let inner: SyncValue = depth == 0 ? 1 : nested(depth - 1)
                return .embedded(EmbeddedValue(number: UInt64(depth + 1), fields: [NewField("inner", .value(inner))]))
            }
            let value = nested(100)
            let frames = try (0..<field.share(20)).map { round in
                try device.commit(
                    (0..<100).map { Made.object("Deep", .int(Int64(round * 100 + $0)), [("inner", value)]) }
                )
            }
            return {
                for frame in frames {
                    try await device.peer.send(frame)
                    try await device.settle()
                }
            }
        },
        Attack(name: "objects that are created and deleted") { field in
            let device = try await field.device()
            let frame = try device.commit(
                (0..<field.share(30_000)).flatMap { index -> [Change] in
                    let name = ObjectName("Gone", .int(Int64(index)))
                    return [.create(name, [NewField("x", .value(1))]), .delete(name, .edit)]
                }
            )
            return {
                try await device.peer.send(frame)
                try await device.settle()
            }
        },
    ]

    /// Edits of one large value.
    static let collections: [Attack] = [
        Attack(name: "increments in one mixed value") { field in
            let device = try await field.device()
            let count = field.share(20_000)
            let keys = (0..<count).map { SyncString("k\($0)") }
            let value = SyncValue.dictionary(SyncDictionary(keys.map { ($0, .int(0)) }))
            let name = ObjectName("Mixed", 1)
            try await device.write([Made.object("Mixed", 1, [("mixed", value)])])
            let frame = try device.commit(keys.map { .increment(Place(name, "mixed").nested($0), 1) })
            return {
                try await device.peer.send(frame)
                try await device.settle()
            }
        },
        Attack(name: "reads of a mixed value with increments") { field in
            let device = try await field.device()
            let keys = (0..<field.share(4_000)).map { SyncString("k\($0)") }
            let value = SyncValue.dictionary(SyncDictionary(keys.map { ($0, .int(0)) }))
            let name = ObjectName("Mixed", 1)
            let create = Made.object("Mixed", 1, [("mixed", value)])
            try await device.write([create] + keys.map { .increment(Place(name, "mixed").nested($0), 1) })
            let frame = try MessageCodec().encode(.fetch(1, [name]))
            return {
                while !field.hasLeft {
                    try await device.peer.send(frame)
                    _ = try await device.peer.next { if case .changes = $0 { true } else { false } }
                }
            }
        },
        Attack(name: "inserts into a set of 200,000") { field in
            let device = try await field.device()
            let count = field.share(200_000)
            let name = ObjectName("Set", 1)
            let values = (0..<count).map { SyncValue.int(Int64($0)) }
            try await device.write([.create(name, [NewField("set", .set(values))])])
            let frame = try device.commit(
                (0..<field.share(10_000)).map { .insertIntoSet(Place(name, "set"), [.int(Int64(count + $0))]) }
            )
            return {
                try await device.peer.send(frame)
                try await device.settle()
            }
        },
        Attack(name: "entries of a dictionary of 100,000") { field in
            let device = try await field.device()
            let count = field.share(100_000)
            let name = ObjectName("Map", 1)
            let entries = (0..<count).map { (SyncString("k\($0)"), SyncValue.int(Int64($0))) }
            try await device.write([.create(name, [NewField("map", .dictionary(SyncDictionary(entries)))])])
            let frame = try device.commit(
                (0..<field.share(10_000)).flatMap { index -> [Change] in
                    [
                        .set(Place(name, "map").entry(SyncString("n\(index)")), 1, .real),
                        .removeEntry(Place(name, "map").entry(SyncString("k\(index)"))),
                    ]
                }
            )
            return {
                try await device.peer.send(frame)
                try await device.settle()
            }
        },
        Attack(name: "moves in a long list") { field in
            let device = try await field.device()
            let count = field.share(50_000)
            let name = ObjectName("List", 1)
            let values = (0..<count).map { SyncValue.int(Int64($0)) }
            try await device.write([.create(name, [NewField("list", .list(first: 1, values))])])
            let frame = try device.commit(
                (0..<field.share(20_000)).map { index in
                    let gap = Gap(after: nil, before: .own(1))
                    let element = ElementReference.own(UInt64(2 + index % (max(count - 2, 1))))
                    return .move(Place(name, "list"), element, gap, number: UInt64(count + 1 + index))
                }
            )
            return {
                try await device.peer.send(frame)
                try await device.settle()
            }
        },
        Attack(name: "inserts at the front of a list, one a commit") { field in
            let device = try await field.device()
            let name = ObjectName("List", 2)
            try await device.write([.create(name, [NewField("list", .list(first: 1, [1]))])])
            let frame = try device.singles(
                (0..<field.share(20_000)).map { index in
                    let gap = Gap(after: nil, before: .own(UInt64(index + 1)))
                    return .insert(Place(name, "list"), gap, first: UInt64(index + 2), [.int(1)])
                }
            )
            return {
                try await device.peer.send(frame)
                try await device.settle()
            }
        },
    ]
}
