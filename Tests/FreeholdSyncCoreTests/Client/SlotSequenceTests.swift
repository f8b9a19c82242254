import Testing

@testable import FreeholdSyncCore

/// Lists of a client in pieces against plain arrays.
struct SlotSequenceTests {
    typealias Slot = ClientList.Slot

    private static func node(_ random: inout SeededRandom) -> ClientNode? {
        random.chance(20) ? nil : .value(.int(.random(in: 0..<5, using: &random)))
    }

    private static func check(_ sequence: SlotSequence, _ slots: [Slot], _ random: inout SeededRandom) {
        sequence.checkInvariants()
        expectEqual(Array(sequence), slots)
        expectEqual(sequence.count, slots.count)
        let alive = slots.indices.filter { slots[$0].node != nil }
        expectEqual(sequence.aliveCount, alive.count)
        for _ in 0..<5 {
            let start = Int.random(in: -1...alive.count, using: &random)
            let range = start..<start + Int.random(in: 0...3, using: &random)
            let isInside = range.lowerBound >= 0 && range.upperBound <= alive.count
            if !range.isEmpty { expectEqual(sequence.indices(ofAlive: range), isInside ? Array(alive[range]) : nil) }
            if isInside, let first = range.first { expectEqual(sequence.position(ofIndex: alive[first]), first) }
        }
        for _ in 0..<5 {
            guard let slot = slots.randomElement(using: &random) else { break }
            expectEqual(sequence.index(of: slot.id), slots.firstIndex { $0.id == slot.id })
            // An element has one place.
            let places = slots.indices.filter { slots[$0].element == slot.element && slots[$0].node != nil }
            if places.count < 2 { expectEqual(sequence.place(of: slot.element), places.first) }
        }
        expectEqual(sequence.index(of: .own(1 << 40)), nil)
        let first = OwnNumber.random(in: 0...2_000, using: &random)
        let own = slots.map(\.id).filter { $0.isOwn && first..<first + 50 ~= $0.number }.map(\.number)
        expectEqual(sequence.ownNumbers(in: first..<first + 50), Set(own))
        expectEqual(sequence.own, slots.filter(\.id.isOwn))
        let end = Int.random(in: 0...slots.count, using: &random)
        let start = Int.random(in: 0...end, using: &random)
        expectEqual(sequence.slots(in: start..<end), Array(slots[start..<end]))
    }

