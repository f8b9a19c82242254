import ArgumentParser
import FreeholdServer

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the state of a server that runs on this machine, as JSON.",
        discussion: """
            Examples:
              freehold-server status /srv/freehold
              freehold-server status /srv/freehold --metrics
            The exit status is 0 if the server is ready, and otherwise 1.
            """
    )

    @Argument(
        help:
            "The folder whose settings name the administrator's port. With --store it can be omitted: see FREEHOLD_ADMIN_PORT."
    )
    var folder: String
    @OptionGroup var store: StoreOption
    @Flag(help: "Shows the metrics instead.") var metrics = false

    func run() async throws {
        let settings = try await SettingsReader(folder: store.local(folder)).settings()
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
        } catch let error as AdministratorClient.TimedOut {
            throw CommandFailure(
                "The server at \(ServerSettings.authority(settings.administratorHost, port)) didn't answer within "
                    + "\(error.seconds) s."
            )
        } catch {
            throw CommandFailure(
                "No server answers at \(ServerSettings.authority(settings.administratorHost, port)), "
                    + "the administrator's port in the settings\(store.local(folder).map { " of \($0)" } ?? "")."
            )
        }
    }
}
