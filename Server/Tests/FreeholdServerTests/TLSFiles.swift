import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate for `localhost` and its key, in files of a temporary folder.
struct TLSFiles {
    let folder = FileManager.default.temporaryDirectory.appending(path: "freehold-tls-\(UUID().uuidString)")
    var certificates: String { folder.appending(path: "certificates.pem").path }
    var key: String { folder.appending(path: "key.pem").path }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try renew(at: .now)
    }

    /// Writes a new key and a certificate.
    ///
    /// - Parameter time: The modification time of the files.
    func renew(at time: Date, names: [String] = ["localhost"]) throws {
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
                SubjectAlternativeNames(names.map { .dnsName($0) })
            },
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        try Data(certificate.serializeAsPEM().pemString.utf8).write(to: URL(filePath: certificates))
        try Data(key.pemRepresentation.utf8).write(to: URL(filePath: self.key))
        for path in [certificates, self.key] {
            try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
        }
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}
