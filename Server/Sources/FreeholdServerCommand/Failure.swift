import ArgumentParser
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The reason why a command failed, as a sentence.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Ends the program after a failed command. The usage of the command is only printed after a wrong usage.
enum Failure {
    /// The exit status for wrong arguments, and for arguments that don't fit the existing data. The parser uses it for
    /// `ValidationError`.
    private static let wrongArguments: Int32 = 64

    static func exit(_ error: any Error) -> Never {
        // The parser represents a request for help as an error.
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

    /// Prints text that isn't part of the output. A program that reads the output through a pipe doesn't receive it.
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

    /// Checks the names of commands. The parser would treat a misspelt command as an additional argument.
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

    static func name(_ command: any ParsableCommand.Type) -> String {
        // The parser derives this name from the name of a type if the command has no name. The type's name is one word
        // in all such cases.
        command.configuration.commandName ?? "\(command)".lowercased()
    }
}
