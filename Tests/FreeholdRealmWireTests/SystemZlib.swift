import FreeholdCompression

@testable import FreeholdRealmWire

/// The system's zlib, as the server uses it.
struct SystemZlib: WireCompression {
    func compressed(_ bytes: [UInt8]) -> [UInt8]? { ZlibCompression.shared.compressed(bytes) }

    func inflated(_ bytes: ArraySlice<UInt8>, count: Int) -> [UInt8]? {
        bytes.withUnsafeBytes { ZlibCompression.shared.inflated($0, count: count) }
    }
}
