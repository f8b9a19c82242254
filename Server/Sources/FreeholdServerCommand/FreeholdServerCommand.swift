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
        let arguments = Array(CommandLine.arguments.dropFirst())
        do { try Failure.checkName(arguments) } catch { Failure.exit(error) }
        do { command = try parseAsRoot(FolderArgument.complete(arguments)) } catch { exit(withError: error) }
        do {
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch { Failure.exit(error) }
    }

    static let configuration = CommandConfiguration(
        commandName: "freehold-server",
        abstract: "Stores and syncs the documents of Freehold's apps.",
        discussion: """
            To try it, on this machine only (all users can register):
              freehold-server init /srv/freehold --app demo
              freehold-server serve /srv/freehold --development

            To serve users that register by email and password:
              freehold-server init /srv/freehold --app notes
              freehold-server app create /srv/freehold notes \
                --email-password auto-confirm --access everyone
              freehold-server serve /srv/freehold

            To set an app's classes, and the rights of its users:
              freehold-server schema push /srv/freehold notes schemas/
              freehold-server rules push /srv/freehold notes rules.json

            To operate it, while it runs or not:
              freehold-server status /srv/freehold
              freehold-server studio /srv/freehold
              freehold-server backup /srv/freehold /backups/1
              freehold-server export /srv/freehold notes --output /tmp/notes
            """,
        subcommands: [
            Init.self, Serve.self, AppCommand.self, UserCommand.self, KeyCommand.self, DocumentCommand.self,
            SchemaCommand.self, RulesCommand.self, SinkCommand.self, HookCommand.self, ProviderCommand.self,
            PushCommand.self,
            ProjectCommand.self, Transfer.self, Streams.self, Status.self, StudioCommand.self, Backup.self,
            Restore.self,
            Export.self, Import.self, Verify.self, SQLCommand.self, MigrateStore.self, StoreCommand.self,
        ]
    )
}
