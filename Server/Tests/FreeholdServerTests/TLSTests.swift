import Foundation
import FreeholdHTTP
@testable import FreeholdServer
import FreeholdSync
import FreeholdSyncCore
import NIOSSL
import Testing

/// Encrypted connections.
@Suite(.timeLimit(.minutes(20))) struct TLSTests {
    private func client(_ files: TLSFiles) throws -> SyncClient {
        let roots = try NIOSSLCertificate.fromPEMFile(files.certificates)
        return TestClient.connections { settings in
            settings.tls = .makeClientConfiguration()
            settings.tls?.trustRoots = .certificates(roots)
        }
    }

    @Test func `clients that trust the certificate come in, others don't`() async throws {
        let files = try TLSFiles()
        defer { files.remove() }
        let server = try await TestServer { settings in
            settings.tls = ServerSettings.TLS(certificates: files.certificates, key: files.key)
        }
        let secure = SyncEndpoint(host: "localhost", port: server.port)
        let a = try await TestClient(client(files), port: 0, endpoint: secure)
        try await a.subscribe()
        try a.create(1)
        try await a.settle()
        #expect(server.contents.count == 1)
        // No authority of the system signed the certificate, and the certificate doesn't contain the address.
        let stranger = try await TestClient(port: 0, endpoint: secure)
        await stranger.journal.wait {
            if case .disconnected(let error) = $0 { error.code == .tlsFailed } else { false }
        }
        let misled = try await TestClient(
            client(files),
            port: 0,
            endpoint: SyncEndpoint(host: "127.0.0.1", port: server.port)
        )
        await misled.journal.wait { if case .disconnected(let error) = $0 { error.code == .tlsFailed } else { false } }
        for client in [a, stranger, misled] { await client.close() }
        await server.stop()
    }

    @Test func `a certificate that changed is read anew, and a broken one isn't taken`() throws {
        let files = try TLSFiles()
        defer { files.remove() }
        let contexts = try TLSContexts(certificates: files.certificates, key: files.key)
        #expect(try contexts.reload() == false)
        try files.renew(at: .now.addingTimeInterval(10))
        #expect(try contexts.reload())
        #expect(try contexts.reload() == false)
        try Data("nothing".utf8).write(to: URL(filePath: files.certificates))
        #expect(throws: (any Error).self) { try contexts.reload() }
    }

    @Test func `a file that can't be used is named`() throws {
        let (files, others) = (try TLSFiles(), try TLSFiles())
        defer { for files in [files, others] { files.remove() } }
        let empty = files.folder.appending(path: "empty.pem").path
        try Data("nothing".utf8).write(to: URL(filePath: empty))
        let missing = files.folder.appending(path: "missing.pem").path
        for (certificates, key, named, reason) in [
            (missing, files.key, missing, "can't be read"), (files.certificates, missing, missing, "can't be read"),
            (empty, files.key, empty, "no certificate"), (files.certificates, empty, empty, "no private key"),
            (files.certificates, others.key, others.key, "isn't the key"),
        ] {
            let error = #expect(throws: TLSFileError.self) {
                try TLSContexts(certificates: certificates, key: key)
            }
            let text = error?.description ?? ""
            #expect(text.contains(named) && text.contains(reason), "\(text)")
        }
    }

    @Test func `names of the certificate are the server's`() throws {
        let files = try TLSFiles()
        defer { files.remove() }
        let contexts = try TLSContexts(certificates: files.certificates, key: files.key)
        let names = ServerNames(host: "0.0.0.0", tls: contexts)
        #expect(names.contains("localhost:7") && names.contains("192.0.2.7"))
        #expect(!names.contains("sync.example.org") && !names.contains("nas"))
        try files.renew(at: .now.addingTimeInterval(10), names: ["Sync.example.org", "*.example.net"])
        #expect(try contexts.reload())
        for (name, isOwn) in [
            ("sync.EXAMPLE.org:443", true), ("a.example.net", true), ("example.net", false), ("a.b.example.net", false),
            (".example.net", false), ("example.org", false), ("sync.example.org.evil.example", false),
        ] { #expect(names.contains(name) == isOwn, "\(name)") }
    }

    @Test func `a certificate behind a link that leads elsewhere now is read anew`() throws {
        let (old, new) = (try TLSFiles(), try TLSFiles())
        defer { for files in [old, new] { files.remove() } }
        // The files are links through a link to a folder, which is swapped, as with mounted secrets. All files have the
        // same modification time.
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        for files in [old, new] { try files.renew(at: time) }
        let mount = try TestFolder()
        let (manager, data) = (FileManager.default, mount.path + "/data")
        try manager.createSymbolicLink(atPath: data, withDestinationPath: old.folder.path)
        for name in ["certificates.pem", "key.pem"] {
            try manager.createSymbolicLink(atPath: mount.path + "/" + name, withDestinationPath: "data/" + name)
        }
        let contexts = try TLSContexts(
            certificates: mount.path + "/certificates.pem",
            key: mount.path + "/key.pem"
        )
        #expect(try contexts.reload() == false)
        try manager.removeItem(atPath: data)
        try manager.createSymbolicLink(atPath: data, withDestinationPath: new.folder.path)
        #expect(try contexts.reload())
        #expect(try contexts.reload() == false)
    }
}
