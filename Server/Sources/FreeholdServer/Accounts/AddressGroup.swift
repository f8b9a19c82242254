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
    static func name(of address: String) -> String {
        // A zone says where the machine heard it.
        let text = String(address.prefix { $0 != "%" })
        var bytes = in6_addr()
        guard inet_pton(AF_INET6, text, &bytes) == 1 else { return address }
        let octets = withUnsafeBytes(of: bytes) { Array($0) }
        if octets.prefix(10).allSatisfy({ $0 == 0 }), octets[10] == 0xFF, octets[11] == 0xFF {
            return octets.suffix(4).map { "\($0)" }.joined(separator: ".")
        }
        return octets.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "/64"
    }
}
