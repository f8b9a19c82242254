import ArgumentParser

struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes the objects that a query finds.",
        discussion: """
            All of it is one transaction. Embedded objects go with those that they belong to, and rules of deletion apply: \
            they may take other objects along, or refuse (65). To delete all objects of a class takes --yes.

            EXAMPLES:
              freehold delete app.realm Person 'age < 18' --dry-run
              freehold delete app.realm Person 'name == $0' --arg Bo
              freehold delete app.realm Person 'id == 3'
              freehold delete app.realm Pet --yes
            """
    )

    @OptionGroup var file: FileOptions
    @OptionGroup var edit: DeleteEdit

    func run() throws { try edit.run(on: file) }
}
