import ArgumentParser

struct SetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Gives properties of the objects that a query finds other values.",
        discussion: """
            All of it is one transaction: the first error leaves everything as it was. The values are read by the \
            properties' types: numbers, true and false, dates of ISO 8601, data in base64, UUIDs and object ids as text. \
            A link is the primary key of an object that is there; lists, maps and embedded objects are JSON. 'null' is null \
            where the property takes it, and '"null"' is text. A dot leads into an embedded object. For all objects of the \
            class the condition is TRUEPREDICATE.

            EXAMPLES:
              freehold set app.realm Person 'name == "Ada"' age=37
              freehold set app.realm Person 'age == $0' --arg 17 'name=Bo Li' --dry-run
              freehold set app.realm Person 'id == 2' best=1 'tags=["x"]' born=1815-12-10
              freehold set app.realm Person 'home.city == null' 'home.city=London'
              freehold set app.realm Person TRUEPREDICATE age=null --dry-run --json
            """
    )

    @OptionGroup var file: FileOptions
    @OptionGroup var edit: SetEdit

    func run() throws { try edit.run(on: file) }
}
