import Foundation
import Freehold

/// The shell on a terminal.
struct ShellPrompt {
    private let shell: Shell
    private let prompt: String
    private let writes: Bool
    private let history: HistoryFile?

    init(_ shell: Shell, path: String, writes: Bool, history: HistoryFile?) {
        self.shell = shell
        self.writes = writes
        self.history = history
        prompt = TerminalText.cut(TerminalText.escaped(URL(fileURLWithPath: path).lastPathComponent), to: 32) + "> "
    }

    func run() throws {
        let count = shell.schema.objectSchema.count
        TerminalOutput.write(
            "\(Units.count(count, "class", plural: "classes")), open for \(writes ? "writing" : "reading"). "
                + ".help lists the commands, Ctrl-D ends.\n"
        )
        let editor = LineEditor(history: history?.load() ?? []) { line, cursor in
            ShellCompletion(shell.schema).completion(line, cursor)
        }
        // A terminal without special keys edits lines itself.
        let isPlain = ProcessInfo.processInfo.environment["TERM"] == "dumb"
        while true {
            var text = ""
            var shown = prompt
            var input = isPlain ? plainLine(shown) : editor.read(prompt: shown)
            while case .line(let line) = input, line.hasSuffix("\\") {
                text += line.dropLast() + " "
                shown = String(repeating: " ", count: max(0, TerminalText.width(prompt) - 2)) + "> "
                input = isPlain ? plainLine(shown) : editor.read(prompt: shown)
            }
            switch input {
            case .cancelled: continue
            case .end: return try shell.endOutput()
            case .line(let line):
                text += line
                if !text.allSatisfy(\.isWhitespace) {
                    editor.remember(text)
                    history?.append(text)
                }
                if try perform(text) == .quits { return try shell.endOutput() }
            }
        }
    }

    private func plainLine(_ prompt: String) -> LineEditor.Input {
        TerminalOutput.write(prompt)
        return readLine().map { .line($0) } ?? .end
    }

    /// Executes a line. An error is reported, and the session continues.
    private func perform(_ line: String) throws -> Shell.Outcome {
        do {
            return try shell.perform(line)
        } catch {
            StandardOutput.shared.discard()
            Progress.clear()
            StandardError.write("\(Failure(error)?.message ?? "\(error)")\n")
            return .goesOn
        }
    }
}
