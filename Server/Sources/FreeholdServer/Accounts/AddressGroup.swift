#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whose an address is, as far as it tells: providers give whole networks of 64 bits to one customer, who may send from any address of it
/// (RFC 6177).
enum AddressGroup {
    /// An IPv4 address as it is, also one that is written as IPv6; of an IPv6 address the first 64 bits; anything else as it is.
    static func name(of address: String) -> String { name(of: address, most: (32, 64)) }

    /// The part of the internet that an address is in: of IPv4 the first 16 bits, of IPv6 the first 32, which providers have.
    static func crowd(of address: String) -> String { name(of: address, most: (16, 32)) }

    private static func name(of address: String, most: (short: Int, long: Int)) -> String {
        // A zone says where the machine heard it.
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
