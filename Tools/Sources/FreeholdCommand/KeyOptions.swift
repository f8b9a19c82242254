import ArgumentParser
import Foundation
import Freehold

/// The key of an encrypted file. It is never on the command line, which all users of the machine can see.
struct KeyOptions: ParsableArguments {
    static let variable = "FREEHOLD_ENCRYPTION_KEY"

    static let help = ArgumentHelp(
        "The key of an encrypted file: 64 bytes, or their 128 hexadecimal digits; else the digits in $\(variable).",
        valueName: "path"
    )

    @Option(help: help, completion: .file()) var encryptionKeyFile: String?

    /// Returns the key, or nil for a file that isn't encrypted.
    func key() throws -> Data? {
        guard let path = encryptionKeyFile else {
            guard let text = ProcessInfo.processInfo.environment[Self.variable], !text.isEmpty else { return nil }
            guard let key = Self.digits(text) else {
                throw Failure(.data, "$\(Self.variable) isn't a key: 128 hexadecimal digits")
            }
            return key
        }
        return try Self.read(path)
    }

    /// Reads the key from a file.
    static func read(_ path: String) throws -> Data {
        try FileOptions.requireFile(path)
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(.noPermission, "\(path): the file can't be read")
        }
        if data.count == 64 { return data }
        guard let key = String(data: data, encoding: .utf8).flatMap({ Self.digits($0) }) else {
            throw Failure(.data, "\(path): this isn't a key: 64 bytes, or their 128 hexadecimal digits")
        }
        return key
    }

    private static func digits(_ text: String) -> Data? {
        let digits = text.trimmingCharacters(in: .whitespacesAndNewlines).utf8.map {
            Character(Unicode.Scalar($0)).hexDigitValue
        }
        guard digits.count == 128 else { return nil }
        var key = Data()
        for i in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[i], let low = digits[i + 1] else { return nil }
            key.append(UInt8(high << 4 | low))
        }
        return key
    }
}

extension KeyOptions {
    init(file: String?) {
        self.init()
        encryptionKeyFile = file
    }
}
