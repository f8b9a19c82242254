import FreeholdSync
import Testing

struct EndpointTests {
    @Test(arguments: [
        ("wss://sync.example.org", "wss://sync.example.org:443/sync"),
        ("https://sync.example.org/", "wss://sync.example.org:443/sync"),
        ("ws://127.0.0.1:7700/sync", "ws://127.0.0.1:7700/sync"),
        ("HTTP://localhost:80/a/b", "ws://localhost:80/a/b"),
        ("wss://[::1]:8443/x", "wss://[::1]:8443/x"),
        ("wss://[::1]", "wss://[::1]:443/sync"),
    ])
    func `an address says where a server is`(text: String, expected: String) {
        #expect(SyncEndpoint(text)?.description == expected)
    }

    @Test(arguments: [
        "", "sync.example.org", "ftp://sync.example.org", "wss://", "wss://host:port", "wss://host:70000", "wss://:1",
        "wss://user:password@host", "wss://host/sync?token=x", "wss://host/#x", "wss://ho st",
    ])
    func `invalid addresses, and those with a secret, are refused`(text: String) { #expect(SyncEndpoint(text) == nil) }
}
