import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SwiftASN1
import TestReceiver
import Testing
import X509

@testable import FreeholdServer

@Suite("Encrypted requests of a hook", .timeLimit(.minutes(20)))
struct HookEncryptionTests {
    /// Returns a certificate for `localhost` and its key.
    private func certificate() throws -> (certificate: String, key: String) {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("localhost") }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: .now.addingTimeInterval(-60),
            notValidAfter: .now.addingTimeInterval(3_600),
            issuer: name,
            subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                SubjectAlternativeNames([.dnsName("localhost")])
            },
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        return (try certificate.serializeAsPEM().pemString, key.pemRepresentation)
    }

    @Test
    func `a receiver is trusted whose certificate is, for the name that it is for`() async throws {
        let (certificate, key) = try certificate()
        let folder = try SinkFolder()
        try certificate.write(toFile: folder.path + "/roots.pem", atomically: true, encoding: .utf8)
        let context = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem))
            )
        )
        let receiver = try await Receiver(tls: context) { _, _ in .status(200) }
        func post(_ client: HookClient, _ host: String) async throws -> HookAnswer {
            let address = try HookAddress("https://\(host):\(receiver.port)/")
            return try await client.post(HookRequest(address: address, headers: [], body: [1], timeout: .seconds(60)))
        }
        let trusting = HookClient(trustRoots: folder.path + "/roots.pem")
        #expect(try await post(trusting, "localhost").status == 200)
        #expect(try await post(trusting, "localhost").status == 200)
        await #expect(throws: (any Error).self) { try await post(trusting, "127.0.0.1") }
        await #expect(throws: (any Error).self) { try await post(HookClient(), "localhost") }
        await #expect(throws: (any Error).self) {
            try await post(HookClient(trustRoots: folder.path + "/none"), "localhost")
        }
        #expect(receiver.requests.count == 2)
        await receiver.close()
    }
}
