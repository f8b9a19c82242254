import FreeholdBSON

/// An HTTP address that answers requests of an app's users.
///
/// The settings contain no secrets, but the paths of files with secrets.
public struct HookSettings: Hashable, Sendable {
    public var purpose: HookPurpose
    /// The address and its files. `giveUp` has no meaning here, because a call isn't repeated.
    public var target: SinkSettings.HookTarget

    /// The largest timeout, in seconds.
    public static let mostSeconds = 300

    public init(purpose: HookPurpose, target: SinkSettings.HookTarget) {
        (self.purpose, self.target) = (purpose, target)
    }

    /// Checks the settings.
    ///
    /// - Throws: `IngestFailure` if no call is possible with these settings.
    public func check() throws(IngestFailure) {
        try target.check()
        guard target.secretFile != nil else {
            throw IngestFailure("A hook needs a file with a secret, by which it recognizes the server.")
        }
        guard target.timeout <= Self.mostSeconds else {
            throw IngestFailure("A call takes at most \(Self.mostSeconds) seconds.")
        }
    }

    var document: BSONDocument {
        var document: BSONDocument = ["purpose": .string("\(purpose)")]
        target.append(to: &document)
        return document
    }

    /// Returns `nil` for a document that doesn't contain settings of a hook.
    init?(_ document: BSONDocument) {
        guard let text = document["purpose"]?.stringValue, let purpose = HookPurpose(text),
            let target = SinkSettings.HookTarget(document)
        else { return nil }
        self.init(purpose: purpose, target: target)
    }
}

extension HookSettings: CustomStringConvertible {
    /// A description for a list of hooks. Parts of the address that may be secret are left out.
    public var description: String {
        "\(purpose)\t\(target.address.prefix { $0 != "?" })\ttimeout=\(target.timeout)"
    }
}
