import Testing

@testable import FreeholdHTTP
@testable import FreeholdServer

/// The address of a client behind proxies.
struct TrustedProxyTests {
    @Test(
        arguments: [
            ("9.9.9.9", ["1.2.3.4"], "9.9.9.9"),
            ("127.0.0.1", [], "127.0.0.1"),
            ("127.0.0.1", ["1.2.3.4"], "1.2.3.4"),
            // The client made the first address up.
            ("127.0.0.1", ["6.6.6.6, 1.2.3.4"], "1.2.3.4"),
            ("127.0.0.1", ["6.6.6.6", "1.2.3.4"], "1.2.3.4"),
            ("127.0.0.1", ["1.2.3.4, 10.0.0.7"], "1.2.3.4"),
            ("10.1.2.3", ["1.2.3.4:5678"], "1.2.3.4"),
            ("::ffff:10.1.2.3", ["1.2.3.4"], "1.2.3.4"),
            ("fd00::1", ["[2001:db8::5]:443"], "2001:db8::5"),
            ("fd00::1", ["2001:db8::5%eth0"], "2001:db8::5"),
            ("127.0.0.1", ["nonsense"], "127.0.0.1"),
            ("127.0.0.1", ["1.2.3.4, nonsense"], "127.0.0.1"),
            ("127.0.0.1", [""], "127.0.0.1"),
            ("127.0.0.1", ["10.0.0.1, 10.0.0.2"], "10.0.0.1"),
            ("unknown", ["1.2.3.4"], "unknown"),
        ] as [(String, [String], String)]
    ) func `the last address counts that no trusted proxy has`(_ peer: String, _ said: [String], _ client: String)
        throws
    {
        let proxies = try TrustedProxies(["127.0.0.1", "::ffff:10.0.0.0/104", "[fd00::]/8"])
        #expect(proxies.client(peer, said) == client)
        #expect(TrustedProxies.none.client(peer, said) == peer)
    }

    @Test(arguments: [
        "", "nonsense", "1.2.3.4/33", "1.2.3.4/-1", "::1/129", "1.2.3.4/", "1.2.3/8", "1.2.3.4/8/8",
        "::ffff:10.0.0.0/8", "[10.0.0.1]", "[fd00::", "fd00::]/8",
    ])
    func `a malformed network is refused`(_ text: String) {
        #expect(throws: TrustedProxies.InvalidNetwork.self) { try TrustedProxies([text]) }
    }

    @Test func `a header without end costs little`() throws {
        let proxies = try TrustedProxies(["127.0.0.0/8"])
        let said = Array(repeating: "127.0.0.1,127.0.0.2", count: 10_000)
        #expect(proxies.client("127.0.0.1", said).hasPrefix("127."))
    }
}
