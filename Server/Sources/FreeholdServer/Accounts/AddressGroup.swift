#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The groups of addresses that probably belong to one customer. A provider gives a whole network of 64 bits to
/// one customer, and the customer can use each address in it (RFC 6177).
package enum AddressGroup {
    /// Returns the group of an address: an IPv4 address itself, also in its IPv6 notation, and the first 64 bits of an
    /// IPv6 address. Returns any other text unchanged.
    package static func name(of address: String) -> String { name(of: address, most: (32, 64)) }

    /// Returns the larger group of an address: the first 16 bits of an IPv4 address, and the first 32 bits of an IPv6
    /// address, which belong to one provider.
    static func crowd(of address: String) -> String { name(of: address, most: (16, 32)) }

    private static func name(of address: String, most: (short: Int, long: Int)) -> String {
        // A zone names the interface of this machine.
        let text = String(address.prefix { $0 != "%" })
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return dotted(bytes.prefix(most.short / 8)) }
        guard inet_pton(AF_INET6, text, &bytes) == 1 else { return address }
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return dotted(bytes.suffix(4).prefix(most.short / 8))
        }
        let first = bytes.prefix(most.long / 8)
        return first.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "/\(most.long)"
    }

    private static func dotted(_ octets: ArraySlice<UInt8>) -> String { octets.map { "\($0)" }.joined(separator: ".") }
}
