import ArgumentParser
import Foundation
import FreeholdEngine
import FreeholdServerStore

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies a server's folder, while the server runs or not.",
        discussion: """
            Each file is copied as it is at one moment, without its free pages. Files of several streams are of several moments.
            Use a copy by 'restore' only: don't start a server on it. Documents in a database aren't part of it: back up the database with its own tools.

            Example:
              freehold-server backup /srv/freehold /backups/monday
            """
    )

    @Argument(help: "The server's folder.") var folder: String
    @Argument(help: "A folder that doesn't exist yet.") var target: String
    @OptionGroup var store: StoreOption

    func run() async throws {
        let isElsewhere = try store.isElsewhere(folder)
        let count = try FolderCopy(from: folder, to: target).run()
        print("\(count) files are in \(target).")
        if isElsewhere {
            Failure.note(
                "They are settings and secrets. The documents, accounts and rules are in PostgreSQL: back up the database now, too, for example by pg_dump."
            )
        }
    }
}

extension StoreOption {
    /// Returns a Boolean value that indicates whether the documents of a server are in a database instead of its folder.
    func isElsewhere(_ folder: String) throws -> Bool {
        try namedAddress(folder) != nil || StoreMark(folder: folder).address != nil
    }
}

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Creates a server's folder from a backup.",
        discussion: """
            The documents get another history. Clients that have later work than the backup notice that: they load the state again, and send
            the work that it lacks.

            Example:
              freehold-server restore /backups/monday /srv/freehold
            """
    )

    @Argument(help: "The backup.") var backup: String
    @Argument(help: "A folder that doesn't exist yet.") var folder: String

    func run() async throws {
        let count = try FolderCopy(from: backup, to: folder).run { draft in
            let epoch = UInt64.random(in: 1 ... .max)
            try FileServerStore(ofServer: draft, epoch: epoch).wasCopied(epoch: epoch)
        }
        print("\(count) files are in \(folder). Start it with: freehold-server serve \(folder)")
    }
}

/// A copy of a folder with databases to which other processes may write.
struct FolderCopy {
    let source: URL
    let target: URL

    init(from source: String, to target: String) {
        self.source = URL(fileURLWithPath: source, isDirectory: true)
        self.target = URL(fileURLWithPath: target, isDirectory: true).standardizedFileURL
    }

    /// The end of the name of a copy that isn't complete.
    static let unfinished = ".unfinished"

    /// Copies the folder. The copy has its name only after it is complete and on the disk. A process that is killed before leaves a folder whose
    /// name ends with `unfinished`.
    ///
    /// - Parameter prepare: Changes the copy before it gets its name. The parameter is the path of the copy.
    /// - Returns: The number of files.
    func run(prepare: (_ draft: String) throws -> Void = { _ in }) throws -> Int {
        let files = FileManager.default
        guard !source.path.hasSuffix(Self.unfinished) else {
            throw ValidationError("\(source.path) is a copy that wasn't completed. Use another one, and remove it.")
        }
        guard files.fileExists(atPath: source.appendingPathComponent("server.json").path) else {
            throw ValidationError("\(source.path) isn't a server's folder: it has no server.json.")
        }
        guard !files.fileExists(atPath: target.path) else {
            throw ValidationError("\(target.path) exists. Name a folder that doesn't exist.")
        }
        // The topmost folder that the copy creates.
        var highest = target
        while highest.path != "/", !files.fileExists(atPath: highest.deletingLastPathComponent().path) {
            highest.deleteLastPathComponent()
        }
        let parent = highest.deletingLastPathComponent().path
        let avoided = FilePaths.real(parent) + "/" + target.path.dropFirst(parent == "/" ? 1 : parent.count + 1)
        try expectOutside(source.path, real: FilePaths.real(source.path), target: avoided)
        let draft = URL(
            fileURLWithPath: target.path + ".\(ProcessInfo.processInfo.processIdentifier)\(Self.unfinished)",
            isDirectory: true
        )
        do {
            // A process with this number left it.
            if files.fileExists(atPath: draft.path) { try files.removeItem(at: draft) }
            try files.createDirectory(
                at: draft,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            let count = try copy("", to: draft, of: [], avoiding: avoided)
            try prepare(draft.path)
            // A folder that another process made meanwhile isn't replaced.
            guard !files.fileExists(atPath: target.path) else {
                throw ValidationError("\(target.path) exists. Name a folder that doesn't exist.")
            }
            try files.moveItem(at: draft, to: target)
            try FilePaths.synchronize(target.deletingLastPathComponent().path)
            return count
        } catch {
            // An incomplete copy is removed.
            try? files.removeItem(at: highest == target ? draft : highest)
            throw error
        }
    }

    /// Checks that the target of the copy isn't inside a folder that is copied.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder in messages.
    ///   - real: The real path of the folder.
    ///   - target: The real path of the copy.
    private func expectOutside(_ folder: String, real: String, target: String) throws {
        guard !FilePaths.contains(real, target) else {
            throw ValidationError("\(self.target.path) is in \(folder), which is copied. Name a folder outside of it.")
        }
    }

    /// Copies a folder below the source.
    ///
    /// - Parameters:
    ///   - path: The path below the source.
    ///   - draft: The copy.
    ///   - parents: The real paths of the folders that contain it.
    ///   - avoided: The real path of the copy.
    /// - Returns: The number of files.
    private func copy(_ path: String, to draft: URL, of parents: [String], avoiding avoided: String) throws -> Int {
        var count = 0
        let files = FileManager.default
        let here = path.isEmpty ? source.path : source.path + "/" + path
        let real = FilePaths.real(here)
        try expectOutside(here, real: real, target: avoided)
        guard !parents.contains(where: { FilePaths.contains(real, $0) }) else {
            throw ValidationError("\(here) is a link to a folder that contains it. Remove the link.")
        }
        let names = try files.contentsOfDirectory(atPath: source.path + "/" + path).sorted()
        let databases = names.filter { $0.hasSuffix(".freehold") || $0.hasSuffix(".realm") }
        for name in names {
            let place = path.isEmpty ? name : path + "/" + name
            let (from, to) = (source.appendingPathComponent(place), draft.appendingPathComponent(place))
            var isFolder: ObjCBool = false
            guard files.fileExists(atPath: from.path, isDirectory: &isFolder) else { continue }
            if isFolder.boolValue {
                try files.createDirectory(
                    at: to,
                    withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700]
                )
                count += try copy(place, to: draft, of: parents + [real], avoiding: avoided)
                continue
            }
            switch from.pathExtension {
            case "freehold", "realm":
                try Database.open(at: from.path).snapshot().copy(to: to.path)
                count += 1
            // Locks and temporary files of the databases aren't copied.
            case _ where databases.contains { name.hasPrefix($0) }: break
            // Settings, secrets, certificates and all other files are copied. For a link, the target file is copied.
            // Pipes, sockets and devices have no content to copy, and reading them may never end.
            case _ where !FilePaths.isRegular(from.path): break
            default:
                guard let data = files.contents(atPath: from.path) else { throw CocoaError(.fileReadNoPermission) }
                try data.write(to: to)
                let mode = try files.attributesOfItem(atPath: from.resolvingSymlinksInPath().path)[.posixPermissions]
                if let mode { try files.setAttributes([.posixPermissions: mode], ofItemAtPath: to.path) }
                try FilePaths.synchronize(to.path)
                count += 1
            }
        }
        try FilePaths.synchronize(path.isEmpty ? draft.path : draft.path + "/" + path)
        return count
    }
}
