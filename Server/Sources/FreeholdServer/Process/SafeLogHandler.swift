import Logging

/// A log handler that escapes the text of an event, adds the event to a ring if it has one, and passes it on to another handler.
///
/// Log messages contain text of peers: reasons, names of agents, paths. Without escapes, a peer could add
/// lines to the log, move a terminal's cursor, or fill a disk.
struct SafeLogHandler: LogHandler {
    private var base: any LogHandler
    private let ring: LogRing?

    init(_ base: any LogHandler, keeping ring: LogRing? = nil) { (self.base, self.ring) = (base, ring) }

    var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        event.message = Logger.Message(stringLiteral: event.message.description.loggable)
        event.metadata = event.metadata?.mapValues(\.loggable)
        ring?.add(event, base.metadata.merging(event.metadata ?? [:]) { $1 })
        base.log(event: event)
    }
}

extension Logger {
    /// The logger with a handler that escapes text of peers.
    var safe: Logger { safe(keeping: nil) }

    /// The logger with a handler that escapes text of peers, and adds the escaped events to a ring.
    func safe(keeping ring: LogRing?) -> Logger {
        guard !(handler is SafeLogHandler) else { return self }
        var logger = self
        logger.handler = SafeLogHandler(handler, keeping: ring)
        return logger
    }
}

extension Logger.MetadataValue {
    fileprivate var loggable: Logger.MetadataValue {
        switch self {
        case .string(let text): .string(text.loggable)
        case .stringConvertible(let value): .string(value.description.loggable)
        case .array(let values): .array(values.map(\.loggable))
        case .dictionary(let values): .dictionary(values.mapValues(\.loggable))
        }
    }
}

extension String {
    /// The maximum number of bytes of one value in a log line.
    private static let loggedBytes = 1_024

    /// The text on one line: control characters, line separators and marks of the writing direction are escaped as in a
    /// Swift literal, and the text after the first KiB is removed.
    var loggable: String {
        if utf8.count <= Self.loggedBytes, utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\\") }) {
            return self
        }
        var (text, count) = ("", 0)
        for scalar in unicodeScalars {
            let part: String
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
                part = scalar.escaped(asASCII: true)
            default: part = scalar == "\\" ? "\\\\" : String(Character(scalar))
            }
            count += part.utf8.count
            guard count <= Self.loggedBytes else { return text + "…" }
            text += part
        }
        return text
    }
}
