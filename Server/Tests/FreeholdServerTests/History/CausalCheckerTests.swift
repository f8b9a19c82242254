import Testing

/// The checker finds each kind of violation.
struct CausalCheckerTests {
    private func violations(_ lines: [(Int, String)]) -> Int {
        var checker = CausalChecker(clients: 2)
        for (client, line) in lines { checker.take(line, of: client) }
        checker.finish()
        return checker.violations.count
    }

    private static let good = [
        (0, "O"), (0, "R 0,0"), (0, "I 1 0,0"), (0, "C 1"), (1, "R 1,0"), (1, "I 1 1,0"), (1, "C 1"), (0, "R 1,1"),
        (0, "U"),
        (1, "F 1,1 all"), (0, "F 1,1 all"),
    ]

    @Test func `a good history has no violation`() {
        #expect(violations(Self.good) == 0)
        // A transaction is begun, its client is killed, and the transaction is begun again.
        #expect(violations([(0, "I 1 0,0"), (0, "R 0,0")] + Self.good) == 0)
        // A transaction is begun, its client is killed, and the transaction exists.
        #expect(violations([(0, "I 1 0,0"), (0, "R 1,0"), (0, "F 1,0"), (1, "F 1,0")]) == 0)
    }

    @Test(arguments: [
        ("an own transaction is gone", 4, (0, "R 0,0")),
        ("one that was seen is gone", 5, (1, "R 0,0")),
        ("one that nobody began is there", 4, (0, "R 1,1")),
        ("an effect is seen without its cause", 7, (0, "R 0,1")),
        ("a number is left out", 4, (0, "I 3 1,0")),
        ("a client contradicts itself", 4, (0, "V the total is 3 and there are 2")),
        ("a line can't be read", 4, (0, "R 1")),
    ])
    func `a bad history has violations`(name: String, place: Int, line: (Int, String)) {
        var lines = Self.good
        lines.insert(line, at: place)
        #expect(violations(lines) > 0, "\(name)")
    }

    @Test func `the ends must be the same, and have everything`() {
        #expect(violations(Array(Self.good.dropLast())) > 0)
        #expect(violations(Self.good.dropLast() + [(0, "F 1,1 else")]) > 0)
        #expect(violations(Self.good.dropLast(2) + [(0, "F 1,0 all"), (1, "F 1,0 all")]) > 0)
    }
}
