import Foundation
import ModelWriter
import Testing

/// Has generated models read by the compilers of their languages.
enum Compilers {
    /// Writes models into a folder. - Returns: the files' paths.
    static func write(_ models: GeneratedModels, _ folder: String) throws -> [String] {
        try models.files.map { file in
            let path = folder + "/" + file.name
            try ModelWriterTests.write(file.text, to: path)
            return path
        }
    }

    /// Options that shorten the start of a Java virtual machine: it compiles without optimizations and collects memory on one
    /// thread.
    static let quickStart = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]

    /// Compiles models together with more files of the stubs' folder.
    static func checkJava(_ models: GeneratedModels, in folder: String, with more: [String]) throws {
        try Stubs.writeJava(folder + "/stubs")
        let paths = try write(models, folder + "/models")
        let arguments =
            quickStart.map { "-J" + $0 } + [
                "-nowarn", "-encoding", "UTF-8", "-proc:none", "-d", folder + "/classes", "-sourcepath",
                folder + "/stubs",
            ]
        try Tool.javac.expectSuccess(arguments + paths + more.map { folder + "/stubs/" + $0 }, in: folder)
    }

    static func checkJava(_ models: GeneratedModels, in folder: String) throws {
        try checkJava(models, in: folder, with: [])
    }

    static func checkTypeScript(_ models: GeneratedModels, in folder: String) throws {
        try Stubs.writeJavaScript(folder)
        _ = try write(models, folder + "/src")
        try ModelWriterTests.write(
            """
            {"compilerOptions": {"noEmit": true, "strict": true, "target": "es2020", "module": "es2020",
             "moduleResolution": "node", "types": []}, "include": ["src"]}
            """,
            to: folder + "/tsconfig.json"
        )
        try Tool.tsc.expectSuccess(["-p", folder], in: folder)
    }

    static func checkJavaScript(_ models: GeneratedModels, in folder: String) throws {
        try Stubs.writeJavaScript(folder)
        try ModelWriterTests.write("{\"type\": \"module\"}", to: folder + "/package.json")
        for path in try write(models, folder) { try Tool.node.expectSuccess(["--check", path], in: folder) }
    }

    static func checkCpp(_ models: GeneratedModels, in folder: String) throws {
        try Stubs.writeCpp(folder + "/stubs")
        let paths = try write(models, folder)
        let arguments = [
            "-fsyntax-only", "-std=c++20", "-x", "c++", "-Wno-pragma-once-outside-header", "-I", folder + "/stubs",
        ]
        try Tool.cpp.expectSuccess(arguments + paths, in: folder)
    }

    static func checkObjectiveC(_ models: GeneratedModels, in folder: String) throws {
        try Stubs.writeObjectiveC(folder + "/stubs")
        let paths = try write(models, folder)
        let arguments = [
            "-fsyntax-only", "-x", "objective-c", "-fobjc-arc", "-target", "x86_64-apple-macosx13", "-nostdinc",
            "-Werror", "-Wno-objc-property-no-attribute", "-Wno-incompatible-sysroot", "-isystem", folder + "/stubs",
        ]
        try Tool.clang.expectSuccess(arguments + paths.filter { $0.hasSuffix(".m") }, in: folder)
    }

    static func checkSwift(_ models: GeneratedModels, in folder: String) throws {
        let modules = try require(modulesFolder)
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().path
        var arguments = [
            "-typecheck", "-swift-version", "6", "-module-name", "Generated", "-I", modules, "-I",
            root + "/Sources/CLMDB",
        ]
        for target in ["CFreeholdShims", "CFreeholdLMDB"] {
            arguments += ["-Xcc", "-fmodule-map-file=\(modules)/../\(target).build/module.modulemap"]
            arguments += ["-Xcc", "-I\(root)/Sources/\(target)/include"]
        }
        try Tool.swiftc.expectSuccess(arguments + (try write(models, folder)), in: folder)
    }

    /// The folder with the library's modules, next to the tests, or `nil` if SwiftPM didn't build them.
    static let modulesFolder: String? = {
        #if os(Linux)
            let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            let folder = own.appendingPathComponent("Modules").path
            return FileManager.default.fileExists(atPath: folder + "/Freehold.swiftmodule") ? folder : nil
        #else
            return nil
        #endif
    }()
}
