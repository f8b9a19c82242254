@testable import FreeholdRealmWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A connection between the official client and a prototype of a server.
struct RecordedConnection: Sendable {
    enum Line: Sendable {
        case client(RealmClientMessage)
        case server(RealmServerMessage)

        /// The number of the message's session.
        var session: UInt64 {
            switch self {
            case .client(let message): message.session
            case .server(let message): message.session
            }
        }
    }

    let name: String
    let lines: [Line]

    /// Reads a connection of the folder `Golden`.
    ///
    /// - Parameter name: The name of the run and of the connection, such as `02-second-client-connection-1`.
    init(_ name: String, compression: any WireCompression) throws {
        self.name = name
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("FreeholdRealmWireTests").appendingPathComponent("Golden")
        let bytes = Array(try Data(contentsOf: folder.appendingPathComponent(name + ".jsonl")))
        let codec = RealmMessageCodec(version: 14, compression: compression)
        lines = try bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let json = try WireJSON(bytes: line, depth: 100)
            guard let frame = json["frame"]?.string else { return nil }
            let digits = frame.utf8.map { UInt8(Character(Unicode.Scalar($0)).hexDigitValue!) }
            let bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
            return json["from"]?.string == "client"
                ? .client(try codec.clientMessage(bytes)) : .server(try codec.serverMessage(bytes))
        }
    }

    /// The connections of each run.
    static let runs: [(name: String, connections: Int)] = [
        ("01-first-connection", 1), ("02-second-client", 2), ("03-refused-writes", 2), ("04-asymmetric", 1),
        ("05-client-reset", 2), ("06-repair", 2), ("07-errors", 1), ("08-actions", 1),
    ]
}
