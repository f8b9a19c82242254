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
        StandardStream.occupyMissing()
        // Only the owner may read documents, accounts and secrets.
        umask(0o077)
        var command: any ParsableCommand
        do { try Failure.checkName(Array(CommandLine.arguments.dropFirst())) } catch { Failure.exit(error) }
        do { command = try parseAsRoot() } catch { exit(withError: error) }
        do {
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch { Failure.exit(error) }
    }

    static let configuration = CommandConfiguration(
        commandName: "freehold-server",
        abstract: "Keeps the files of Freehold's apps in step.",
        discussion: """
            To try it, on this machine only (anybody registers, and logs in):
              freehold-server init /srv/freehold --app demo
              freehold-server serve /srv/freehold --development

            To serve (users register by email and password):
              freehold-server init /srv/freehold --app notes
              freehold-server app create /srv/freehold notes \
                --email-password auto-confirm --access everyone
              freehold-server serve /srv/freehold

            Say what classes an app has, and who may see and write what:
              freehold-server schema push /srv/freehold notes schemas/
              freehold-server rules push /srv/freehold notes rules.json

            Look after it, while it serves or not:
              freehold-server status /srv/freehold
              freehold-server backup /srv/freehold /backups/1
              freehold-server export /srv/freehold notes --output /tmp/notes
            """,
        subcommands: [
            Init.self, Serve.self, AppCommand.self, UserCommand.self, KeyCommand.self, SchemaCommand.self,
            RulesCommand.self, SinkCommand.self, ProjectCommand.self, Streams.self, Status.self, Backup.self,
            Restore.self,
            Export.self, Import.self, Verify.self,
        ]
    )
}
