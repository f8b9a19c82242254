import ArgumentParser
import FreeholdServer

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Asks a server that runs on this machine how it is, as JSON.",
        discussion: """
            Examples:
              freehold-server status /srv/freehold
              freehold-server status /srv/freehold --metrics
            The exit code is 0 if the server is ready, else 1.
            """
    )

    @Argument(help: "The folder whose settings name the administrator's port.") var folder: String
    @Flag(help: "Shows the metrics instead.") var metrics = false

    func run() async throws {
        let settings = try await SettingsReader(folder: folder).settings()
        guard let port = settings.administratorPort else {
            throw ValidationError("The settings have no administrator's port.")
        }
        do {
            let path = metrics ? "/metrics" : "/status"
            let answer = try await AdministratorClient.get(path, host: settings.administratorHost, port: port)
            print(answer.body, terminator: "")
            let ready = try await AdministratorClient.get("/ready", host: settings.administratorHost, port: port)
            if ready.status != 200 { throw ExitCode(1) }
        } catch let exit as ExitCode {
            throw exit
        } catch {
            throw CommandFailure(
                "No server answers at \(ServerSettings.authority(settings.administratorHost, port)), "
                    + "the administrator's port in the settings of \(folder)."
            )
        }
    }
}
