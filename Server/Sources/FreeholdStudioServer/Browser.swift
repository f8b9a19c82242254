import Dispatch
import Foundation
import FreeholdStudio

/// Opens the page in the user's browser.
///
/// The command that starts the browser doesn't contain the address, because other users of the machine can read the arguments of a command. It names
/// a file that only the user can read, which leads to the address, and which is deleted after ten seconds.
enum Browser {
    static func open(_ address: String, in folder: PrivateFolder) {
        let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let path = "\(runtime ?? folder.path)/freehold-studio-\(UUID().uuidString).html"
        let text = """
            <!doctype html><meta charset="utf-8"><title>Freehold Studio</title>
            <meta name="referrer" content="no-referrer">
            <meta http-equiv="refresh" content="0;url=\(address)">
            <a href="\(address)">Freehold Studio</a>

            """
        guard PrivateFile.create(path, Array(text.utf8)) else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(10)) { unlink(path) }
        start("file://\(path)")
    }

    /// The names of the commands that open a file, in the order in which they are tried.
    private static var commands: [String] {
        #if canImport(Darwin)
            let system = ["open"]
        #else
            let system = ["xdg-open"]
        #endif
        let chosen = ProcessInfo.processInfo.environment["BROWSER"]?.split(separator: ":").first.map { [String($0)] }
        return (chosen ?? []) + system
    }

    private static func start(_ target: String) {
        for command in commands {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [command, target]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            process.standardInput = FileHandle.nullDevice
            if (try? process.run()) != nil { return }
        }
    }
}
