public import Logging

/// A mail to a user of an app.
public struct AccountMail: Sendable {
    public enum Purpose: String, Sendable {
        case confirmation
        case passwordReset = "password reset"
    }

    public var app: String
    public var address: String
    public var purpose: Purpose
    /// The identifier of the code. The client sends it together with `token`. Both must only appear in the mail.
    public var tokenId: String
    public var token: String
}

/// A sender of mails to users.
public protocol Mailer: Sendable {
    /// Sends a mail. Only the type of an error is logged. The request that caused the mail is answered in any case.
    func send(_ mail: AccountMail) async throws
}

/// A mailer that writes a line to the log instead of sending a mail. The line contains the address and the code in
/// development mode only.
public struct ConsoleMailer: Mailer {
    private let logger: Logger
    private let showsTokens: Bool

    public init(_ logger: Logger, showsTokens: Bool) { (self.logger, self.showsTokens) = (logger, showsTokens) }

    public func send(_ mail: AccountMail) async throws {
        var metadata: Logger.Metadata = ["app": "\(mail.app)", "purpose": "\(mail.purpose.rawValue)"]
        if showsTokens {
            metadata["address"] = "\(mail.address)"
            metadata["tokenId"] = "\(mail.tokenId)"
            metadata["token"] = "\(mail.token)"
        }
        logger.notice("a mail would go out, but the server has no way to send it", metadata: metadata)
    }
}
