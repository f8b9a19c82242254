import Testing

@testable import FreeholdRealmWire

/// The messages of recorded connections.
@Suite("Realm wire: golden messages")
struct GoldenMessageTests {
    /// The numbers of changesets whose bytes define strings that no instruction uses: see `GoldenChangesetTests.differences`.
    static let differences = [
        "01-first-connection-connection-1": 3, "02-second-client-connection-1": 1, "04-asymmetric-connection-1": 1,
        "08-actions-connection-1": 11,
    ]

    @Test(arguments: Golden.connections)
    func `recorded messages decode, and encode to their bytes`(_ name: String) throws {
        let codec = RealmMessageCodec(version: 14, compression: SystemZlib())
        var (messages, changesets, equal) = (0, 0, 0)
        for line in try Golden.lines(name + ".jsonl") {
            let frame = Golden.bytes(line["frame"]!.string!)
            let entries: [(header: [Int64], changeset: [UInt8])]
            if line["from"]?.string == "client" {
                let message = try codec.clientMessage(frame)
                try expectSame(codec.encoded(message), frame) { frame in .init(try codec.clientMessage(frame)) }
                guard case .upload(let upload) = message else { continue }
                entries = upload.entries.map {
                    (
                        [Int64($0.clientVersion), Int64($0.serverVersion), Int64($0.timestamp), Int64($0.origin)],
                        $0.changeset
                    )
                }
            } else {
                let message = try codec.serverMessage(frame)
                try expectSame(codec.encoded(message), frame) { frame in .init(try codec.serverMessage(frame)) }
                guard case .download(let download) = message else { continue }
                entries = download.entries.map {
                    (
                        [Int64($0.serverVersion), Int64($0.clientVersion), Int64($0.timestamp), Int64($0.origin)],
                        $0.changeset
                    )
                }
            }
            messages += 1
            let expected = line["entries"]!.array
            expectEqual(entries.count, expected.count)
            for (entry, json) in zip(entries, expected) {
                let isUpload = line["from"]?.string == "client"
                let names =
                    isUpload
                    ? ["clientVersion", "serverVersion", "timestamp", "origin"]
                    : ["serverVersion", "clientVersion", "timestamp", "origin"]
                expectEqual(entry.header, names.map { json[$0]!.integer! })
                let changeset = try Changeset(bytes: entry.changeset)
                try expectEqual(changeset.instructions, json["instructions"]!.array.map { try Golden.instruction($0) })
                changesets += 1
                let written = try changeset.encoded()
                if written == entry.changeset {
                    equal += 1
                } else {
                    try GoldenChangesetTests.expectOnlyClassNames(entry.changeset, written)
                }
            }
        }
        print(
            "\(name): \(messages) messages with entries, \(changesets) changesets, \(equal) encoded to the same bytes"
        )
        expect(messages > 0)
        expectEqual(changesets - equal, Self.differences[name] ?? 0)
    }

    /// Expects equal bytes. The bytes of a compressed body depend on the level of the compression, and those of an error on the
    /// spaces in its JSON, so that they only have to contain the same message.
    private func expectSame(_ written: [UInt8], _ frame: [UInt8], decode: ([UInt8]) throws -> AnyHashable) throws {
        let words = String(decoding: frame.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self).split(separator: " ")
        let isFree =
            (words[0] == "upload" && words[2] == "1") || (words[0] == "download" && words[words.count - 3] == "1")
            || words[0] == "json_error"
        guard isFree else { return expectEqual(written, frame) }
        try expectEqual(decode(written), decode(frame))
    }

    @Test func `recorded servers' messages pass the validator`() throws {
        for name in Golden.connections {
            let codec = RealmMessageCodec(version: 14, compression: SystemZlib())
            var validator = SessionValidator(version: 14)
            for line in try Golden.lines(name + ".jsonl") {
                let frame = Golden.bytes(line["frame"]!.string!)
                do {
                    if line["from"]?.string == "client" {
                        try validator.receive(codec.clientMessage(frame))
                    } else {
                        try validator.send(codec.serverMessage(frame))
                    }
                } catch {
                    expect(false, "\(name): \(line["header"]!.string!): \(error)")
                    break
                }
            }
        }
    }
}
