import ArgumentParser
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Why a command wasn't done, in a sentence.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Ends the program as its command failed. How a command is called is said only where it was called wrongly.
enum Failure {
    /// The arguments are wrong, or don't fit what is there: what `ValidationError` has the parser end with.
    private static let wrongArguments: Int32 = 64

    static func exit(_ error: any Error) -> Never {
        // Help is a command that fails in the parser's own way.
        let isParsers = error is ExitCode || error is CleanExit || "\(type(of: error))" == "CommandError"
        if isParsers { FreeholdServerCommand.exit(withError: error) }
        note("Error: \(text(error))")
        #if canImport(Glibc)
            Glibc.exit(error is ValidationError ? wrongArguments : 1)
        #elseif canImport(Musl)
            Musl.exit(error is ValidationError ? wrongArguments : 1)
        #else
            Darwin.exit(error is ValidationError ? wrongArguments : 1)
        #endif
    }

    /// Says what isn't output: a pipe to another program doesn't get it.
    static func note(_ text: String) { StandardStream.error.write(text + "\n") }

    static func text(_ error: any Error) -> String {
        switch error {
        case let error as ValidationError: return error.message
        case let error as CocoaError:
            let system = (error.underlying as? POSIXError).map { systemText($0.code.rawValue) }
            let reason = system ?? error.localizedDescription
            return (error.filePath ?? error.url?.path).map { "\($0): \(reason)" } ?? reason
        case let error as POSIXError: return systemText(error.code.rawValue)
        default: return "\(error)"
        }
    }

    private static func systemText(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// The parser takes a misspelt command for an argument too many.
    static func checkName(_ arguments: [String]) throws {
        var (words, path) = (arguments[...], "freehold-server")
        var commands = FreeholdServerCommand.configuration.subcommands
        if words.first == "help" { words.removeFirst() }
        while !commands.isEmpty, let word = words.popFirst(), !word.hasPrefix("-") {
            let names = commands.map(name)
            guard let index = names.firstIndex(of: word) else {
                throw CommandFailure(
                    "There is no command '\(word.debugDescription.dropFirst().dropLast())'. '\(path)' has: "
                        + names.joined(separator: ", ") + "."
                )
            }
            path += " " + word
            commands = commands[index].configuration.subcommands
        }
    }

    private static func name(_ command: any ParsableCommand.Type) -> String {
        // As the parser makes it of a type's name, which is one word wherever there is no name.
        command.configuration.commandName ?? "\(command)".lowercased()
    }
}
