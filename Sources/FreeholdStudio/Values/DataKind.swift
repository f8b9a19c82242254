/// The kind of a binary value, detected from its first bytes.
enum DataKind: String, Sendable, CaseIterable {
    case png, jpeg, gif, webp, svg, pdf, zip, gzip, json, text, plist, binary

    /// The number of bytes that the detection reads.
    static let examined = 256

    private static let marks: [(kind: DataKind, bytes: [UInt8])] = [
        (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), (.jpeg, [0xFF, 0xD8, 0xFF]),
        (.gif, Array("GIF8".utf8)), (.pdf, Array("%PDF-".utf8)), (.zip, [0x50, 0x4B, 0x03, 0x04]),
        (.gzip, [0x1F, 0x8B]), (.plist, Array("bplist".utf8)),
    ]

    /// - Parameter head: the first bytes of the value, up to ``examined``.
    init(_ head: some Collection<UInt8>) {
        let head = Array(head.prefix(Self.examined))
        if let found = Self.marks.first(where: { head.starts(with: $0.bytes) }) {
            self = found.kind
        } else if head.count >= 12, head.starts(with: "RIFF".utf8), head[8..<12].elementsEqual("WEBP".utf8) {
            self = .webp
        } else {
            self = Self.text(head)
        }
    }

    private static func text(_ head: [UInt8]) -> DataKind {
        let isText =
            !head.isEmpty && head.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        // The last character may be incomplete.
        let whole = head.count < examined ? head : Array(head.dropLast(3))
        guard isText, String(validating: whole, as: UTF8.self) != nil || whole.count < head.count else {
            return .binary
        }
        let start = head.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        if start.first == UInt8(ascii: "{") || start.first == UInt8(ascii: "[") { return .json }
        let lowered = String(decoding: start, as: UTF8.self).lowercased()
        if lowered.hasPrefix("<svg") || lowered.hasPrefix("<?xml") && lowered.contains("<svg") { return .svg }
        return .text
    }
}
