#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
public import NIOSSL
import Synchronization

/// A file of a certificate or a key that can't be used.
public struct TLSFileError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    fileprivate init(_ path: String, _ reason: String) { description = "The file \(path) \(reason)." }
}

/// The certificate of a server. It is read again when its files have changed. Open connections keep the certificate with which they began.
public final class TLSContexts: Sendable {
    private let certificates: String
    private let key: String
    private let state: Mutex<State>

    private struct State {
        /// The context for new connections.
        public var context: NIOSSLContext
        var names: Set<String>?
        var stamp: [Stamp?]
    }

    /// The identity and the modification time of a file. Symbolic links are followed, because a renewal of a certificate may replace a link to a
    /// folder.
    private struct Stamp: Equatable {
        let path: String
        let changed: Date?
        let size: UInt64?
        let number: UInt64?

        private static func number(_ value: Any?) -> UInt64? { value as? UInt64 ?? (value as? Int).map { UInt64($0) } }

        /// Returns `nil` if the file is missing.
        init?(_ path: String) {
            let file = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
            guard let found = try? FileManager.default.attributesOfItem(atPath: file) else { return nil }
            self.path = file
            changed = found[.modificationDate] as? Date
            size = Self.number(found[.size])
            number = Self.number(found[.systemFileNumber])
        }
    }

    /// - Parameters:
    ///   - certificates: a file in PEM: the server's certificate first, and then the certificates between it and the root.
    ///   - key: a file in PEM.
    /// - Throws: `TLSFileError` if the files don't contain a certificate and its key.
    public init(certificates: String, key: String) throws {
        (self.certificates, self.key) = (certificates, key)
        // The stamps are computed before the files are read, so that the next call detects a change during the reading.
        let stamp = [Stamp(certificates), Stamp(key)]
        let (context, names) = try Self.read(certificates, key)
        state = Mutex(State(context: context, names: names, stamp: stamp))
    }

    /// The context for new connections.
    public var context: NIOSSLContext { state.withLock { $0.context } }
    /// The names of the certificate in lower case, or `nil` for a certificate without alternative names.
    public var names: Set<String>? { state.withLock { $0.names } }

    /// Reads the files again if they have changed.
    ///
    /// - Returns: A Boolean value that indicates whether the files had changed.
    /// - Throws: `TLSFileError` if the files don't contain a certificate and its key. The old ones then stay in use.
    @discardableResult
    public func reload() throws -> Bool {
        let stamp = [Stamp(certificates), Stamp(key)]
        guard state.withLock({ $0.stamp != stamp }) else { return false }
        let (context, names) = try Self.read(certificates, key)
        state.withLock { $0 = State(context: context, names: names, stamp: stamp) }
        return true
    }

    private static func read(
        _ certificates: String,
        _ key: String
    ) throws(TLSFileError) -> (NIOSSLContext, Set<String>?) {
        for path in [certificates, key] where !FileManager.default.isReadableFile(atPath: path) {
            throw TLSFileError(path, "can't be read")
        }
        guard let chain = try? NIOSSLCertificate.fromPEMFile(certificates), !chain.isEmpty else {
            throw TLSFileError(certificates, "has no certificate in PEM")
        }
        let privateKey: NIOSSLPrivateKey
        do { privateKey = try NIOSSLPrivateKey(file: key, format: .pem) } catch {
            throw TLSFileError(key, "has no private key in PEM, or one with a password")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(privateKey)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2", "http/1.1"]
        let alternatives = chain[0]._subjectAlternativeNames()
        let names = alternatives.filter { $0.nameType == .dnsName }.map {
            String(decoding: $0.contents, as: UTF8.self).lowercased()
        }
        do { return (try NIOSSLContext(configuration: configuration), alternatives.isEmpty ? nil : Set(names)) } catch {
            throw TLSFileError(key, "isn't the key of the certificate in \(certificates): \(error)")
        }
    }
}
