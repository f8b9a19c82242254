import ArgumentParser

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@main struct FreeholdServerCommand: AsyncParsableCommand {
    static func main() async {
        // Documents, accounts and secrets are their owner's.
        umask(0o077)
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch { exit(withError: error) }
    }

    static let configuration = CommandConfiguration(
        commandName: "freehold-server",
        abstract: "Keeps the files of Freehold's apps in step.",
        discussion: """
            Examples:
              freehold-server init /srv/freehold --app notes      makes a folder with settings and a secret for tokens
              freehold-server serve /srv/freehold                 serves until it gets SIGTERM
              freehold-server serve /srv/freehold --development   anybody may log in by 'user:NAME', on this machine only
              freehold-server app create /srv/freehold notes      makes an app whose users register and log in
              freehold-server schema push /srv/freehold notes schemas/
                                                                  says what classes the app has
              freehold-server rules push /srv/freehold notes rules.json
                                                                  says who may see and write what
              freehold-server backup /srv/freehold /backups/1     copies the folder, while it serves or not
              freehold-server export /srv/freehold notes --output /tmp/notes
                                                                  writes documents as JSON
              freehold-server status /srv/freehold                asks the server that runs on this folder's settings
            """,
        subcommands: [
            Init.self, Serve.self, AppCommand.self, UserCommand.self, KeyCommand.self, SchemaCommand.self,
            RulesCommand.self, SinkCommand.self, ProjectCommand.self, Streams.self, Status.self, Backup.self,
            Restore.self,
            Export.self, Import.self,
        ]
    )
}