    @Test func `a sequence in pieces has the same content as an array`() {
        var random = SeededRandom(test: "SlotSequenceTests")
        for _ in TestBudget.range("SlotSequenceTests", usual: 12, soak: 500) {
            var (numbers, others) = (OwnNumber(0), UInt64(0))
            func slot(_ random: inout SeededRandom, _ elements: [SlotID]) -> Slot {
                let isOwn = random.chance(50)
                numbers += isOwn ? .random(in: 1...3, using: &random) : 0
                others += isOwn ? 0 : .random(in: 1...2, using: &random)
                let id = isOwn ? SlotID.own(numbers) : .confirmed(others)
                let element = random.chance(10) ? elements.randomElement(using: &random) ?? id : id
                return Slot(id: id, element: element, node: Self.node(&random))
            }
            var slots: [Slot] = []
            for _ in 0..<Int.random(in: 0...1_500, using: &random) { slots.append(slot(&random, [])) }
            var sequence = SlotSequence(slots)
            var old = sequence
            for _ in 0..<25 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    let index = Int.random(in: 0...slots.count, using: &random)
                    let count = random.chance(10) ? 700 : Int.random(in: 1...3, using: &random)
                    let elements = slots.isEmpty ? [] : [slots[0].element]
                    let new = (0..<count).map { _ in slot(&random, elements) }
                    sequence.insert(contentsOf: new, at: index)
                    slots.insert(contentsOf: new, at: index)
                case 2 where !slots.isEmpty:
                    let index = Int.random(in: 0..<slots.count, using: &random)
                    let node = Self.node(&random)
                    sequence[node: index] = node
                    slots[index].node = node
                case 3:
                    let least = UInt64.random(in: 0...others, using: &random)
                    sequence.empty { $0.id.number > least && $0.id.number % 3 == 0 }
                    for index in slots.indices where slots[index].id.number > least && slots[index].id.number % 3 == 0 {
                        slots[index].node = nil
                    }
                case 4:
                    let alive = slots.filter { $0.node != nil }
                    let end = Int.random(in: 0...alive.count, using: &random)
                    let start = Int.random(in: 0...end, using: &random)
                    var new = SlotSequence()
                    new.append(alive: 0..<start, of: sequence)
                    new.append(alive: end..<alive.count, of: sequence)
                    (old, sequence, slots) = (sequence, new, Array(alive[..<start] + alive[end...]))
                default: old = sequence
                }
                Self.check(sequence, slots, &random)
                expectEqual(sequence == old, Array(old) == slots)
                let (start, end) = sequence.shared(with: old)
                let (new, before) = (Array(sequence), Array(old))
                expectEqual(Array(new.prefix(start.slots)), Array(before.prefix(start.slots)))
                expectEqual(Array(new.suffix(end.slots)), Array(before.suffix(end.slots)))
                expect(start.slots + end.slots <= min(new.count, before.count))
            }
        }
    }

    @Test func `moves bring groups into their order, and are as few as possible`() {
        var random = SeededRandom(test: "ListMovesTests")
        for _ in TestBudget.range("ListMovesTests", usual: 300, soak: 20_000) {
            let groups = Int.random(in: 0...8, using: &random)
            let counts = (0..<groups).map { _ in Int.random(in: 1...3, using: &random) }
            var order = Array(0..<groups)
            for _ in 0..<Int.random(in: 0...4, using: &random) where groups > 1 {
                order.insert(
                    order.remove(at: .random(in: 0..<groups, using: &random)),
                    at: .random(in: 0..<groups, using: &random)
                )
            }
            var elements: [[Int]] = []
            var next = 0
            for count in counts {
                elements.append(Array(next..<next + count))
                next += count
            }
            let moves = ListMoves(counts: counts, order: order).moves
            var list = elements.flatMap { $0 }
            for move in moves { list.insert(list.remove(at: move.from), at: move.to) }
            let wanted = order.flatMap { elements[$0] }
            expectEqual(list, wanted, "\(counts) \(order)")
            expect(moves.count <= next - Self.longestRise(wanted), "\(counts) \(order) \(moves)")
        }
    }

    private static func longestRise(_ numbers: [Int]) -> Int {
        var lengths: [Int] = []
        for (index, number) in numbers.enumerated() {
            lengths.append(1 + (0..<index).reduce(0) { numbers[$1] < number ? max($0, lengths[$1]) : $0 })
        }
        return lengths.max() ?? 0
    }

    @Test func `the difference of a list has the same edits as a comparison`() throws {
        var random = SeededRandom(test: "ListDifferenceTests")
        for _ in TestBudget.range("ListDifferenceTests", usual: 200, soak: 10_000) {
            let old = (0..<Int.random(in: 0...12, using: &random)).map { SyncValue.int(Int64($0)) }
            var rest = Array(old.indices)
            rest.removeAll { _ in random.chance(15) }
            for _ in 0..<Int.random(in: 0...2, using: &random) where rest.count > 1 {
                let from = Int.random(in: rest.indices, using: &random)
                rest.insert(rest.remove(at: from), at: Int.random(in: 0..<rest.count, using: &random))
            }
            var difference = ListDifference(pieces: [])
            for index in rest {
                if random.chance(20) {
                    let run = ElementRun(made: nil, [.value(.int(.random(in: 100..<200, using: &random)))])
                    difference.pieces.append(.new(run))
                }
                difference.keep(index)
            }
            if let index = rest.indices.randomElement(using: &random), difference.pieces.count == 1 {
                difference.edits.append(.init(index: index, content: .whole(.value(.int(7)))))
            }
            let place = LocalPlace(ObjectName("Thing", 1), "list")
            let edits = try require(try difference.edits(of: place, length: old.count))
            var contents: [ObjectName: [SyncString: MergedContent]] = [
                place.object: ["list": .list(old.map { .value($0) })]
            ]
            for edit in edits { try edit.apply(to: &contents[place.object]) }
            let reader = UpdateReader(ownVersions: [], keepsDead: false, elements: [:])
            let node = try reader.node(.list(difference), in: .list(ClientList(old.map { .value($0) })))
            expectEqual(contents[place.object]?["list"], node.content, "\(difference)")
        }
        let unfit = ListDifference(pieces: [.kept(start: 0, count: 2), .kept(start: 1, count: 1)])
        #expect(throws: MisfitUpdate.self) {
            _ = try unfit.edits(of: LocalPlace(ObjectName("Thing", 1), "list"), length: 3)
        }
        let long = ListDifference(pieces: [.kept(start: 0, count: 4)])
        #expect(throws: MisfitUpdate.self) {
            _ = try long.edits(of: LocalPlace(ObjectName("Thing", 1), "list"), length: 3)
        }
    }
}
