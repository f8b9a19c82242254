import Foundation
import FreeholdServer
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The messages of `freehold-server` after a user's mistake.
@Suite(.timeLimit(.minutes(20)), .enabled(if: ServerProcess.isBuilt, "freehold-server isn't built"))
struct CommandMessageTests {
    /// Returns the status of the command, and its standard output and error together.
    private func run(_ arguments: String...) throws -> (status: Int32, output: String) {
        try ServerProcess.run(arguments, takesErrors: true)
    }

    @Test(arguments: [
        (["serv", "x"], "There is no command 'serv'. 'freehold-server' has: init, serve, app,"),
        (["user", "lst", "x"], "There is no command 'lst'. 'freehold-server user' has: list, create, import,"),
    ])
    func `a misspelt command is named, with those that there are`(_ arguments: [String], _ message: String) throws {
        let (status, output) = try ServerProcess.run(arguments, takesErrors: true)
        #expect(status == 1)
        #expect(output.hasPrefix("Error: " + message), "\(output)")
    }

    @Test(arguments: ["help", "help serve", "help app create", "app", "key --help", "--help"])
    func `help is printed`(_ line: String) throws {
        let arguments = line.split(separator: " ").map(String.init)
        let (status, output) = try ServerProcess.run(arguments, takesErrors: true)
        #expect(status == 0)
        #expect(output.contains("USAGE: "), "\(output)")
    }

    @Test(arguments: [["serve"], ["status"]])
    func `a folder that isn't a server's is named, with what makes one`(_ command: [String]) throws {
        let (status, output) = try ServerProcess.run(command + ["/nowhere"], takesErrors: true)
        #expect(status == 1)
        let text = "/nowhere isn't a server's folder: it has no server.json. 'freehold-server init /nowhere' makes one."
        #expect(output == "Error: \(text)\n")
    }

    @Test func `a correct call that fails doesn't print the usage`() throws {
        let (status, output) = try run("app", "list", "/nowhere")
        #expect(status == 64)
        #expect(output == "Error: There is no folder /nowhere.\n")
    }

    @Test func `settings that no server starts with aren't made`() throws {
        let folder = try TestFolder()
        for wrong in [["--access", "all"], ["--app", "a/b"], ["--app", ""]] {
            let (status, _) = try ServerProcess.run(["init", folder.path + "/new"] + wrong)
            #expect(status == 64, "\(wrong)")
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/new"))
        }
        let (status, output) = try run("init", "/dev/null/new")
        #expect(status == 1)
        #expect(output.hasPrefix("Error: /dev/null/new: ") && !output.contains("Domain"), "\(output)")
    }

    @Test func `a port that is taken is named, with the setting that changes it`() async throws {
        let folder = try ServerProcess.folder()
        let server = try ServerProcess(folder.path)
        let other = try ServerProcess.folder()
        let place = "127.0.0.1:\(server.port)"
        var answer = try run("serve", other.path, "--port", "\(server.port)")
        let text = "Error: Something listens at \(place) already. The setting"
        #expect(answer.status == 1)
        #expect(answer.output.contains("\(text) 'port' names another"), "\(answer.output)")
        answer = try ServerProcess.run(
            ["serve", other.path, "--port", "0"],
            launcher: ["env", "FREEHOLD_ADMIN_PORT=\(server.port)"],
            takesErrors: true
        )
        #expect(answer.status == 1)
        #expect(answer.output.contains("\(text) 'admin.port' names another"), "\(answer.output)")
        await server.end(SIGTERM)
    }

    @Test func `the status of a missing server has no output`() throws {
        let folder = try ServerProcess.folder()
        let launcher = ["env", "FREEHOLD_ADMIN_PORT=1"]
        let (status, output) = try ServerProcess.run(["status", folder.path], launcher: launcher)
        #expect(status == 1)
        #expect(output.isEmpty)
    }

    @Test func `messages name missing apps and users`() throws {
        let folder = try ServerProcess.folder()
        #expect(try run("app", "create", folder.path, "notes").status == 0)
        #expect(try run("user", "list", folder.path, "notes") == (0, ""))
        var answer = try run("user", "list", folder.path, "other")
        #expect(answer.status == 1 && answer.output.contains("There is no app 'other' with accounts"))
        for command in [["list"], ["create"]] {
            let rest = command == ["create"] ? ["nobody", "name"] : ["nobody"]
            answer = try ServerProcess.run(["key"] + command + [folder.path] + rest, takesErrors: true)
            #expect(answer.status == 1 && answer.output.contains("There is no user 'nobody'"), "\(answer.output)")
        }
        answer = try run("schema", "pull", folder.path, "notes")
        #expect(answer == (0, "The app notes has no schema.\n"))
    }

    /// Examples of the help are read in terminals of 80 columns.
    @Test func `examples of the first help aren't wrapped`() throws {
        let (_, output) = try run("--help")
        #expect(output.contains("\n  freehold-server serve /srv/freehold --development\n"))
        #expect(output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
}
