public import Logging

/// A mail that an app's user is to get.
public struct AccountMail: Sendable {
    public enum Purpose: String, Sendable {
        case confirmation
        case passwordReset = "password reset"
    }

    public var app: String
    public var address: String
    public var purpose: Purpose
    /// With `token` what the client has to send. Both belong into the mail and nowhere else.
    public var tokenId: String
    public var token: String
}

/// Sends mails to an app's users.
public protocol Mailer: Sendable {
    /// What it throws is logged by its type only. The request that caused the mail is answered all the same.
    func send(_ mail: AccountMail) async throws
}

/// Logs that a mail would go out. What the mail would prove is shown in development only.
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
