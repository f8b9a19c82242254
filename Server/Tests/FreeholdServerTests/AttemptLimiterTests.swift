import Foundation
import FreeholdBSON
import Testing

@testable import FreeholdServer

/// The attempt limiter while strangers fill its memory.
struct AttemptLimiterTests {
    /// Small limits, so that strangers can fill the memory.
    private static let small = AttemptLimiter.Limits(entries: 100, shared: 16)

    private static func isTaken(_ limiter: AttemptLimiter, _ account: String?, _ address: String) -> Bool {
        (try? limiter.attempt(account: account, address: address)) != nil
    }

    /// Makes an attempt from each of many networks.
    private static func flood(_ limiter: AttemptLimiter, _ count: Int) {
        for number in 0..<count {
            let (high, low) = (String(number >> 16, radix: 16), String(number & 0xFFFF, radix: 16))
            _ = isTaken(limiter, "app/stranger\(number)", "2001:\(high):\(low)::1")
        }
    }

    @Test(arguments: [3, 10]) func `an account that strangers push on has no more attempts`(_ wrong: Int) {
        let clock = TestClock()
        let limiter = AttemptLimiter(Self.small) { clock.now }
        for number in 0..<wrong { #expect(Self.isTaken(limiter, "app/ann", "192.0.2.\(number)")) }
        for round in 0..<5 {
            Self.flood(limiter, 300)
            clock.advance(1)
            if wrong == 10 { #expect(!Self.isTaken(limiter, "app/ann", "198.51.100.\(round)")) }
        }
        // This address is remembered. A new address might share its count with strangers.
        let left = (0..<20).filter { _ in Self.isTaken(limiter, "app/ann", "192.0.2.0") }.count
        #expect(left == 10 - wrong)
        clock.advance(301)
        #expect(Self.isTaken(limiter, "app/ann", "203.0.113.1"), "all is forgiven then")
    }

    @Test func `an address that strangers push on has no more attempts`() {
        let clock = TestClock()
        let limiter = AttemptLimiter(Self.small) { clock.now }
        for number in 0..<60 { #expect(Self.isTaken(limiter, "app/\(number)", "192.0.2.1")) }
        for _ in 0..<5 {
            Self.flood(limiter, 300)
            #expect(!Self.isTaken(limiter, nil, "192.0.2.1"))
            clock.advance(1)
        }
    }

    @Test func `new accounts share the remaining attempts while the memory is full`() {
        let clock = TestClock()
        let limiter = AttemptLimiter(Self.small) { clock.now }
        Self.flood(limiter, 1_000)
        #expect(limiter.remembered <= 2 * (100 + 16))
        var taken = 0
        for number in 0..<500 {
            let account = "app/new\(number % 400)"
            if Self.isTaken(limiter, account, "198.51.\(number % 100).1") { taken += 1 }
            // The success of one account doesn't help the others.
            limiter.succeeded(account: account)
        }
        #expect(taken <= 16 * 10)
        clock.advance(301)
        #expect(Self.isTaken(limiter, "app/new1", "198.51.100.1"))
    }

    @Test func `in no five minutes an account has more than ten attempts`() {
        let clock = TestClock()
        let limiter = AttemptLimiter { clock.now }
        #expect(Self.isTaken(limiter, "app/ann", "192.0.2.1"))
        clock.advance(299)
        for number in 0..<9 { #expect(Self.isTaken(limiter, "app/ann", "192.0.2.\(number)")) }
        clock.advance(2)
        #expect(!Self.isTaken(limiter, "app/ann", "192.0.2.1"))
        clock.advance(299)
        #expect(Self.isTaken(limiter, "app/ann", "192.0.2.1"))
    }

    @Test func `a clock that was set back doesn't prolong a lock`() {
        let clock = TestClock()
        let limiter = AttemptLimiter { clock.now }
        for number in 0..<10 { #expect(Self.isTaken(limiter, "app/ann", "192.0.2.\(number)")) }
        clock.advance(-3_600)
        #expect(!Self.isTaken(limiter, "app/ann", "192.0.2.1"))
        clock.advance(301)
        #expect(Self.isTaken(limiter, "app/ann", "192.0.2.1"))
    }

    /// Compares the limiter with a count that forgets nothing.
    @Test func `random attempts get no more than they should`() {
        var random = RandomRequests()
        let clock = TestClock()
        let limiter = AttemptLimiter(AttemptLimiter.Limits(perAddress: 20, entries: 30, shared: 4)) { clock.now }
        var taken: [String: [Date]] = [:]
        var refused = 0
        for _ in 0..<4_000 {
            let account = "app/\(Int.random(in: 0..<60, using: &random.source))"
            let address = "192.0.\(Int.random(in: 0..<60, using: &random.source)).1"
            if Self.isTaken(limiter, account, address) {
                taken[account, default: []].append(clock.now)
                let recent = taken[account]?.filter { $0 > clock.now.addingTimeInterval(-300) } ?? []
                #expect(recent.count <= 10, "\(account)")
            } else {
                refused += 1
            }
            clock.advance(Double.random(in: 0...1, using: &random.source))
        }
        #expect(refused > 0 && refused < 4_000)
    }

    @Test func `log-ins from many networks don't open a locked account`() async throws {
        let limits = AttemptLimiter.Limits(perAddress: 60, entries: 50, shared: 8)
        let server = try await AccountProbe(limits: limits) {
            $0.node.proxies = try! TrustedProxies(["127.0.0.1"])
        }
        func login(_ name: String, _ address: String) async throws -> Int {
            let body = Array(#"{"username":"\#(name)@example.org","password":"wrong password"}"#.utf8)
            let path = "\(AccountProbe.path)/app/test/auth/providers/local-userpass/login"
            let head = [
                "POST \(path) HTTP/1.1", "Host: localhost", "X-Forwarded-For: \(address)",
                "Content-Length: \(body.count)",
            ]
            return try await RawConnection.ask(head, body, port: server.port).status
        }
        for number in 0..<10 { #expect(try await login("ann", "192.0.2.\(number)") == 401) }
        for number in 0..<120 { _ = try await login("stranger\(number)", "198.51.\(number).1") }
        #expect(try await login("ann", "203.0.113.1") == 429)
        await server.stop()
    }
}
